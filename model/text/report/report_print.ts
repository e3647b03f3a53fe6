import type { Catalogue } from "@/model/text.ts";

/** Texts for printing the reports of several studies as one PDF (D2 §4 and §8). */
export const reportPrintText = {
  action: { en: "Reports", ko: "리포트" },
} as const satisfies Catalogue;
