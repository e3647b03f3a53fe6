import type { Catalogue } from "@/model/text.ts";

/** The pages of help: the manual. */
export const manualText = {
  title: { en: "User manual", ko: "사용 설명서" },
  contents: { en: "Contents", ko: "차례" },
  search: { en: "Search the manual", ko: "사용 설명서 검색" },
  find: { en: "Search", ko: "검색" },
  found: { en: "“{search}” in {n} {n|section|sections}", ko: "“{search}” 검색 결과: {n}개 항목" },
  notFound: { en: "Nothing found for “{search}”", ko: "“{search}” 검색 결과가 없습니다" },
  pdf: { en: "Save as PDF", ko: "PDF로 저장" },
} as const satisfies Catalogue;
