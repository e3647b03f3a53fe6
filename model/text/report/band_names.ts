import type { Catalogue } from "@/model/text.ts";

/** Names of percentile bands in tables. */
export const bandText = {
  low1: { en: "low", ko: "낮음" },
  low2: { en: "very low", ko: "매우 낮음" },
  high1: { en: "high", ko: "높음" },
  high2: { en: "very high", ko: "매우 높음" },
  levelPossibly: { en: "{level}, possibly {possible}", ko: "{level}({possible} 가능성)" },
  possibly: { en: "possibly {possible}", ko: "{possible} 가능성" },
  usual: { en: "expected range", ko: "예상 범위" },
  notDistinguishable: {
    en: "not clearly outside the expected range",
    ko: "예상 범위와 구별되지 않음",
  },
  notDeterminedDoubt: {
    en: "not determined: check segmentation",
    ko: "산출 불가, 분할 확인 필요",
  },
  doubt: { en: "check segmentation", ko: "분할 확인 필요" },
  notDetermined: { en: "not determined", ko: "산출 불가" },
  none: { en: "not graded", ko: "판정 없음" },
} as const satisfies Catalogue;
