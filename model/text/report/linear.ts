import type { Catalogue } from "@/model/text.ts";

/** Texts of the ventricles' widths and angle, in reports and tables. */
export const linearText = {
  heading: { en: "Ventricular widths and callosal angle", ko: "뇌실 너비와 뇌량각" },
  evans: { en: "Evans index", ko: "에반스 지수" },
  frontal_horns: { en: "Frontal horn width, mm", ko: "측뇌실 전각 너비, mm" },
  third_ventricle: { en: "Third ventricle width, mm", ko: "제3뇌실 너비, mm" },
  callosal_angle: { en: "Callosal angle, °", ko: "뇌량각, °" },
  range: { en: "Uncertainty interval", ko: "불확실성 구간" },
  axialAbove: { en: "Axial, {mm}\u00a0mm above AC–PC", ko: "축상면, AC–PC선보다 {mm}\u00a0mm 위" },
  axialBelow: {
    en: "Axial, {mm}\u00a0mm below AC–PC",
    ko: "축상면, AC–PC선보다 {mm}\u00a0mm 아래",
  },
  coronalAt: { en: "Coronal, at the posterior commissure", ko: "관상면, 후교련 위치" },
  pictureAlt: {
    en: "Slice with the measurement lines: {measure}",
    ko: "측정선을 표시한 단면: {measure}",
  },
  note: {
    en:
      "Measured on the segmentation, aligned to the line through both commissures (AC–PC). Evans index: maximum width of the frontal horns / maximum width of the inner skull on the same slice (Evans 1942). Third ventricle: maximum width of the dark area in the middle half of the distance between the commissures (width as an index: Turner 2001); a dash means that it is too narrow to measure. Callosal angle: between the upper inner walls of both lateral ventricles (Ishii 2008). Uncertainty interval: the smallest and largest value if the head is tilted by 3° and the borders are moved by half a voxel; segmentation error is not included. There are no norms. The brain stem is segmented as one region, so the areas of the midbrain and pons are not given.",
    ko:
      "전교련과 후교련을 잇는 선(AC–PC)에 맞추어 분할 결과에서 측정합니다. 에반스 지수는 같은 단면의 측뇌실 전각 최대 너비 / 두개 내면 최대 너비(Evans 1942)입니다. 제3뇌실 너비는 두 교련 사이의 가운데 절반 구간에서 어두운 부분이 가장 넓은 곳의 값이며(지표로서의 너비: Turner 2001), 너무 좁으면 줄표로 나타냅니다. 뇌량각은 양측 측뇌실 상내측 벽 사이의 각(Ishii 2008)입니다. 불확실성 구간은 머리가 3° 기울고 경계가 반 복셀 어긋날 때의 가장 작은 값과 가장 큰 값이며, 분할 오차는 포함하지 않습니다. 규준은 없습니다. 뇌간은 하나의 영역으로 분할하므로 중뇌와 교뇌의 면적은 제시하지 않습니다.",
  },
} as const satisfies Catalogue;
