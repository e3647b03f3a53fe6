import type { Catalogue } from "@/model/text.ts";

/** The table of deep structures on a FLAIR without a T1w series, in report and viewer. */
export const flairStructuresText = {
  title: { en: "Deep structures on FLAIR (mL)", ko: "FLAIR에서 측정한 심부 구조(mL)" },
  left: { en: "Left", ko: "좌측" },
  right: { en: "Right", ko: "우측" },
  total: { en: "Total", ko: "좌우 합계" },
  interval: { en: "80\u00a0% interval", ko: "80\u00a0% 구간" },
} as const satisfies Catalogue;
