import type { Catalogue } from "@/model/text.ts";

/** Texts of the page Longitudinal for FLAIR: lesion volume of each study, and changed lesions. */
export const lesionChangeText = {
  title: { en: "White matter hyperintensities at each study, mL", ko: "검사별 백질 고신호, mL" },
  total: { en: "Total", ko: "전체" },
  within: { en: "PV (within 10\u00a0mm)", ko: "뇌실주위(10\u00a0mm 이내)" },
  lesions: { en: "Lesions", ko: "병변 수" },
  ofWhiteMatter: { en: "% of WM", ko: "백질 대비 %" },
  changes: { en: "Lesions that changed since {date}", ko: "{date} 이후 변화한 병변" },
  summary: {
    en: "{counts} Confirmed by a reader: {confirmed}; not reviewed: {open}.",
    ko: "{counts} 판독자 확인 {confirmed}, 미확인 {open}.",
  },
  gradeC: {
    en:
      "The segmentation quality of at least one of the two studies is C, so no volume change is given and every change is uncertain.",
    ko:
      "두 검사 중 하나 이상의 분할 품질이 C입니다. 부피 변화를 제시하지 않으며, 모든 변화는 불확실합니다.",
  },
  otherMethod: {
    en:
      "‡ {dates}: lesions were segmented in a different way from this study (another version of the software, or only one of the two with a T1w series), so the volumes cannot be compared and no volume change is given. Analyze both studies again to compare them.",
    ko:
      "‡ {dates}: 이 검사와 다른 방법으로 병변을 분할하였으므로(소프트웨어 버전이 다르거나 T1w 사용 여부가 다름) 부피를 비교할 수 없어 부피 변화를 제시하지 않습니다. 비교하려면 두 검사를 다시 분석하십시오.",
  },
  uncertain: {
    en:
      "§ {dates}: low confidence (below 3\u00a0mL, or measured without a T1w series). Such volumes may differ considerably between studies although no lesion has changed.",
    ko:
      "§ {dates}: 신뢰도가 낮습니다(3\u00a0mL 미만이거나 T1w 시리즈 없이 측정). 병변이 변하지 않아도 검사 사이에 부피가 크게 다를 수 있습니다.",
  },
  none: {
    en: "No changed lesions were found. Changes below about 30\u00a0mm³ are often missed.",
    ko: "변화한 병변이 검출되지 않았습니다. 약 30\u00a0mm³ 미만의 변화는 놓치는 경우가 많습니다.",
  },
  failed: {
    en:
      "The FLAIR series of this study and of the study of {date} could not be registered to each other, so lesions were not compared.",
    ko: "이 검사와 {date} 검사의 FLAIR를 정합할 수 없어 병변을 비교하지 않았습니다.",
  },
  waiting: {
    en: "The lesions have not yet been compared with those in the study of {date}.",
    ko: "{date} 검사와 병변을 아직 비교하지 않았습니다.",
  },
  number: { en: "No.", ko: "번호" },
  kind: { en: "Change", ko: "변화" },
  before: { en: "Before, mL", ko: "이전(mL)" },
  after: { en: "Now, mL", ko: "현재(mL)" },
  changed: { en: "Change, mL", ko: "변화량(mL)" },
  place: { en: "Location", ko: "위치" },
  byPlace: { en: "Changes by location", ko: "위치별 변화" },
  notCounted: { en: "Uncertain, not counted", ko: "불확실(집계 제외)" },
  verdict: { en: "Reader review", ko: "판독자 확인" },
  new: { en: "New", ko: "신규" },
  enlarging: { en: "Enlarging", ko: "커짐" },
  shrinking: { en: "Shrinking", ko: "작아짐" },
  gone: { en: "Resolved", ko: "소실" },
  places: { en: "{kind}, {n} locations", ko: "{kind}, {n}곳" },
  possible: { en: "{kind} (uncertain)", ko: "{kind}(불확실)" },
  confirmed: { en: "Confirmed by {who}", ko: "{who} 확인" },
  open: { en: "Not reviewed", ko: "미확인" },
  refused: {
    en: "{n} more {n|change was|changes were} detected and then rejected by a reader.",
    ko: "검출 후 판독자가 제외한 병변이 {n}개 더 있습니다.",
  },
  more: {
    en: "{n} more {n|change is|changes are} not listed.",
    ko: "나머지 병변 {n}개는 표에 싣지 않았습니다.",
  },
  pictureBefore: { en: "No. {n}, before", ko: "{n}번, 이전" },
  pictureNow: { en: "No. {n}, now", ko: "{n}번, 현재" },
  pictureNote: {
    en:
      "Axial FLAIR slices at the same position in both studies. Outlines: lesions as segmented. The patient's left is on the right of the image.",
    ko:
      "두 검사의 같은 위치에서 본 FLAIR 축상면 영상입니다. 윤곽선은 분할된 병변입니다. 환자의 좌측이 영상의 오른쪽입니다.",
  },
  pictureNext: {
    en: "{n} more {n|change is|changes are} illustrated on the next page.",
    ko: "나머지 병변 {n}개의 영상은 다음 쪽에 있습니다.",
  },
  pictureMore: {
    en: "{n} more {n|change is|changes are} not illustrated.",
    ko: "나머지 병변 {n}개의 영상은 싣지 않았습니다.",
  },
  placeNote: {
    en:
      "White matter lesions are named after the nearest lobe. If no region is nearby, the position is given in scanner coordinates, mm: R right, L left, A anterior, P posterior, S superior, I inferior.",
    ko:
      "백질 병변의 위치는 가장 가까운 엽의 이름으로 적었습니다. 인접한 영역이 없으면 장비 좌표(mm)로 위치를 적습니다. R 우측, L 좌측, A 전방, P 후방, S 상방, I 하방.",
  },
  method: {
    en:
      "Both FLAIR series were registered to the space halfway between them, matched in contrast and subtracted. Lesions at least 3\u00a0mm in diameter are listed, with the volume outlined in each study (0.00: not outlined). A change is “uncertain” if it is hardly brighter than unaffected white matter, contradicted by the volumes or not outlined in either study, or if a study has segmentation quality C. Nearby lesions that merge or split are listed as one entry. The list is generated automatically; a reader confirms or rejects each entry.",
    ko:
      "두 FLAIR 영상을 둘 사이의 중간 공간으로 정합하고 대조도를 맞춘 뒤 감산했습니다. 직경 3\u00a0mm 이상의 병변만 표시하며, 부피는 각 검사에서 윤곽이 그려진 병변의 값입니다(0.00은 윤곽 없음). ‘불확실’은 병변이 없는 백질보다 뚜렷하게 밝지 않거나, 부피 변화와 맞지 않거나, 두 검사 모두 윤곽이 없거나, 분할 품질이 C인 변화입니다. 합쳐지거나 나뉜 인접 병변은 한 항목으로 적습니다. 자동으로 검출한 결과이며, 판독자가 항목마다 확인하거나 제외합니다.",
  },
} as const satisfies Catalogue;
