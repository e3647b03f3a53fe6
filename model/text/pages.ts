import type { Catalogue } from "@/model/text.ts";

/** Texts of the not-found, forbidden and error pages. */
export const pagesText = {
  goHomepage: { en: "Go to Homepage", ko: "홈으로 이동" },
  goLogin: { en: "Go to Login", ko: "로그인 페이지로 이동" },
  notFound: { en: "Page does not exist.", ko: "페이지가 존재하지 않습니다." },
  forbidden: { en: "Unable to access the page.", ko: "페이지에 접근할 수 없습니다." },
  errorHappened: { en: "An error has occurred.", ko: "오류가 발생했습니다." },
  answerUnknown: {
    en:
      "This page and the server are running different versions. Reload the page. If the problem persists, report this code to the administrator: {call}",
    ko:
      "서버와 이 페이지의 버전이 다릅니다. 페이지를 새로 고치고, 문제가 계속되면 관리자에게 알리세요({call}).",
  },
  requestId: { en: "Request ID", ko: "요청 번호" },
} as const satisfies Catalogue;
