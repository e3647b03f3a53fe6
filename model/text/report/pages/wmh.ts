import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page WMH (white matter hyperintensities). */
export const wmhPageText = {
  wmhStrip: {
    en:
      "FLAIR slices with the most hyperintensities, from inferior to superior, each shown without and with color: periventricular in amber, deep in magenta. The patient's left is on the right of the image.",
    ko:
      "고신호가 가장 많은 FLAIR 단면을 아래쪽 단면부터 차례로 배열하고, 각각 색을 입히지 않은 영상과 입힌 영상을 나란히 실었습니다. 뇌실주위는 호박색, 심부는 자홍색이며, 환자의 좌측이 영상의 오른쪽입니다.",
  },
  wmhPlainAlt: {
    en: "Axial FLAIR slice {n} of {count} without color",
    ko: "색을 입히지 않은 축상면 FLAIR 영상, {count}장 중 {n}번째",
  },
  wmhPictureAlt: {
    en: "Axial FLAIR slice {n} of {count} with the hyperintensities in color",
    ko: "고신호를 색으로 표시한 축상면 FLAIR 영상, {count}장 중 {n}번째",
  },
  wmhVolumes: { en: "Volumes", ko: "부피" },
  wmhTotal: { en: "Total, mL", ko: "전체, mL" },
  wmhDeep: { en: "Deep, mL", ko: "심부, mL" },
  wmhPeri: {
    en: "Periventricular (within 10\u00a0mm of the lateral ventricles), mL",
    ko: "뇌실주위(측뇌실에서 10\u00a0mm 이내), mL",
  },
  wmhWhiteMatter: {
    en: "Cerebral white matter including WMH, mL",
    ko: "백질 고신호를 포함한 대뇌 백질, mL",
  },
  wmhRatio: {
    en: "WMH / cerebral white matter including WMH, %",
    ko: "백질 고신호 / 대뇌 백질(고신호 포함), %",
  },
  wmhCount: { en: "Number of lesions counted", ko: "병변 수" },
  lesionList: { en: "Lesions by size", ko: "병변 목록(크기순)" },
  lesionNumber: { en: "No.", ko: "번호" },
  lesionPlace: { en: "Location", ko: "위치" },
  placeTable: { en: "Lesions by location", ko: "위치별 병변" },
  placeCount: { en: "Number of lesions", ko: "병변 수" },
  placeVolume: { en: "Volume, mL", ko: "부피, mL" },
  placeNote: {
    en:
      "Periventricular (PV): touching a lateral ventricle. Juxtacortical or cortical (JC): touching the cortex. A lesion that touches both counts as periventricular ({both} in this study). Each lesion is counted once.",
    ko:
      "뇌실주위: 측뇌실에 닿은 병변. 피질 또는 피질 인접: 피질에 닿은 병변. 둘 다에 닿은 병변({both}개)은 뇌실주위로 분류합니다. 각 병변은 한 번만 셉니다.",
  },
  lesionVolume: { en: "mL", ko: "mL" },
  lesionCentre: { en: "Center, mm", ko: "중심, mm" },
  lesionBoth: { en: "Periventricular and deep", ko: "뇌실주위+심부" },
  lesionDeep: { en: "Deep", ko: "심부" },
  lesionPeri: { en: "Periventricular", ko: "뇌실주위" },
  lesionAt: { en: "{place} · {kind}", ko: "{place} · {kind}" },
  lesionBothShort: { en: "PV + deep", ko: "뇌실주위+심부" },
  lesionDeepShort: { en: "deep", ko: "심부" },
  lesionPeriShort: { en: "PV", ko: "뇌실주위" },
  lesionNote: {
    en:
      "Lesions at least 3\u00a0mm in diameter are counted and listed. White matter lesions are named after the nearest lobe. PV: periventricular. Center in scanner coordinates: R right, L left, A anterior, P posterior, S superior, I inferior.",
    ko:
      "직경 3\u00a0mm 이상의 병변만 세어 표에 실었습니다. 백질 병변의 위치는 가장 가까운 엽의 이름으로 적었습니다. 중심은 장비 좌표입니다. R 우측, L 좌측, A 전방, P 후방, S 상방, I 하방.",
  },
  lesionNoteMore: {
    en:
      "The list shows the {shown} largest of {count} lesions at least 3\u00a0mm in diameter. White matter lesions are named after the nearest lobe. PV: periventricular. Center in scanner coordinates: R right, L left, A anterior, P posterior, S superior, I inferior.",
    ko:
      "직경 3\u00a0mm 이상의 병변 {count}개 중 크기순으로 {shown}개를 실었습니다. 백질 병변의 위치는 가장 가까운 엽의 이름으로 적었습니다. 중심은 장비 좌표입니다. R 우측, L 좌측, A 전방, P 후방, S 상방, I 하방.",
  },
  wmhPercentile: { en: "Percentile", ko: "백분위" },
  wmhNoPercentile: { en: "no norms for FLAIR volumes", ko: "FLAIR에서 측정한 부피의 규준 없음" },
  fazekas: {
    en: "Fazekas equivalent, derived from the volume",
    ko: "부피로 환산한 Fazekas 등급",
  },
  fazekasNone: { en: "not graded: low confidence", ko: "등급을 제시하지 않음: 신뢰도 낮음" },
  fazekasExact: {
    en: "no interval: error of the volume not established",
    ko: "구간 없음: 부피의 오차가 확립되지 않음",
  },
  fazekasScale: {
    en: "Total volume on the Fazekas-equivalent scale",
    ko: "전체 부피의 Fazekas 환산 등급",
  },
  fazekasGrade: { en: "Grade {grade}", ko: "{grade}등급" },
  fazekasNote: {
    en:
      "The equivalent is derived from the total volume alone. Its cut-offs, 3.4, 9.6 and 17.1\u00a0mL, were determined with another " +
      "segmentation in 596 people with memory complaints at one hospital (Joo 2022) and have not been verified for this product. The " +
      "Fazekas scale itself is graded visually from the pattern on the images.",
    ko:
      "환산 등급은 전체 부피만으로 정합니다. 경계값 3.4, 9.6, 17.1\u00a0mL는 한 병원에서 기억력 저하를 호소한 596명을 다른 분할 방법으로 측정해 정한 값이며(Joo 2022), 이 제품으로 검증한 값이 아닙니다. 원래의 Fazekas 척도는 영상에 보이는 병변의 양상을 눈으로 평가하여 매깁니다.",
  },
  fazekasAlt: {
    en: "{volume}\u00a0mL corresponds to grade {grade} on the scale from 0 to 3",
    ko: "{volume}\u00a0mL는 0~3등급 중 {grade}등급에 해당",
  },
  wmhLowNote: {
    en: "Low confidence: {reasons}. Check the overlay.",
    ko: "신뢰도 낮음: {reasons}. 영상의 오버레이를 확인하십시오.",
  },
  wmhLowFlair: { en: "measured without a T1w series", ko: "T1w 시리즈 없이 측정한 값" },
  wmhLowMinimal: {
    en: "below 3\u00a0mL, false positives may account for as much of the volume as true lesions",
    ko: "3\u00a0mL 미만에서는 위양성이 실제 병변만큼 많을 수 있음",
  },
  wmhLowGrade: { en: "segmentation quality C", ko: "분할 품질 C" },
  wmhNotMeasured: { en: "Not measured", ko: "측정하지 않음" },
} as const satisfies Catalogue;
