import type { Catalogue } from "@/model/text.ts";

/**
 * Text of a failed analysis (D1 §8), shown in worklist rows and in messages.
 * A separate file, because every page loads this text.
 */
export const analysisFailedText = {
  bothFailed: { en: "T1w, T2w Analysis failed.", ko: "T1w, T2w 분석에 실패했습니다." },
  t1Failed: { en: "T1w Analysis failed.", ko: "T1w 분석에 실패했습니다." },
  t2Failed: { en: "T2w Analysis failed.", ko: "T2w 분석에 실패했습니다." },
} as const satisfies Catalogue;
