import type { Catalogue } from "@/model/text.ts";

/** Texts of the table of deep structures measured on FLAIR without T1w, in report and viewer. */
export const flairStructuresText = {
  title: { en: "Deep structures on FLAIR (mL)", ko: "FLAIR에서 측정한 심부 구조(mL)" },
  left: { en: "Left", ko: "좌측" },
  right: { en: "Right", ko: "우측" },
  total: { en: "Total", ko: "좌우 합계" },
  interval: { en: "80\u00a0% interval", ko: "80\u00a0% 구간" },
} as const satisfies Catalogue;
