import type { Catalogue } from "@/model/text.ts";

/** Texts printed above a conclusion that a physician has signed. */
export const signedLabelText = {
  conclusion: { en: "Conclusion", ko: "결론" },
  signed: { en: "Signed by {author}, {at}", ko: "{author} 서명, {at}" },
  /** printed on the first page when the signed text is too long for it */
  apart: { en: "The text is on the “Conclusion” page.", ko: "본문은 ‘결론’ 페이지에 있습니다." },
  /** printed instead of `signed` in an anonymised report, without the author's name */
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
