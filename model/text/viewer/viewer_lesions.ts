import type { Catalogue } from "@/model/text.ts";

/** Texts of the viewer's list of lesions; loaded when its tab is opened. */
export const viewerLesionsText = {
  valueMl: { en: "{value}\u00a0mL", ko: "{value}\u00a0mL" },
  wmh: { en: "White matter hyperintensities", ko: "백질 고신호" },
  wmhTotal: { en: "WMH", ko: "WMH" },
  wmhDeep: { en: "Deep", ko: "심부" },
  wmhPeri: { en: "Periventricular", ko: "뇌실주위" },
  wmhDeepVolume: {
    en: "Deep (beyond 10\u00a0mm)",
    ko: "심부(10\u00a0mm 초과)",
  },
  wmhPeriVolume: {
    en: "Periventricular (within 10\u00a0mm)",
    ko: "뇌실주위(10\u00a0mm 이내)",
  },
  places: { en: "Lesions by location", ko: "위치별 병변" },
  placeFigure: { en: "{n} · {volume}", ko: "{n}개 · {volume}" },
  placesHint: {
    en:
      "Periventricular: touching a lateral ventricle. Juxtacortical or cortical: touching the cortex. A lesion that touches both counts as periventricular. By contrast, the deep and periventricular volumes above are separated by distance from the lateral ventricles.",
    ko:
      "뇌실주위: 측뇌실에 닿은 병변. 피질 또는 피질 인접: 피질에 닿은 병변. 둘 다에 닿은 병변은 뇌실주위로 분류합니다. 위의 심부·뇌실주위 부피는 측뇌실까지의 거리에 따라 구분한 값입니다.",
  },
  wmhRatio: { en: "WMH / white matter including WMH", ko: "WMH / 백질(WMH 포함)" },
  wmhCount: { en: "Lesions counted by the analysis", ko: "분석에서 집계한 병변 수" },
  wmhLow: {
    en: "Low confidence: check every lesion on the FLAIR images before using the volumes.",
    ko: "신뢰도 낮음: 부피를 사용하기 전에 FLAIR 영상에서 병변을 하나씩 확인하세요.",
  },
  wmhMinimal: {
    en:
      "Below 3\u00a0mL: unreliable. False positives may account for as much of the volume as true lesions.",
    ko: "3\u00a0mL 미만: 신뢰도 낮음. 위양성이 실제 병변만큼 많을 수 있습니다.",
  },
  lesions: { en: "Lesions by size", ko: "병변 목록(크기순)" },
  lesionsHint: {
    en:
      "Voxels that share a face, edge or corner form one lesion (26-connectivity). The analysis counts lesions on the original grid of the series, so its count can differ; the volume that it measured is divided among the lesions shown. Lesions less than 3\u00a0mm in diameter are included in the volumes, but not in the count or the list.",
    ko:
      "면, 모서리 또는 꼭짓점이 맞닿은 복셀은 하나의 병변으로 봅니다(26-연결성). 분석에서는 시리즈의 원래 격자에서 병변을 세므로 개수가 다를 수 있으며, 분석에서 측정한 부피를 여기 표시된 병변에 배분하여 표시합니다. 직경 3\u00a0mm 미만의 병변은 부피에만 포함되며, 병변 수와 목록에는 포함되지 않습니다.",
  },
  lesionsCounted: {
    en:
      "The analysis counts lesions on the original grid of the series; here, lesions that touch each other count as one.",
    ko:
      "분석에서는 시리즈의 원래 격자에서 병변을 셉니다. 이 목록에서는 맞닿은 병변을 하나로 셉니다.",
  },
  lesionBoth: { en: "PV + deep", ko: "뇌실주위+심부" },
  lesionsSearching: { en: "Searching for lesions…", ko: "병변을 찾는 중…" },
  lesionsNone: {
    en: "No lesions were detected. Small lesions may be missed: check the FLAIR images.",
    ko: "검출된 병변이 없습니다. 작은 병변은 놓칠 수 있으니 FLAIR 영상을 확인하세요.",
  },
  lesionsList: {
    en: "Lesions, largest first. Use the arrow keys to move from one lesion to the next.",
    ko: "병변 목록(큰 순서). 화살표 키로 이동하세요.",
  },
  lesionKinds: {
    en: "{deep}\u00a0mL deep, {peri}\u00a0mL periventricular",
    ko: "심부 {deep}\u00a0mL, 뇌실주위 {peri}\u00a0mL",
  },
  lesionPlace: { en: "{n} of {total}", ko: "{n}/{total}" },
  lesionNext: { en: "Next lesion (N)", ko: "다음 병변(N)" },
  lesionPrevious: { en: "Previous lesion (P)", ko: "이전 병변(P)" },
} as const satisfies Catalogue;
