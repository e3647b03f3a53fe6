import type { Catalogue } from "@/model/text.ts";

/** The viewer's side panel: the list of regions, of thickness and of lesions. */
export const viewerRegionsText = {
  volumes: { en: "Region volumes", ko: "영역 용적" },
  thickness: { en: "Cortical thickness by region", ko: "영역별 피질 두께" },
  search: { en: "Search regions", ko: "영역 검색" },
  sort: { en: "Order", ko: "정렬" },
  byLobe: { en: "By lobe", ko: "엽별" },
  byValue: { en: "Largest first", ko: "큰 순서" },
  byThinnest: { en: "Thinnest first", ko: "얇은 순서" },
  byPercentile: { en: "Most abnormal percentile first", ko: "백분위 이상 순서" },
  byAsymmetry: { en: "Most asymmetric first", ko: "비대칭 큰 순서" },
  basis: { en: "Percentile by", ko: "백분위 기준" },
  basisRegion: { en: "Age, sex", ko: "나이·성별" },
  basisIcv: { en: "Age, sex, ICV", ko: "나이·성별·ICV" },
  lowOnly: { en: "List only percentile ≤ {n}", ko: "백분위 {n} 이하만 보기" },
  lowOnlyHint: {
    en:
      "Lists regions at or below this percentile on either side; for ventricles and CSF, at or above {high}. The number is the threshold of the mask.",
    ko:
      "한쪽이라도 이 백분위 이하인 영역만 목록에 남깁니다. 뇌실과 뇌척수액은 {high} 이상입니다. 값은 마스크의 임계값입니다.",
  },
  showAll: { en: "Show all", ko: "모두 표시" },
  hideAll: { en: "Hide all", ko: "모두 숨김" },
  tree: {
    en:
      "Regions. Arrow keys move, right and left choose the side, Enter goes there, Space shows or hides, Shift Enter shows it alone, letters find a name.",
    ko:
      "영역 목록. 위아래 화살표로 이동, 좌우 화살표로 좌측·우측 선택, Enter로 해당 위치로 이동, 스페이스로 표시/숨기기, Shift+Enter로 단독 표시, 글자로 이름 찾기.",
  },
  noMatch: { en: "No region matches.", ko: "일치하는 영역이 없습니다." },
  noThickness: { en: "The analysis gave no cortical thickness.", ko: "분석 결과에 피질 두께가 없습니다." },
  noPercentiles: { en: "No percentiles: {reason}.", ko: "백분위 없음: {reason}." },
  reasonQuality: {
    en: "the segmentation is not reliable (quality C)",
    ko: "분할을 신뢰할 수 없음(품질 C)",
  },
  reasonAge: { en: "the norms are for ages 18 to 100", ko: "규준은 18~100세만 해당" },
  reasonAgeUnknown: { en: "the age is not known", ko: "나이를 알 수 없음" },
  reasonSexUnknown: { en: "the sex is not known", ko: "성별을 알 수 없음" },
  solo: { en: "Solo", ko: "단독" },
  soloHint: { en: "Show {region} alone, or all again", ko: "{region}만 표시, 다시 누르면 모두 표시" },
  toggleHint: { en: "Show or hide {region}", ko: "{region} 표시/숨기기" },
  leftShort: { en: "L", ko: "좌" },
  rightShort: { en: "R", ko: "우" },
  bothShort: { en: "Σ", ko: "합" },
  meanShort: { en: "Mean", ko: "평균" },
  left: { en: "left {value}", ko: "좌측 {value}" },
  right: { en: "right {value}", ko: "우측 {value}" },
  asymmetryShort: { en: "AI {value}", ko: "AI {value}" },
  asymmetryHint: {
    en: "Asymmetry index: (left − right) / mean of both, in percent. Positive: left is larger.",
    ko: "비대칭 지수: (좌측 − 우측) / 양측 평균, %. 양수이면 좌측이 큼.",
  },
  unitMl: { en: "mL", ko: "mL" },
  unitMm: { en: "mm", ko: "mm" },
  valueMl: { en: "{value} mL", ko: "{value} mL" },
  valueMm: { en: "{value} mm", ko: "{value} mm" },
  bandLow: { en: "at or below the 5th percentile", ko: "백분위 5 이하" },
  bandWatch: { en: "at or below the 20th percentile", ko: "백분위 20 이하" },
  bandLowFluid: {
    en: "at or above the 95th percentile: enlarged",
    ko: "백분위 95 이상: 확장",
  },
  bandWatchFluid: { en: "at or above the 80th percentile", ko: "백분위 80 이상" },
  legend: { en: "▼ ≤ 5  ▽ ≤ 20 · fluid ▲ ≥ 95  △ ≥ 80", ko: "▼ ≤ 5  ▽ ≤ 20 · 체액 ▲ ≥ 95  △ ≥ 80" },
  legendTissue: { en: "▼ ≤ 5  ▽ ≤ 20 percentile", ko: "▼ 백분위 ≤ 5  ▽ ≤ 20" },
  inversion: {
    en:
      "Ventricles, CSF and white matter hypointensities (labels 15–18 and 25–28) grow where tissue is lost. Thresholds and marks therefore read 100 minus their percentile: large is abnormal.",
    ko:
      "뇌실, 뇌척수액, 백질 저신호(라벨 15–18, 25–28)는 조직이 줄면 커집니다. 그래서 임계값과 표시는 100에서 백분위를 뺀 값을 사용합니다. 클수록 비정상입니다.",
  },
  otherSide: { en: "Other side (H)", ko: "반대쪽 (H)" },
  otherSideHint: {
    en: "Go to the same region of the other hemisphere",
    ko: "반대쪽 반구의 같은 영역으로 이동",
  },
  noneSelected: {
    en: "Click a region here or in an image.",
    ko: "목록이나 영상에서 영역을 클릭하세요.",
  },
  wmh: { en: "White matter hyperintensities", ko: "백질 고신호" },
  wmhTotal: { en: "WMH", ko: "WMH" },
  wmhDeep: { en: "Deep", ko: "심부" },
  wmhPeri: { en: "Periventricular", ko: "뇌실주위" },
  wmhRatio: { en: "WMH / white matter", ko: "WMH / 백질" },
  wmhCount: { en: "Lesions counted by the analysis", ko: "분석에서 센 병변 수" },
  wmhLow: {
    en: "Low confidence: check every lesion on the FLAIR images before using the volumes.",
    ko: "신뢰도 낮음: 용적을 쓰기 전에 FLAIR 영상에서 병변을 확인하세요.",
  },
  wmhMinimal: {
    en: "Minimal: below 3 mL, false positives may weigh as much as lesions.",
    ko: "미미함: 3 mL 미만이면 위양성의 비중이 병변만큼 클 수 있습니다.",
  },
  lesions: { en: "Lesions by size", ko: "크기순 병변" },
  lesionsHint: {
    en:
      "Lesions of the shown volume; voxels that touch by a face, an edge or a corner are one lesion. The analysis counts and measures on the series' own grid: its number can differ, and its volume is divided among the lesions as shown.",
    ko:
      "표시된 볼륨의 병변입니다. 면, 모서리, 꼭짓점으로 닿은 복셀은 하나의 병변입니다. 분석은 원래 시리즈의 격자에서 세고 측정하므로 개수가 다를 수 있으며, 측정된 부피를 표시된 병변의 크기에 따라 나눕니다.",
  },
  lesionsCounted: {
    en: "The analysis counts on the series' own grid; on this one, lesions that touch are one.",
    ko: "분석은 원래 시리즈의 격자에서 셉니다. 이 격자에서는 맞닿은 병변을 하나로 셉니다.",
  },
  lesionBoth: { en: "Deep + PV", ko: "심부 + 뇌실주위" },
  lesionsSearching: { en: "Finding the lesions…", ko: "병변을 찾는 중…" },
  lesionsNone: { en: "No lesion in this study.", ko: "이 검사에는 병변이 없습니다." },
  lesionsList: {
    en: "Lesions, largest first. Arrow keys go from one to the next.",
    ko: "병변 목록, 큰 순서. 화살표 키로 이동.",
  },
  lesionKinds: {
    en: "{deep} mL deep, {peri} mL periventricular",
    ko: "심부 {deep} mL, 뇌실주위 {peri} mL",
  },
  lesionPlace: { en: "{n} of {total}", ko: "{n}/{total}" },
  lesionNext: { en: "Next lesion (N)", ko: "다음 병변 (N)" },
  lesionPrevious: { en: "Previous lesion (P)", ko: "이전 병변 (P)" },
} as const satisfies Catalogue;
