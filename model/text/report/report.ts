import type { Catalogue } from "@/model/text.ts";

/** Texts of the report viewer and its messages (D2 §8). */
export const reportViewerText = {
  title: { en: "Report", ko: "리포트" },
  noPatient: { en: "No patient information found.", ko: "환자 정보가 없습니다." },
  invalidPid: { en: "Invalid pid information.", ko: "검사 번호(pid)가 올바르지 않습니다." },
  notAnalyzed: {
    en: "There are no data available to generate the report. Please analyze the file first.",
    ko: "리포트를 만들 데이터가 없습니다. 먼저 검사를 분석하세요.",
  },
  noImages: {
    en: "This study has no images, which the report needs.",
    ko: "리포트에 필요한 영상이 없는 검사입니다.",
  },
  beingAnalyzed: {
    en: "The study is being analyzed. The report will be available when the analysis is complete.",
    ko: "검사를 분석하는 중입니다. 분석이 끝나면 리포트를 볼 수 있습니다.",
  },
  deleted: { en: "This study has been deleted.", ko: "삭제된 검사입니다." },
  loading: { en: "Preparing the report", ko: "리포트를 준비하고 있습니다" },
  failed: { en: "The report could not be created.", ko: "리포트를 만들지 못했습니다." },
  retry: { en: "Try again", ko: "다시 시도" },
  print: { en: "Print", ko: "인쇄" },
  download: { en: "Download PDF", ko: "PDF 다운로드" },
  preparingPdf: { en: "Preparing PDF", ko: "PDF 준비 중" },
  worklist: { en: "Worklist", ko: "워크리스트" },
  viewer: { en: "Open viewer", ko: "뷰어 열기" },
  anonymize: { en: "Anonymize", ko: "익명화" },
  language: { en: "Report language", ko: "리포트 언어" },
  pages: { en: "Pages", ko: "페이지" },
  alwaysThere: { en: "always included", ko: "항상 포함" },
  needsFlair: { en: "FLAIR series needed", ko: "FLAIR 시리즈 필요" },
  result: { en: "Comment preview", ko: "소견 미리보기" },
  opinionSuggested: { en: "Automatic", ko: "자동" },
  opinionNone: { en: "No comment", ko: "소견 문구 넣지 않음" },
  noResult: { en: "No comment.", ko: "소견 문구를 넣지 않습니다." },
  mta: { en: "MTA grade, rated on the images", ko: "영상에서 판독한 MTA 등급" },
  mtaRight: { en: "Right", ko: "우측" },
  mtaLeft: { en: "Left", ko: "좌측" },
  mtaNone: { en: "Not entered", ko: "입력하지 않음" },
  pageOf: { en: "Page {page} of {pages}", ko: "{pages}쪽 중 {page}쪽" },
} as const satisfies Catalogue;

