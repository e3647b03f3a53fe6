import type { Catalogue } from "@/model/text.ts";

/** Texts of the help pages that contain the manual. */
export const manualText = {
  title: { en: "User manual", ko: "사용 설명서" },
  contents: { en: "Contents", ko: "차례" },
  search: { en: "Search the manual", ko: "사용 설명서 검색" },
  find: { en: "Search", ko: "검색" },
  found: {
    en: "“{search}” found in {n} {n|section|sections}",
    ko: "“{search}” 검색 결과: {n}개 항목",
  },
  notFound: { en: "No results for “{search}”", ko: "“{search}” 검색 결과가 없습니다" },
  documents: { en: "Documents for administrators", ko: "관리자용 문서" },
  englishOnly: { en: "These documents are in English.", ko: "이 문서는 영어로만 제공됩니다." },
  operating: { en: "Running Sulcus", ko: "사이트 운영" },
  reference: { en: "Reference", ko: "참조 문서" },
  trust: { en: "Trust and privacy", ko: "신뢰성과 개인정보" },
  details: { en: "Accuracy, security, accessibility", ko: "정확도, 보안, 접근성" },
  notebook: { en: "How accuracy was measured", ko: "정확도 측정 방법" },
  pdf: { en: "Save as PDF", ko: "PDF로 저장" },
} as const satisfies Catalogue;
