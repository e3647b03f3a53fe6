import type { Catalogue } from "@/model/text.ts";

/** Texts of the offer to fetch a linked study from the PACS. */
export const launchFetchText = {
  fetch: { en: "Search the PACS", ko: "PACS에서 검색" },
  fetchAfter: {
    en: "Open the link again once the images have arrived and been analyzed.",
    ko: "영상 수신과 분석이 끝난 뒤 링크를 다시 여세요.",
  },
  noArchive: {
    en: "No searchable PACS is connected.",
    ko: "검색할 수 있는 PACS가 연결되어 있지 않습니다.",
  },
} as const satisfies Catalogue;