/** Texts printed on several pages of a report. */
export const reportText = {
  title: { en: "Brain volume report", ko: "뇌 부피 리포트" },
  demo: { en: "DEMO – for demonstration only", ko: "DEMO – 시연용" },
  notDiagnosis: {
    en: "Not for diagnosis. To be interpreted by a physician together with the images.",
    ko: "진단용이 아닙니다. 의사가 영상과 함께 해석해야 합니다.",
  },

  patientId: { en: "Patient ID", ko: "환자 ID" },
  name: { en: "Name", ko: "이름" },
  sexAge: { en: "Sex / Age", ko: "성별 / 나이" },
  birthDate: { en: "Birth date", ko: "생년월일" },
  studyDate: { en: "Study date", ko: "검사일" },
  analysisDate: { en: "Analysis date", ko: "분석일" },
  series: { en: "Series", ko: "시리즈" },
  acquisition: { en: "Acquisition", ko: "촬영 조건" },
  scanner: { en: "Scanner", ko: "장비" },
  male: { en: "Male", ko: "남" },
  female: { en: "Female", ko: "여" },
  years: { en: "{age} years", ko: "{age}세" },
  seriesDate: { en: "{value} (series date)", ko: "{value}(시리즈 날짜)" },
  acquisitionDate: { en: "{value} (acquisition date)", ko: "{value}(촬영 날짜)" },
  /** added to an implausible age or birth date */
  doubtful: { en: "{value} (to be checked)", ko: "{value}(확인 필요)" },
  slices: { en: "{slices} slices", ko: "{slices}장" },
  contrastAgent: { en: "with contrast agent", ko: "조영증강" },
  unknown: { en: "Unknown", ko: "알 수 없음" },

  axial: { en: "Axial", ko: "축상면" },
  coronal: { en: "Coronal", ko: "관상면" },
  sagittal: { en: "Sagittal", ko: "시상면" },
  pictureAlt: {
    en: "{plane} slice with the brain regions in color; the patient's left is on the right",
    ko: "뇌 영역을 색으로 표시한 {plane} 영상. 환자의 좌측이 영상의 오른쪽",
  },
  sagittalAlt: {
    en: "{plane} slice with the brain regions in color; anterior is on the left",
    ko: "뇌 영역을 색으로 표시한 {plane} 영상. 전방이 영상의 왼쪽",
  },
  pictures: {
    en:
      "T1w with brain regions. Radiological view: the patient's left is on the right of the image.",
    ko:
      "뇌 영역을 표시한 T1 강조 영상. 영상의학 관례에 따라 환자의 좌측이 영상의 오른쪽에 있습니다.",
  },
  outlined: {
    en: "White outline: {place} (main deviation).",
    ko: "흰색 윤곽: {place}(주요 편차).",
  },
  outlinedBoth: { en: "{part} on both sides", ko: "양측 {part}" },
  outlinedL: { en: "left {part}", ko: "좌측 {part}" },
  outlinedR: { en: "right {part}", ko: "우측 {part}" },
  flairPictures: {
    en:
      "FLAIR with white matter hyperintensities. Radiological view: the patient's left is on the right of the image.",
    ko:
      "백질 고신호를 표시한 FLAIR 영상. 영상의학 관례에 따라 환자의 좌측이 영상의 오른쪽에 있습니다.",
  },
  flairStructurePictures: {
    en:
      "FLAIR with deep structures and white matter hyperintensities. Radiological view: the patient's left is on the right of the image.",
    ko:
      "심부 구조와 백질 고신호를 표시한 FLAIR 영상. 영상의학 관례에 따라 환자의 좌측이 영상의 오른쪽에 있습니다.",
  },
  flairPictureAlt: {
    en: "{plane} FLAIR slice with the measured parts in color",
    ko: "측정한 부위를 색으로 표시한 {plane} FLAIR 영상",
  },
  flairOnly: {
    en:
      "Only the FLAIR series has been analyzed. The volume of white matter hyperintensities is of low confidence; " +
      "regional volumes, thickness and percentiles require a T1w series.",
    ko:
      "FLAIR 시리즈만 분석했습니다. 백질 고신호의 부피는 신뢰도가 낮으며, 영역별 부피와 두께, 백분위를 구하려면 T1w 시리즈가 필요합니다.",
  },

  flairOnlyStructures: {
    en:
      "Only the FLAIR series has been analyzed. The volumes of white matter hyperintensities and deep structures are of low confidence; " +
      "cortical volumes, thickness and percentiles require a T1w series.",
    ko:
      "FLAIR 시리즈만 분석했습니다. 백질 고신호와 심부 구조의 부피는 신뢰도가 낮으며, 피질의 부피와 두께, 백분위를 구하려면 T1w 시리즈가 필요합니다.",
  },
  flairStructuresNote: {
    en:
      "Measured without a T1w series, with a network that works on any MR contrast. The interval contains the true total with a probability of about 80\u00a0%. Do not compare these volumes with those measured on a T1w series.",
    ko:
      "영상 대조도와 관계없이 작동하는 신경망으로 T1w 시리즈 없이 측정했습니다. 실제 전체 부피는 약 80\u00a0% 확률로 이 구간에 있습니다. " +
      "T1w 시리즈의 부피와 비교하지 마십시오.",
  },

  measure: { en: "Measure", ko: "측정 항목" },
  value: { en: "Value", ko: "값" },
  volumes: { en: "Volumes (mL)", ko: "부피(mL)" },
  region: { en: "Region", ko: "영역" },
  left: { en: "Left", ko: "좌측" },
  right: { en: "Right", ko: "우측" },
  total: { en: "Total", ko: "전체" },
  percentIcv: { en: "% ICV", ko: "% ICV" },
  percentile: { en: "Percentile", ko: "백분위" },
  band: { en: "Compared with norms", ko: "판정" },
  icv: { en: "Intracranial volume (ICV)", ko: "두개강내 용적(ICV)" },
  brain: { en: "Brain without ventricles", ko: "뇌(뇌실 제외)" },
  cortex: { en: "Cerebral cortex", ko: "대뇌 피질" },
  whiteMatter: { en: "Cerebral white matter", ko: "대뇌 백질" },
  lateralVentricles: { en: "Lateral ventricles", ko: "측뇌실" },
  wmh: { en: "White matter hyperintensities", ko: "백질 고신호" },
  thickness: { en: "Mean cortical thickness, mm", ko: "평균 대뇌 피질 두께, mm" },
  flairNeeded: { en: "FLAIR series needed", ko: "FLAIR 시리즈 필요" },
  t1Needed: { en: "T1w series needed", ko: "T1w 시리즈 필요" },
  notMeasured: { en: "Not measured", ko: "측정하지 않음" },
  voxelsTooLarge: {
    en: "Cortical thickness requires voxels of at most 1.5\u00a0mm",
    ko: "피질 두께를 측정하려면 복셀 크기가 1.5\u00a0mm 이하여야 함",
  },
  wmhLow: { en: "Low confidence", ko: "신뢰도 낮음" },
  wmhMinimal: { en: "Below 3\u00a0mL: unreliable", ko: "3\u00a0mL 미만: 신뢰도 낮음" },
  wmhParts: {
    en:
      "{total}\u00a0mL: periventricular {peri}, deep {deep}; {ratio}\u00a0% of cerebral white matter including WMH",
    ko: "{total}\u00a0mL: 뇌실주위 {peri}, 심부 {deep}; 대뇌 백질(고신호 포함)의 {ratio}\u00a0%",
  },
  noNorm: { en: "No norms", ko: "규준 없음" },
  legend: {
    en:
      "Percentile of the total, adjusted for {adjusted}, with its 80\u00a0% interval, which reflects measurement error. " +
      "Bar: dot = total, line = 80\u00a0% interval, upper tick = left, lower tick = right, shaded = beyond the thresholds. For the " +
      "ventricles, high percentiles are marked. Marks are shown when at least 80\u00a0% certain, “possibly” when at least 50\u00a0%.",
    ko:
      "백분위는 전체 부피를 {adjusted} 보정하여 구하며, 뒤의 범위는 측정 오차에 따른 80\u00a0% 구간입니다. 막대의 점은 전체, 가로선은 80\u00a0% 구간, 위쪽 눈금은 좌측, 아래쪽 눈금은 우측, 음영은 기준값을 벗어난 범위입니다. 뇌실은 백분위가 높을 때 표시합니다. 표시는 80\u00a0% 이상 확실할 때, ‘가능성’은 50\u00a0% 이상 확실할 때 제시합니다.",
  },

  curves: { en: "Compared with healthy people by age", ko: "건강한 사람과의 나이별 비교" },
  hippocampusChart: { en: "Hippocampus, left + right (mL)", ko: "해마 부피, 좌우 합(mL)" },
  ventricleChart: { en: "Lateral ventricles, left + right (mL)", ko: "측뇌실 부피, 좌우 합(mL)" },
  chartSubjectSex: { en: "{sex}, any ICV", ko: "{sex}, ICV 미반영" },
  /** inserted as `{adjusted}` into texts that state the basis of the percentiles */
  adjustedIcv: { en: "age, sex and ICV", ko: "나이, 성별, ICV로" },
  adjustedSex: { en: "age and sex", ko: "나이와 성별로" },
  withoutIcv: {
    en: "Percentiles are adjusted for age and sex only, not for intracranial volume: {reason}",
    ko: "백분위는 두개강내 용적을 반영하지 않고 나이와 성별만 반영했습니다: {reason}",
  },
  withoutIcvExtracted: {
    en: "the skull was removed from the images (brain extraction)",
    ko: "뇌 추출(두개골 제거) 영상",
  },
  withoutIcvBeyond: {
    en:
      "the intracranial volume is more than 3 standard deviations from the mean for the patient's sex",
    ko: "ICV가 같은 성별의 평균과 3 표준편차 넘게 차이 남",
  },
  chartSubject: { en: "{sex}, ICV {icv}\u00a0mL", ko: "{sex}, ICV {icv}\u00a0mL" },
  age: { en: "Age (years)", ko: "나이(세)" },
  chartPatient: { en: "Patient {volume}", ko: "환자 {volume}" },
  noCurveQuality: { en: "Not compared: segmentation quality C", ko: "비교하지 않음: 분할 품질 C" },
  noCurveAge: { en: "No norms at this age", ko: "이 나이에 적용할 규준 없음" },
  noCurveAgeUnknown: { en: "Age unknown", ko: "나이를 알 수 없음" },
  noCurveStopped: { en: "Percentiles withheld", ko: "백분위 제시 보류" },
  noCurveUnread: { en: "Scanner not known yet", ko: "촬영 장비 미확인" },
  noCurveSexUnknown: { en: "Sex unknown", ko: "성별을 알 수 없음" },
  chartAlt: {
    en: "{title}: patient {volume}\u00a0mL at {age} years; median of the norms {middle}\u00a0mL",
    ko: "{title}: 환자는 {age}세에 {volume}\u00a0mL, 규준의 중앙값은 {middle}\u00a0mL",
  },
  chartAltPlain: {
    en: "{title}: patient {volume}\u00a0mL",
    ko: "{title}: 환자는 {volume}\u00a0mL",
  },
  curveNote: {
    en:
      "Lines: 5th (P5), 25th, 50th, 75th and 95th percentile for the patient's sex and ICV, adjusted to the measurements of this method; " +
      "vertical bar: 80\u00a0% interval. Left + right is combined with a correlation of 0.8 between the sides (ventricles: sum of " +
      "two log-normal values).",
    ko:
      "선은 환자의 성별과 ICV에 해당하는 5(P5), 25, 50, 75, 95백분위수를 이 방법의 측정값에 맞추어 나타낸 것이고, 세로선은 80\u00a0% 구간입니다. 좌우 합은 양측의 상관을 0.8로 가정하여 구했습니다(뇌실은 로그정규분포를 따르는 두 값의 합).",
  },

  ageOutsideNorms: {
    en:
      "The norms cover ages {min}–{max} years. This patient is {age} years old, so no percentiles are given.",
    ko: "규준은 {min}~{max}세에만 적용됩니다. 이 환자는 {age}세이므로 백분위를 제시하지 않습니다.",
  },
  ageUnknown: {
    en: "The birth date or the study date is unknown or implausible, so no percentiles are given.",
    ko: "생년월일 또는 검사일을 알 수 없거나 믿을 수 없어 백분위를 제시하지 않습니다.",
  },
  sexUnknown: {
    en: "The patient's sex is unknown, so no percentiles are given.",
    ko: "환자의 성별을 알 수 없어 백분위를 제시하지 않습니다.",
  },
  scannerStopped: {
    en:
      "A lasting change in this scanner's results was detected, so percentiles are withheld until the cause has been identified.",
    ko:
      "이 장비의 결과에 지속적인 변화가 감지되어, 원인이 확인될 때까지 백분위를 제시하지 않습니다.",
  },

  scannerUnread: {
    en:
      "The image header has not been read yet, so the scanner is not known. Percentiles are withheld, as a change was detected in a scanner at this site.",
    ko:
      "영상 헤더를 아직 읽지 못해 촬영 장비를 알 수 없습니다. 이 기관에 결과의 변화가 감지된 장비가 있어 백분위를 제시하지 않습니다.",
  },

  scannerRefused: {
    en: "The acceptance test of this scanner refused percentiles at this site, so none are given.",
    ko: "이 기관의 인수 시험에서 이 장비의 백분위 사용이 거부되어 백분위를 제시하지 않습니다.",
  },

  qualityLow: {
    en: "The segmentation is not reliable (segmentation quality C), so no percentiles are given.",
    ko: "분할을 신뢰할 수 없어(분할 품질 C) 백분위를 제시하지 않습니다.",
  },

  quality: { en: "Segmentation quality", ko: "분할 품질" },
  brainIcv: { en: "Brain / ICV", ko: "뇌 / ICV" },
  warnings: { en: "Analysis warnings", ko: "분석 주의 사항" },
  noWarnings: { en: "None", ko: "없음" },
  opinion: { en: "Comment", ko: "소견" },

  norms: { en: "Norms", ko: "규준" },
  engine: { en: "Sulcus engine {version}", ko: "Sulcus 엔진 {version}" },
  engineWithNetwork: {
    en: "{engine} with deep structures {network}",
    ko: "{engine}(심부 구조 신경망 {network})",
  },
  labelsBy: {
    en: "{engine}, Desikan-Killiany/FreeSurfer labels",
    ko: "{engine}, Desikan-Killiany/FreeSurfer 라벨",
  },
  segmentation: { en: "Segmentation", ko: "분할" },
  generated: { en: "Generated", ko: "작성" },
  page: { en: "Page {page}/{pages}", ko: "{page}/{pages}쪽" },
} as const satisfies Catalogue;
