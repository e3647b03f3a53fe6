import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page Longitudinal, which compares the studies of a patient. */
export const longitudinalPageText = {
  visits: { en: "Jointly processed studies", ko: "함께 분석한 검사" },
  visitsTogether: {
    en:
      "All studies were processed jointly so that they can be compared. The volumes differ slightly from those on the other pages, which were measured from this study alone.",
    ko:
      "서로 비교할 수 있도록 모든 검사를 함께 분석한 값이므로, 이 검사만 따로 분석한 다른 페이지의 부피와 조금 다릅니다.",
  },
  visitDate: { en: "Study date", ko: "검사일" },
  visitBrain: { en: "Brain", ko: "뇌" },
  visitCortex: { en: "Cortex", ko: "대뇌 피질" },
  visitWhiteMatter: { en: "White matter incl. WMH", ko: "백질(고신호 포함)" },
  /** names WMH (white matter hyperintensities), which the white matter of the Main Page excludes */
  changeWhiteMatter: {
    en: "Cerebral white matter including WMH",
    ko: "백질 고신호를 포함한 대뇌 백질",
  },
  visitHippocampus: { en: "Hippocampus", ko: "해마" },
  visitVentricles: { en: "Lat. ventricles", ko: "측뇌실" },
  visitThickness: { en: "Thickness, mm", ko: "두께, mm" },
  /** used for T1w and FLAIR; `{reference}` is replaced by `firstStudy` or `thisStudy` */
  otherAcquisition: {
    en:
      "* {dates}: the scanner or protocol differs from that of {reference} ({fields}). The volumes cannot be compared, because differences may be due to the acquisition.",
    ko:
      "* {dates}: 장비 또는 촬영 조건이 {reference}의 경우와 다릅니다({fields}). 부피를 서로 비교할 수 없으며, 수치의 차이가 장비나 조건 때문일 수 있습니다.",
  },
  unknownAcquisition: {
    en:
      "† {dates}: no acquisition data could be read, so the scanner or protocol may differ from that of {reference}. The changes were calculated assuming the same scanner and protocol.",
    ko:
      "† {dates}: 촬영 정보를 읽지 못하여 장비나 촬영 조건이 {reference}의 경우와 다를 수 있습니다. 변화율은 같은 조건으로 촬영했다고 가정하고 계산했습니다.",
  },
  firstStudy: { en: "the first study", ko: "첫 검사" },
  thisStudy: { en: "this study", ko: "이 검사" },
  change: { en: "Change over {years} years", ko: "{years}년 동안의 변화" },
  changeFirst: { en: "First study", ko: "처음" },
  changeLast: { en: "Last study", ko: "마지막" },
  changeYear: { en: "Annual change, %", ko: "연간 변화율, %" },
  changeNorm: { en: "Norms, annual change, %", ko: "규준의 연간 변화율, %" },
  changeWithin: { en: "within measurement error", ko: "측정 오차 범위 내" },
  changeShort: { en: "interval under 6 months", ko: "6개월 미만" },
  changeOther: { en: "different protocol: not compared", ko: "촬영 조건이 달라 비교하지 않음" },
  changeLimits: {
    en:
      "1\u00a0% for brain, cortex and white matter, 2\u00a0% for hippocampus and thickness, 3\u00a0% for ventricles",
    ko: "뇌, 피질, 백질 1\u00a0%, 해마와 피질 두께 2\u00a0%, 뇌실 3\u00a0%",
  },
  changeLimitsSite: {
    en: "this site's own scan–rescan limits, listed with the percentiles",
    ko: "이 기관의 재촬영(scan–rescan) 자료에서 구한 한계값이며 백분위와 함께 제시",
  },
  changeNote: {
    en:
      "Volumes in mL. Annual change: slope of a line fitted to the studies with the scanner and protocol of the first, given if they span at least 6 months and the total change exceeds measurement error ({limits}). Norms: annual change in the median of the norms at this age, derived from people who were each examined once. Hippocampus: a loss of 10 to 20\u00a0% that leaves a thin layer of CSF all around the hippocampus cannot be seen on T1w images with 1\u00a0mm voxels and may even be measured as an increase.",
    ko:
      "부피의 단위는 mL입니다. 연간 변화율은 첫 검사와 장비·프로토콜이 같은 검사들의 값에 맞춘 직선의 기울기이며, 간격이 6개월 이상이고 변화가 측정 오차(전체 기간 기준: {limits})를 넘을 때만 제시합니다. 규준의 연간 변화율은 이 나이의 규준 중앙값이 1년 동안 변하는 비율로, 한 번씩만 촬영한 사람들의 자료에서 구했습니다. 해마가 10~20\u00a0% 위축되면서 그 둘레 전체에 얇은 뇌척수액 층이 생긴 경우는 복셀 1\u00a0mm의 T1w 영상에서 구별할 수 없으며, 오히려 증가로 측정될 수 있습니다.",
  },
  /** added to `changeNote` when the page has norm curves */
  changeCurves: {
    en: "Curves: 5th to 95th percentile; filled dot: this study; open dots: the other studies.",
    ko: "곡선은 5~95백분위수, 채운 점은 이번 검사, 빈 점은 다른 검사입니다.",
  },
} as const satisfies Catalogue;

/** Names of acquisition attributes that can differ between two studies. */
export const protocolFieldText = {
  scanner: { en: "scanner", ko: "장비" },
  coil: { en: "coil", ko: "코일" },
  field_strength: { en: "field strength", ko: "자기장 세기" },
  repetition_time: { en: "repetition time", ko: "반복 시간" },
  echo_time: { en: "echo time", ko: "에코 시간" },
  inversion_time: { en: "inversion time", ko: "반전 시간" },
  flip_angle: { en: "flip angle", ko: "숙임각" },
  voxel_size: { en: "voxel size", ko: "복셀 크기" },
} as const satisfies Catalogue;
