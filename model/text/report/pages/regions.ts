import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page Volume by Brain Regions. */
export const regionsPageText = {
  regionsDeep: { en: "White matter, deep structures and ventricles", ko: "백질, 심부 구조, 뇌실" },
  regionsCortex: { en: "Cerebral cortex by lobe", ko: "엽별 대뇌 피질" },
  asymmetry: { en: "Asym., %", ko: "비대칭, %" },
  thicknessColumn: { en: "Thickness, mm", ko: "두께, mm" },
  /** printed when a report has both the T1w hypointensity volume and the FLAIR lesion volume */
  twoMeasurements: {
    en:
      "White matter hypointensities (T1w series) and white matter hyperintensities (WMH, FLAIR series) are measured on different images, so their volumes differ.",
    ko:
      "백질 저신호(T1w 시리즈)와 백질 고신호(WMH, FLAIR 시리즈)는 서로 다른 영상에서 측정하므로 부피가 다릅니다.",
  },
  doubtKey: { en: "! Check the segmentation", ko: "! 분할 확인 필요" },
  regionsLegend: {
    en:
      "Volumes in mL. Percentile of the total, adjusted for {adjusted}. Asymmetry: 100 × (left − right) / mean of both sides. Thickness: mean left / right. Bar: dot = total, line = 80\u00a0% interval, upper tick = left, lower tick = right, shaded = beyond the thresholds. An interval without a mark means that the measurement error is too large for a mark. For the ventricles, high percentiles are marked. Dash: no norms or no measurement.",
    ko:
      "부피의 단위는 mL입니다. 백분위는 전체 부피를 {adjusted} 보정하여 구합니다. 비대칭은 100 × (좌측 − 우측) / 양측 평균입니다. 두께는 평균값을 ‘좌측 / 우측’ 순서로 적습니다. 막대의 점은 전체, 가로선은 측정 오차에 따른 80\u00a0% 구간, 위쪽 눈금은 좌측, 아래쪽 눈금은 우측, 음영은 기준값을 벗어난 범위입니다. 오차가 커서 판정할 수 없는 영역은 구간만 제시합니다. 뇌실은 백분위가 높을 때 표시합니다. 규준이 없거나 측정하지 않은 값은 줄표로 나타냅니다.",
  },
} as const satisfies Catalogue;
