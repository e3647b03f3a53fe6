import type { Catalogue } from "@/model/text.ts";

/** The not-found, forbidden and error pages. */
export const pagesText = {
  goHomepage: { en: "Go to Homepage", ko: "홈으로 이동" },
  goLogin: { en: "Go to Login", ko: "로그인 페이지로 이동" },
  notFound: { en: "Page does not exist.", ko: "페이지가 존재하지 않습니다." },
  forbidden: { en: "Unable to access the page.", ko: "페이지에 접근할 수 없습니다." },
  errorHappened: { en: "An error has occurred.", ko: "오류가 발생했습니다." },
  answerUnknown: {
    en: "The core answers {call} in a form that this page does not know.",
    ko: "코어가 {call} 호출에 이 페이지가 알지 못하는 형식으로 응답합니다.",
  },
  requestId: { en: "Request", ko: "요청 번호" },
} as const satisfies Catalogue;
