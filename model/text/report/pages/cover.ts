import type { Catalogue } from "@/model/text.ts";

/** Words on the Cover. */
export const coverPageText = {
  coverTitle: { en: "Quantitative analysis of brain MRI", ko: "뇌 MRI 정량 분석" },
  coverPatient: { en: "Patient and study", ko: "환자와 검사" },
  coverSeries: { en: "Analysed series", ko: "분석한 시리즈" },
  coverQuality: { en: "Quality of the analysis", ko: "분석 품질" },
  coverContents: { en: "Contents", ko: "차례" },
  coverPage: { en: "Page", ko: "쪽" },
  coverType: { en: "Type", ko: "종류" },
  coverReasons: { en: "Reasons", ko: "이유" },
  noOpinion: { en: "No opinion was written.", ko: "작성된 소견이 없습니다." },
  anonymous: { en: "Anonymous: who was examined is left out.", ko: "익명: 환자 정보를 뺐습니다." },
} as const satisfies Catalogue;
