import type { Catalogue } from "@/model/text.ts";

/** Names of the report's pages by page code (D2 §2). */
export const reportPageText = {
  1: { en: "Cover", ko: "표지" },
  2: { en: "Atrophy Score", ko: "위축 점수" },
  8: { en: "Check-up", ko: "검진용" },
  16: { en: "Hospital-MTA", ko: "병원용(MTA)" },
  32: { en: "ICV", ko: "두개강내 용적(ICV)" },
  64: { en: "Longitudinal", ko: "추적 비교" },
  128: { en: "WMH", ko: "백질 고신호(WMH)" },
  512: { en: "Volume by Brain Regions", ko: "영역별 뇌 부피" },
  1024: { en: "Reading Materials", ko: "참고 자료" },
} as const satisfies Catalogue;

/** Printed titles of all report pages, including the Main Page (D2 §2). */
export const pageTitle = {
  ...reportPageText,
  4: { en: "Main Page", ko: "주요 결과" },
} as const satisfies Catalogue;
