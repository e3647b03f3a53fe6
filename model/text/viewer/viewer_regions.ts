import type { Catalogue } from "@/model/text.ts";

/** Texts of the viewer's side panel with lists of regions and of cortical thickness. */
export const viewerRegionsText = {
  volumes: { en: "Region volumes", ko: "영역 부피" },
  thickness: { en: "Cortical thickness by region", ko: "영역별 피질 두께" },
  search: { en: "Search regions", ko: "영역 검색" },
  sort: { en: "Order", ko: "정렬" },
  byLobe: { en: "By lobe", ko: "엽별" },
  byValue: { en: "Largest first", ko: "큰 순서" },
  byThinnest: { en: "Thinnest first", ko: "얇은 순서" },
  byPercentile: { en: "Furthest from the norms first", ko: "규준과 차이가 큰 순서" },
  byAsymmetry: { en: "Most asymmetric first", ko: "비대칭이 큰 순서" },
  basis: { en: "Percentile for", ko: "백분위 기준" },
  basisRegion: { en: "Age, sex", ko: "나이·성별" },
  basisIcv: { en: "Age, sex, ICV", ko: "나이·성별·ICV" },
  icvVolume: { en: "ICV {volume}\u00a0mL", ko: "ICV {volume}\u00a0mL" },
  icvVolumeHint: {
    en:
      "Intracranial volume: the volume inside the outline on the slices. The outline is shown together with the mask.",
    ko: "두개강내 용적: 영상 위 윤곽 안쪽의 부피. 윤곽은 마스크와 함께 표시됩니다.",
  },
  outlineAbsent: {
    en:
      "There is no outline because the study was analyzed with an earlier version. To see the outline, analyze the study again.",
    ko: "윤곽 없음: 이전 버전의 분석 결과입니다. 다시 분석하면 표시됩니다.",
  },
  outlineFailed: {
    en: "The outline could not be loaded. To try again, hide the mask and show it again.",
    ko: "윤곽을 불러오지 못했습니다. 마스크를 숨겼다가 다시 표시해 보세요.",
  },
  lowOnly: { en: "List only percentiles ≤ {n}", ko: "백분위 {n} 이하만 보기" },
  lowOnlyHint: {
    en:
      "Lists regions at or below this percentile on either side (ventricles and CSF: at or above {high}). To change it, set the percentile threshold of the mask.",
    ko:
      "한쪽이라도 이 백분위 이하인 영역만 목록에 표시합니다. 뇌실과 뇌척수액은 백분위 {high} 이상인 경우입니다. 이 값은 마스크의 백분위 기준값입니다.",
  },
  showAll: { en: "Show all", ko: "모두 표시" },
  hideAll: { en: "Hide all", ko: "모두 숨김" },
  tree: {
    en:
      "Regions. Up and Down move through the list, Left and Right choose the side, Enter goes to the region, Space shows or hides it, Shift+Enter shows only that region. Type letters to find a name.",
    ko:
      "영역 목록. 위아래 화살표로 목록 이동, 좌우 화살표로 좌측·우측 선택, Enter로 해당 위치로 이동, 스페이스 바로 표시/숨기기, Shift+Enter로 이 영역만 표시, 글자를 입력하면 이름으로 찾기.",
  },
  noMatch: { en: "No matching regions.", ko: "일치하는 영역이 없습니다." },
  noThickness: {
    en: "Cortical thickness was not measured.",
    ko: "피질 두께가 측정되지 않았습니다.",
  },
  noPercentiles: { en: "No percentiles: {reason}.", ko: "백분위 없음: {reason}." },
  reasonQuality: {
    en: "the segmentation is not reliable (segmentation quality C)",
    ko: "분할을 신뢰할 수 없음(분할 품질 C)",
  },
  reasonAge: { en: "the norms cover only ages 18 to 100", ko: "규준은 18~100세에만 적용됨" },
  reasonAgeUnknown: { en: "age unknown", ko: "나이를 알 수 없음" },
  reasonSexUnknown: { en: "sex unknown", ko: "성별을 알 수 없음" },
  reasonStopped: {
    en: "a lasting change in this scanner's results was detected",
    ko: "이 장비의 결과에 지속적인 변화가 감지됨",
  },
  reasonUnread: {
    en: "the scanner is not known yet, as the image header has not been read",
    ko: "영상 헤더를 아직 읽지 못해 촬영 장비를 알 수 없음",
  },
  reasonRefused: {
    en: "the acceptance test of this scanner refused percentiles",
    ko: "인수 시험에서 이 장비의 백분위 사용이 거부됨",
  },
  solo: { en: "Solo", ko: "단독" },
  soloHint: {
    en: "Show only {region}; click again to show all",
    ko: "{region}만 표시, 한 번 더 누르면 모두 표시",
  },
  toggleHint: { en: "Show or hide {region}", ko: "{region} 표시/숨기기" },
  percentile: { en: "Percentile", ko: "백분위" },
  leftShort: { en: "L", ko: "좌" },
  rightShort: { en: "R", ko: "우" },
  bothShort: { en: "Σ", ko: "합" },
  meanShort: { en: "Mean", ko: "평균" },
  left: { en: "left {value}", ko: "좌측 {value}" },
  right: { en: "right {value}", ko: "우측 {value}" },
  icvShare: { en: "{value}\u00a0% of ICV", ko: "ICV의 {value}\u00a0%" },
  asymmetryShort: { en: "Asym. {value}", ko: "비대칭 {value}" },
  asymmetryHint: {
    en:
      "Asymmetry index: (left − right) / mean of both, in percent. Positive values: left is larger.",
    ko: "비대칭 지수: (좌측 − 우측) / 양측 평균, %. 양수이면 좌측이 큼.",
  },
  unitMl: { en: "mL", ko: "mL" },
  unitMm: { en: "mm", ko: "mm" },
  valueMl: { en: "{value}\u00a0mL", ko: "{value}\u00a0mL" },
  valueMm: { en: "{value}\u00a0mm", ko: "{value}\u00a0mm" },
  legend: {
    en: "{tissue} · CSF {fluid} · in brackets: possibly",
    ko: "{tissue} · 뇌척수액 {fluid} · 괄호 표시: 확실하지 않음",
  },
  legendTissue: {
    en: "{tissue} percentile · in brackets: possibly",
    ko: "백분위 {tissue} · 괄호 표시: 확실하지 않음",
  },
  legendHint: {
    en:
      "Percentile and its 80\u00a0% interval. A mark is shown when it is at least 80\u00a0% certain, and in brackets when it is at least 50\u00a0% certain. Where the error is too large for a mark, only the interval is shown. ",
    ko:
      "백분위와 80\u00a0% 구간입니다. 표시는 80\u00a0% 이상 확실할 때, 괄호 안의 표시는 50\u00a0% 이상 확실할 때 나타냅니다. 오차가 너무 큰 영역은 구간만 나타냅니다. ",
  },
  inversion: {
    en:
      "Ventricles, CSF and white matter hypointensities (label values 15–18 and 25–28) become larger where tissue is lost. Thresholds and marks therefore use 100 minus the percentile, so that high percentiles are marked.",
    ko:
      "뇌실, 뇌척수액, 백질 저신호(라벨 값 15~18, 25~28)는 조직이 위축되면 커집니다. 따라서 기준값과 표시에는 100에서 백분위를 뺀 값을 사용하므로, 백분위가 높을 때 표시가 나타납니다.",
  },
  otherSide: { en: "Other side (H)", ko: "반대쪽(H)" },
  otherSideHint: {
    en: "Go to the same region in the other hemisphere",
    ko: "반대쪽 반구의 같은 영역으로 이동",
  },
  noneSelected: {
    en: "Click a region here or in an image.",
    ko: "목록이나 영상에서 영역을 클릭하세요.",
  },
} as const satisfies Catalogue;
