import type { Catalogue } from "@/model/text.ts";

/** Texts of the page of acceptance tests, and of the printed record that is signed. */
export const acceptanceText = {
  title: { en: "Scanner acceptance", ko: "장비 인수 시험" },
  intro: {
    en:
      "The first results of each scanner and protocol are compared with the published accuracy. Two administrators then decide whether the scanner may be used for percentiles, for volumes only or not at all, and sign the decision.",
    ko:
      "장비와 프로토콜별로 처음 얻은 결과가 공개된 정확도에 부합하는지 확인합니다. 이어서 관리자 두 명이 장비의 사용 범위를 정하고 서명합니다.",
  },
  failedToLoad: {
    en: "The acceptance tests could not be loaded.",
    ko: "인수 시험을 불러오지 못했습니다.",
  },
  noScanners: {
    en: "There are no results from an identified scanner yet.",
    ko: "촬영 장비를 알 수 있는 결과가 없습니다.",
  },
  scanner: { en: "Scanner", ko: "장비" },
  protocol: { en: "Protocol", ko: "프로토콜" },
  noProtocol: { en: "not stated in the image header", ko: "헤더에 없음" },
  results: { en: "Results", ko: "결과" },
  use: { en: "Accepted for", ko: "사용 범위" },
  notAccepted: { en: "not accepted yet", ko: "미승인" },
  begin: { en: "Start test", ko: "시험 시작" },
  beginOf: { en: "Start test for {scanner}", ko: "{scanner} 시험 시작" },
  chosen: { en: "Study numbers to test (optional)", ko: "사용할 검사 번호(선택 사항)" },
  marks: {
    en:
      "Until a scanner is accepted for percentiles, its percentiles are marked “provisional”, and no percentile maps are made. If percentiles are refused, they are withheld.",
    ko:
      "백분위 사용이 승인되기 전까지 그 장비의 백분위에는 ‘잠정값’ 표시가 붙고, 백분위 지도는 만들지 않습니다. 사용이 거부되면 백분위를 제시하지 않습니다.",
  },
  chosenHint: {
    en:
      "If you leave this empty, the first 200 results are tested. To be accepted for percentiles or volumes, a scanner needs at least {n} results.",
    ko:
      "비워 두면 처음 결과 200건을 사용합니다. 백분위나 부피 사용을 승인하려면 {n}건 이상 필요합니다.",
  },
  tests: { en: "Tests", ko: "시험 목록" },
  noTests: { en: "No tests yet.", ko: "아직 시험이 없습니다." },
  open: { en: "Open test {id}", ko: "{id}번 시험 열기" },
  back: { en: "All tests", ko: "시험 목록으로" },
  print: { en: "Print", ko: "인쇄" },

  checking: { en: "waiting for image check and signature", ko: "영상 확인과 서명 대기" },
  signed: { en: "waiting for the second signature", ko: "두 번째 서명 대기" },
  accepted: { en: "in force", ko: "적용 중" },
  superseded: { en: "replaced by a newer test", ko: "더 최근 시험으로 대체됨" },
  replacedBy: { en: "replaced by test {id}", ko: "{id}번 시험으로 대체됨" },
  revoked: { en: "revoked", ko: "철회됨" },

  sheet: { en: "Acceptance test {id}", ko: "인수 시험 {id}" },
  hospital: { en: "Hospital", ko: "기관" },
  started: { en: "Test started", ko: "시험 시작일" },
  byOn: { en: "{user}, {date}", ko: "{user}, {date}" },
  engine: { en: "Engine", ko: "엔진" },
  tested: { en: "Studies tested", ko: "시험 대상" },
  testedOn: {
    en:
      "{n} {n|study|studies} from {from} to {to} ({compared} with percentiles). Segmentation quality A: {a}, B: {b}, C: {c}. Failed analyses: {failed}",
    ko:
      "검사 {n}건(백분위 있음 {compared}건), {from}~{to}. 분할 품질 A {a}건, B {b}건, C {c}건, 분석 실패 {failed}건",
  },
  doubted: {
    en: "Regions without a percentile because of uncertain boundaries: {n} per study",
    ko: "경계가 불확실하여 백분위를 제시하지 않은 영역: 검사당 {n}개",
  },
  criteria: { en: "Comparison with the published accuracy", ko: "공개된 정확도와의 비교" },
  criterion: { en: "Criterion", ko: "기준" },
  measured: { en: "Measured", ko: "측정값" },
  limit: { en: "Threshold", ko: "기준값" },
  outcome: { en: "Result", ko: "결과" },
  passed: { en: "met", ko: "충족" },
  failed: { en: "not met", ko: "미충족" },
  untested: { en: "not tested", ko: "시험하지 않음" },
  atLeast: { en: "at least {value}", ko: "{value} 이상" },
  atMost: { en: "at most {value}", ko: "{value} 이하" },
  overInImages: { en: "more than {value} in the images", ko: "영상에서 {value} 초과" },
  between: { en: "{low} to {high}", ko: "{low}~{high}" },
  percent: { en: "{n}\u00a0%", ko: "{n}\u00a0%" },
  mm: { en: "{n}\u00a0mm", ko: "{n}\u00a0mm" },
  studies: { en: "Number of studies", ko: "검사 수" },
  voxels: { en: "Longest voxel edge", ko: "복셀의 가장 긴 변" },
  grades: {
    en: "Results with segmentation quality C or without a rating",
    ko: "분할 품질이 C이거나 평가되지 않은 결과",
  },
  failures: { en: "Failed analyses", ko: "실패한 분석" },
  volumes: {
    en: "Structures outside the expected range (see the table)",
    ko: "예상 범위를 벗어난 구조(아래 표)",
  },
  spread: {
    en: "Spread between patients, compared with the expected spread",
    ko: "예상값 대비 환자 간 산포",
  },
  intervals: {
    en: "Repeat studies within 180 days whose results agree within the 80\u00a0% interval",
    ko: "180일 이내의 반복 검사가 80\u00a0% 구간 안에서 일치한 비율",
  },
  pictures: {
    en: "Images rated correct (at most one may be incorrect)",
    ko: "‘맞음’으로 판정된 영상(‘틀림’은 1건 이하)",
  },
  structures: {
    en: "z scores of the structures relative to the norms in use",
    ko: "구조별 z 점수(적용 중인 규준 기준)",
  },
  structure: { en: "Measured structure", ko: "측정 구조" },
  median: { en: "Median", ko: "중앙값" },
  expected: { en: "Expected range", ko: "예상 범위" },
  spreads: { en: "Spread (expected spread)", ko: "산포(예상)" },
  noSpread: {
    en: "–: more than one study is needed to calculate the spread between patients.",
    ko: "–: 검사가 한 건뿐이어서 환자 간 산포를 구할 수 없습니다.",
  },
  within: { en: "within the range", ko: "범위 안" },
  outside: { en: "outside the range", ko: "범위 밖" },
  structuresHint: {
    en:
      "The range takes into account differences between scanners, the number of studies, and disease in up to 30\u00a0% of the patients.",
    ko:
      "예상 범위는 장비 간 차이와 검사 수, 그리고 환자의 30\u00a0%까지는 질환이 있을 수 있다는 점을 고려한 값입니다.",
  },
  check: { en: "Images selected at random (seed {seed})", ko: "무작위로 추출한 영상(시드 {seed})" },
  checkHint: {
    en:
      "Is the segmentation correct? If you cannot tell from the image, open the study in the viewer.",
    ko: "분할이 올바른가요? 영상만으로 판단하기 어려우면 뷰어에서 검사를 여세요.",
  },
  picture: { en: "Study {pid} with its segmentation", ko: "분할을 표시한 {pid}번 검사" },
  gone: { en: "deleted", ko: "삭제됨" },
  study: { en: "Study {pid}", ko: "{pid}번 검사" },
  view: { en: "Open in viewer", ko: "뷰어에서 열기" },
  answers: { en: "Segmentation of study {pid}", ko: "{pid}번 검사의 분할" },
  right: { en: "Correct", ko: "맞음" },
  wrong: { en: "Incorrect", ko: "틀림" },
  unclear: { en: "Cannot tell", ko: "판단 불가" },
  inViewer: {
    en: "Acceptance test {id}, image {n} of {all}: is the segmentation correct?",
    ko: "인수 시험 {id}, 영상 {n}/{all}: 분할이 올바른가요?",
  },
  checkedCount: { en: "Checked: {n} of {all}", ko: "확인: {all}건 중 {n}건" },
  answersClosed: {
    en: "The test has been signed or revoked; answers can no longer be changed.",
    ko: "서명되었거나 철회된 시험이므로 답을 바꿀 수 없습니다.",
  },
  otherStudy: {
    en: "The web address of this page refers to an acceptance test image from a different study.",
    ko: "주소에 적힌 인수 시험의 영상이 아닌 검사입니다.",
  },
  nextPicture: { en: "Next image to check", ko: "다음 영상 확인" },
  checkedBy: { en: "Checked by {users}", ko: "확인자: {users}" },
  unanswered: { en: "not checked", ko: "확인하지 않음" },

  decision: { en: "Decision", ko: "판정" },
  percentiles: { en: "volumes and percentiles", ko: "부피와 백분위" },
  onlyVolumes: { en: "volumes only", ko: "부피만" },
  none: { en: "no measurements", ko: "사용하지 않음" },
  inUse: { en: "Accepted for: {use}.", ko: "사용 범위: {use}." },
  notInUse: { en: "Not accepted for: {use}.", ko: "사용하지 않는 범위: {use}." },
  onlyPercentiles: { en: "percentile values", ko: "백분위 값" },
  norms: { en: "Norms", ko: "규준" },
  localNorms: { en: "norm set {id}", ko: "{id}번 규준" },
  otherNorms: {
    en:
      "Other norms have come into force since this test. Percentiles by these norms are provisional: repeat the test.",
    ko:
      "시험 이후 다른 규준이 적용되었습니다. 새 규준에 따른 백분위는 잠정값이므로 시험을 다시 하세요.",
  },
  undecided: { en: "No decision has been made yet.", ko: "아직 판정하지 않았습니다." },
  why: {
    en: "Reasons for not accepting percentiles: {reasons}.",
    ko: "백분위 사용을 승인하지 않은 사유: {reasons}.",
  },
  whyVolumes: {
    en: "Reasons for not accepting volumes: {reasons}.",
    ko: "부피 사용을 승인하지 않은 사유: {reasons}.",
  },
  picturesForVolumes: {
    en: "Images rated correct (for volumes at least half; at most three may be incorrect)",
    ko: "‘맞음’으로 판정된 영상(부피는 절반 이상, ‘틀림’은 3건 이하)",
  },
  selection: { en: "Selection", ko: "선정 방법" },
  chosenByHand: {
    en: "chosen by hand: {n} of {all} {all|result|results}",
    ko: "직접 선택: 결과 {all}건 중 {n}건",
  },
  earlierTests: {
    en: "Earlier tests of this scanner and protocol",
    ko: "같은 장비와 프로토콜의 이전 시험",
  },
  noEarlierTests: { en: "None.", ko: "없음" },
  earlierCount: { en: "{n} earlier {n|test|tests}:", ko: "이전 시험 {n}건:" },
  withheld: {
    en:
      "Percentiles of studies from {since} on have been withheld since {date}: the control charts show a change.",
    ko:
      "관리도에서 변화가 감지되어 {date}부터 {since} 이후 검사의 백분위를 제시하지 않고 있습니다.",
  },
  withheldAll: {
    en:
      "Percentiles of all studies have been withheld since {date}: the control charts show a change.",
    ko: "관리도에서 변화가 감지되어 {date}부터 모든 검사의 백분위를 제시하지 않고 있습니다.",
  },
  withheldNow: {
    en: "Percentiles are withheld at present: the control charts show a change.",
    ko: "관리도에서 변화가 감지되어 현재 백분위를 제시하지 않습니다.",
  },
  chartsOn: { en: "{name} (as of {date})", ko: "{name}({date} 기준)" },
  chartState: { en: "State of the control charts", ko: "관리도 상태" },
  noCharts: { en: "Not monitored yet: no charts.", ko: "아직 감시하지 않음: 관리도 없음" },
  chartsLearning: {
    en: "not monitored yet: {n} of {needed} studies for the baseline.",
    ko: "아직 감시하지 않음: 기준선에 필요한 검사 {needed}건 중 {n}건",
  },
  chartsSteady: { en: "No change detected.", ko: "변화가 감지되지 않음." },
  chartsMoved: { en: "Change detected: {list}.", ko: "변화 감지: {list}." },
  restartCount: { en: "Restarts of the charts: {n}", ko: "관리도 초기화: {n}회" },
  restartedBy: {
    en: "restarted by {user} on {date} after {n} {n|study|studies}: {reason}.",
    ko: "{date} {user} 님이 검사 {n}건 뒤 초기화: {reason}.",
  },
  restartedByTwo: {
    en: "restarted by {user} and {second} on {date} after {n} {n|study|studies}: {reason}.",
    ko: "{date} {user} 님과 {second} 님이 검사 {n}건 뒤 초기화: {reason}.",
  },
  limits: { en: "Limits", ko: "한계" },
  limitsText: {
    en:
      "The test detects gross errors of this scanner and protocol. It does not prove accuracy in individual patients, and it is valid only for this protocol and engine version.",
    ko:
      "이 시험은 해당 장비와 프로토콜의 큰 오류를 찾기 위한 것입니다. 개별 환자에서의 정확도를 입증하지 않으며, 결과는 이 프로토콜과 엔진 버전에만 유효합니다.",
  },
  remark: { en: "Remarks", ko: "비고" },
  remarkNeeded: {
    en: "An image was rated incorrect: enter why the scanner can be used anyway.",
    ko: "‘틀림’으로 판정된 영상이 있으면 그래도 사용할 수 있는 이유를 적어야 합니다.",
  },
  checkFirst: {
    en: "The test can be signed once every image has been checked.",
    ko: "모든 영상을 판정해야 서명할 수 있습니다.",
  },
  sign: { en: "Sign", ko: "서명" },
  countersign: { en: "Add second signature", ko: "두 번째로 서명" },
  ownSignature: {
    en: "Waiting for the signature of another administrator.",
    ko: "다른 관리자의 서명을 기다리고 있습니다.",
  },
  undo: { en: "Revoke test", ko: "시험 철회" },
  firstSignature: { en: "First signature", ko: "첫 번째 서명" },
  secondSignature: { en: "Second signature", ko: "두 번째 서명" },
  undoneBy: { en: "Revoked by {user}, {date}", ko: "{user} 님이 {date}에 철회했습니다" },
} as const satisfies Catalogue;
