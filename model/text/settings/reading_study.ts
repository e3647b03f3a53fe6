import type { Catalogue } from "@/model/text.ts";

/** Texts of reading studies, which compare human readers: list, design, results, readers' page. */
export const readingStudyText = {
  title: { en: "Reading studies", ko: "판독 연구" },
  intro: {
    en:
      "Readers rate the same cases with and without Sulcus results. The identity of the patients is hidden. Reading studies do not change clinical data.",
    ko:
      "판독자가 같은 증례를 Sulcus 결과가 있을 때와 없을 때 각각 평가합니다. 환자 정보는 표시되지 않으며 진료 데이터는 바뀌지 않습니다.",
  },
  failedToLoad: {
    en: "The reading studies could not be loaded.",
    ko: "판독 연구를 불러오지 못했습니다.",
  },
  none: { en: "There are no reading studies.", ko: "판독 연구가 없습니다." },
  noneMine: {
    en: "You are not assigned as a reader to any reading study.",
    ko: "판독자로 등록된 판독 연구가 없습니다.",
  },
  summary: {
    en: "{cases} {cases|case|cases} · {readers} {readers|reader|readers}",
    ko: "증례 {cases}건 · 판독자 {readers}명",
  },
  mine: { en: "My readings: {done} of {total}", ko: "내 판독: {total}건 중 {done}건" },
  all: { en: "All readings: {done} of {total}", ko: "전체 판독: {total}건 중 {done}건" },
  opensAt: {
    en: "Washout period: the next reading opens on {date}",
    ko: "휴지 기간: 다음 판독 {date}부터",
  },
  read: { en: "Read", ko: "판독하기" },
  finished: { en: "All readings finished", ko: "판독 완료" },
  results: { en: "Results", ko: "결과" },
  back: { en: "All reading studies", ko: "판독 연구 목록" },

  create: { en: "New reading study", ko: "새 판독 연구" },
  name: { en: "Title", ko: "제목" },
  question: { en: "Question", ko: "질문" },
  questionHint: {
    en: "For example: Is the hippocampus atrophic?",
    ko: "예: 해마 위축이 있나요?",
  },
  scale: { en: "Rating scale", ko: "평가 척도" },
  five: { en: "1 to 5", ko: "1~5" },
  hundred: { en: "0 to 100", ko: "0~100" },
  noRating: { en: "None", ko: "없음" },
  asksDecision: { en: "Ask for a yes or no answer", ko: "예/아니요로 답하기" },
  asksRegion: { en: "Let readers select a region", ko: "뇌 영역 선택 허용" },
  arms: { en: "Reading conditions", ko: "판독 조건" },
  bothArms: { en: "With and without results", ko: "결과를 볼 때와 보지 않을 때" },
  onlyWith: { en: "Only with results", ko: "Sulcus 결과를 보는 판독만" },
  onlyWithout: { en: "Only without results", ko: "Sulcus 결과를 보지 않는 판독만" },
  washout: { en: "Washout period (days)", ko: "휴지 기간(일)" },
  positive: { en: "Positive cases (study numbers)", ko: "양성 증례의 검사 번호" },
  negative: { en: "Negative cases (study numbers)", ko: "음성 증례의 검사 번호" },
  unknown: {
    en: "Cases without a reference standard (study numbers)",
    ko: "참조 표준이 없는 증례의 검사 번호",
  },
  casesHint: {
    en:
      "Enter 2 to {max} cases. Check beforehand that no image shows a name or date. Choose cases that the readers have not reported, because they might remember the images or find the patient in the worklist. The design cannot be changed later, but the reading study can be deleted until the first reading.",
    ko:
      "증례 2~{max}건. 영상 안에 이름이나 날짜가 표시되어 있지 않은지 먼저 확인하고, 판독자가 판독한 적이 없는 증례를 고르세요. 워크리스트에서는 영상만으로도 환자를 찾을 수 있습니다. 설계는 바꿀 수 없으며, 첫 판독 전에는 삭제할 수 있습니다.",
  },
  repeated: {
    en: "Study {pid} is entered more than once.",
    ko: "검사 {pid}번이 두 번 이상 입력되었습니다.",
  },
  readers: { en: "Readers", ko: "판독자" },
  noReaders: {
    en: "No other accounts have permission to view studies.",
    ko: "검사를 볼 수 있는 다른 계정이 없습니다.",
  },
  begin: { en: "Set up study", ko: "연구 만들기" },

  design: { en: "Design", ko: "설계" },
  designLine: {
    en:
      "{arms}; washout period of {days} {days|day|days}; random seed {seed}; set up on {date} by {user}",
    ko: "{arms}, 휴지 기간 {days}일, 시드 {seed}, {date} {user} 생성",
  },
  cases: { en: "Cases", ko: "증례 목록" },
  caseNumber: { en: "Case", ko: "증례" },
  studyNumber: { en: "Study No.", ko: "검사 번호" },
  reference: { en: "Reference standard", ko: "참조 표준" },
  referencePositive: { en: "positive", ko: "양성" },
  referenceNegative: { en: "negative", ko: "음성" },
  referenceUnknown: { en: "unknown", ko: "알 수 없음" },
  missing: { en: "deleted", ko: "삭제됨" },
  changed: { en: "results changed", ko: "결과 변경됨" },
  changedCases: {
    en:
      "{n} {n|case|cases} did not show the same images and results at every reading. The export marks these readings (results_changed), and results are also shown without them.",
    ko:
      "증례 {n}건은 판독마다 표시된 영상이나 결과가 같지 않았습니다. 내보낸 파일의 results_changed 열에 표시되며, 이를 제외한 결과도 함께 보여 줍니다.",
  },
  knownCases: {
    en: "{n} {n|case|cases} seen elsewhere",
    ko: "연구 밖에서 본 증례 {n}건",
  },
  knownHint: {
    en:
      "Before answering, a reader had already seen these cases or their results, for example in the worklist, a report, the patient’s history or another reading study. The export marks them (known_case), and results are also shown without them.",
    ko:
      "판독자가 답하기 전에 워크리스트, 리포트, 환자의 이전 검사 목록 또는 다른 판독 연구 등에서 증례나 결과를 이미 본 경우입니다. 내보낸 파일의 known_case 열에 표시되며, 이를 제외한 결과도 함께 보여 줍니다.",
  },
  unaffected: {
    en:
      "Without {n} {n|reading|readings} of cases that were seen elsewhere or whose results changed",
    ko: "연구 밖에서 보았거나 결과가 바뀐 증례의 판독 {n}건을 제외한 결과",
  },
  undetermined: { en: "not determined", ko: "산출 불가" },
  progress: { en: "Progress", ko: "진행 상황" },
  reader: { en: "Reader {n}", ko: "판독자 {n}" },
  interim: {
    en: "Interim results: {done} of {total} readings.",
    ko: "중간 결과: 전체 판독 {total}건 중 {done}건 완료.",
  },
  exportCsv: { en: "Export CSV", ko: "CSV 내보내기" },
  exportJson: { en: "Export JSON", ko: "JSON 내보내기" },
  remove: { en: "Delete", ko: "삭제" },

  figure: { en: "Measure", ko: "지표" },
  estimate: { en: "Estimate", ko: "추정값" },
  interval: { en: "95\u00a0% interval", ko: "95\u00a0% 신뢰구간" },
  p: { en: "P", ko: "P" },
  range: { en: "{low} to {high}", ko: "{low}~{high}" },
  with: { en: "with results", ko: "결과 있음" },
  without: { en: "without results", ko: "결과 없음" },
  auc: { en: "Area under the ROC curve", ko: "ROC 곡선 아래 면적(AUC)" },
  meanAuc: { en: "Mean area under the curve of these readers", ko: "판독자 평균 AUC" },
  kappaDecision: { en: "Kappa (yes or no answers)", ko: "카파(예/아니요)" },
  kappaRating: { en: "Weighted kappa (ratings)", ko: "가중 카파(평가 척도)" },
  pair: { en: "Readers {a} and {b}", ko: "판독자 {a}, {b}" },
  icc: { en: "Intraclass correlation ICC(2,1)", ko: "급내상관계수 ICC(2,1)" },
  differences: { en: "Difference (with − without results)", ko: "차이(결과 있음 − 없음)" },
  accuracy: {
    en: "Correct answers in {n} cases (correct only with results: {a}, only without: {b})",
    ko: "정확도({n}건 중 결과 있음에서만 맞음 {a}건, 없음에서만 맞음 {b}건)",
  },
  time: { en: "Reading time ratio (with / without results)", ko: "판독 시간 비(결과 있음 / 없음)" },
  meanTime: { en: "Mean reading time ratio", ko: "평균 판독 시간 비" },
  noFigures: {
    en: "There are not enough answers for this table yet.",
    ko: "아직 표를 계산할 만큼 답이 모이지 않았습니다.",
  },
  methods: {
    en:
      "The areas under the curve are calculated by the DeLong method, with intervals on the logit scale. Intervals of kappa are on Fisher’s z scale, and that of the ICC is a generalized confidence interval. Correct answers are compared by McNemar’s mid-P test, with Tango’s interval. In 2,000 simulated studies of 60 cases and 4 readers, the 95\u00a0% intervals contained the actual value in 94.4 to 96.0\u00a0% of the studies; the interval of the ICC was the most conservative. Means apply only to these readers. Not determined: kappa if a reader used a single category; intervals of kappa with fewer than 8 cases (yes or no) or 50 cases (1 to 5), of equal reading times, and of an ICC in full agreement.",
    ko:
      "AUC는 DeLong 방법과 로짓 척도의 구간, 카파는 피셔 z 척도, ICC는 일반화 신뢰구간, 정확도는 McNemar mid-P 검정과 Tango 구간으로 계산했습니다. 증례 60건, 판독자 4명의 모의 연구 2,000건에서 신뢰구간의 포함 확률은 94.4~96.0\u00a0%였고, ICC의 구간이 가장 보수적이었습니다. 평균은 이 판독자들에게만 적용됩니다. 한 판독자가 한 범주만 사용하면 카파를 산출하지 않습니다. 증례가 8건(예/아니요) 또는 50건(1~5) 미만인 카파, 판독 시간이 모두 같은 경우, 완전히 일치하는 ICC는 신뢰구간을 산출하지 않습니다.",
  },

  place: { en: "Reading {n} of {total}", ko: "판독 {total}건 중 {n}번째" },
  armWith: { en: "Images with results", ko: "영상과 결과" },
  armWithout: { en: "Images only", ko: "영상만" },
  pause: { en: "Take a break", ko: "쉬기" },
  rating: { en: "Rating", ko: "평가" },
  ratingFive: {
    en: "1 = definitely no, 5 = definitely yes",
    ko: "1 확실히 아님, 5 확실함",
  },
  ratingHundred: {
    en: "0 = definitely no, 100 = definitely yes",
    ko: "0 확실히 아님, 100 확실함",
  },
  decision: { en: "Answer", ko: "답" },
  yes: { en: "Yes", ko: "예" },
  no: { en: "No", ko: "아니요" },
  region: { en: "Region (optional)", ko: "영역(선택)" },
  noRegion: { en: "None", ko: "없음" },
  submit: { en: "Submit answer", ko: "답 제출" },
  answer: { en: "Answer form", ko: "답안" },
  needsImages: {
    en: "You can answer once the images are shown.",
    ko: "영상이 표시되면 답할 수 있습니다.",
  },
  series: { en: "Image series", ko: "영상 시리즈" },
  t1w: { en: "T1w", ko: "T1w" },
  flair: { en: "FLAIR", ko: "FLAIR" },
  done: {
    en: "You have finished all your readings in this reading study. Thank you.",
    ko: "이 연구의 판독을 모두 마쳤습니다. 감사합니다.",
  },
  waits: {
    en: "The washout period has not ended. Your next reading opens on {date}.",
    ko: "아직 휴지 기간입니다. 다음 판독은 {date}에 열립니다.",
  },
  cannotOpen: { en: "The reading could not be opened.", ko: "판독을 열지 못했습니다." },
} as const satisfies Catalogue;
