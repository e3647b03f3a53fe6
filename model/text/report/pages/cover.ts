import type { Catalogue } from "@/model/text.ts";

/** Texts of the Cover, the first page of a report. */
export const coverPageText = {
  coverTitle: { en: "Quantitative analysis of brain MRI", ko: "뇌 MRI 정량 분석" },
  coverPatient: { en: "Patient and study", ko: "환자와 검사" },
  coverSeries: { en: "Analyzed series", ko: "분석한 시리즈" },
  coverQuality: { en: "Segmentation quality", ko: "분할 품질" },
  coverContents: { en: "Contents", ko: "차례" },
  coverPage: { en: "Page", ko: "쪽" },
  coverType: { en: "Type", ko: "종류" },
  coverRating: { en: "Rating", ko: "평가" },
  coverReasons: { en: "Reasons for this rating", ko: "이유" },
  coverProvisional: {
    en: "provisional: scanner not accepted",
    ko: "잠정값: 백분위 사용 승인 전 장비",
  },
  coverLesions: {
    en:
      "FLAIR slices with the most hyperintensities, from inferior to superior: periventricular in amber, deep in magenta. The patient's left is on the right of the image.",
    ko:
      "고신호가 가장 많은 FLAIR 단면을 아래쪽 단면부터 차례로 배열했습니다. 뇌실주위는 호박색, 심부는 자홍색이며, 환자의 좌측이 영상의 오른쪽입니다.",
  },
  noOpinion: { en: "No comment was written.", ko: "작성된 소견 문구가 없습니다." },
  anonymous: {
    en: "Anonymized: patient identity omitted.",
    ko: "익명화됨: 환자 식별 정보를 제외했습니다.",
  },
} as const satisfies Catalogue;
