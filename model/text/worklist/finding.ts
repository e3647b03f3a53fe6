import type { Catalogue } from "@/model/text.ts";

/** Main deviation of a study, in the list. */
export const findingText = {
  // the figure first, because the end of a long name is cut off
  deviation: { en: "{percentile} pct · {part}", ko: "{percentile}백분위 · {part}" },
  wmh: { en: "WMH {ml} mL", ko: "WMH {ml} mL" },
  wmhGraded: { en: "WMH {ml} mL (≈\u00a0Fazekas\u00a0{grade})", ko: "WMH {ml} mL(Fazekas {grade} 상당)" },
  brain: { en: "Brain {percent} %/year since {since}", ko: "뇌 연 {percent} %({since}년 이후)" },
  hippocampus: { en: "Hippocampi {percent} %/year since {since}", ko: "해마 연 {percent} %({since}년 이후)" },
  picture: { en: "Axial slice of {patient} with the result", ko: "{patient}: 분석 결과를 표시한 축상면" },
} as const satisfies Catalogue;
