import type { Catalogue } from "@/model/text.ts";

/** Labels of a signed text, in all outputs. */
export const signedLabelText = {
  conclusion: { en: "Conclusion", ko: "결론" },
  signed: { en: "Signed by {author}, {at}", ko: "{author} 서명, {at}" },
  /** first page: the text did not fit */
  apart: { en: "The text is on the “Conclusion” page.", ko: "본문은 ‘결론’ 페이지에 있습니다." },
  /** replaces the author's name in an anonymised report */
  signedAlone: { en: "Signed, {at}", ko: "서명됨, {at}" },
  outdated: {
    en: "Signed by {author}, {at}; the results have changed since then and need review",
    ko: "{author} 서명, {at}. 이후 결과가 변경됨: 다시 확인 필요",
  },
  outdatedAlone: {
    en: "Signed, {at}; the results have changed since then and need review",
    ko: "서명됨, {at}. 이후 결과가 변경됨: 다시 확인 필요",
  },
} as const satisfies Catalogue;
