import type { Catalogue } from "@/model/text.ts";

/** Texts of the not-found, forbidden and error pages, and of refused requests. */
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
  requestTooLong: {
    en:
      "The request was refused because its address or the browser's cookies are too long. Choose fewer studies or a shorter link. If this does not help, delete the browser's cookies for this site.",
    ko:
      "주소나 브라우저의 쿠키가 너무 길어 요청을 처리하지 않았습니다. 검사 수를 줄이거나 더 짧은 링크를 사용하세요. 그래도 안 되면 브라우저에서 이 사이트의 쿠키를 삭제하세요.",
  },
  requestUnreadable: {
    en:
      "The request could not be read. Reload the page. If the problem persists, inform the administrator.",
    ko: "요청을 읽을 수 없습니다. 페이지를 새로 고치세요. 문제가 계속되면 관리자에게 알리세요.",
  },
  requestTooSlow: {
    en: "The request took too long. Try again.",
    ko: "요청 시간이 초과되었습니다. 다시 시도하세요.",
  },
  requestId: { en: "Request ID", ko: "요청 번호" },
} as const satisfies Catalogue;
