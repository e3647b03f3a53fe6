import type { Catalogue } from "@/model/text.ts";

/** A signed-in person's session and its end. */
export const sessionText = {
  signOut: { en: "Sign Out", ko: "로그아웃" },
  signOutQuestion: { en: "Are you sure you want to sign out?", ko: "로그아웃하시겠습니까?" },
  signedOut: { en: "You have signed out.", ko: "로그아웃되었습니다." },
  sessionTimeout: { en: "Session Timeout", ko: "세션 만료" },
  sessionExpired: {
    en: "Your session has expired. Please login again.",
    ko: "세션이 만료되었습니다. 다시 로그인하세요.",
  },
  multiLogin: { en: "Multi Login", ko: "중복 로그인" },
  multiLoginText: {
    en: "New Login Location Detected. You have been automatically logged out.",
    ko: "새로운 위치에서 로그인되어 자동으로 로그아웃되었습니다.",
  },
  refreshProblem: {
    en: "There seems to be an issue with the refresh token.",
    ko: "세션을 갱신하는 중 문제가 발생했습니다.",
  },
  about: { en: "About", ko: "제품 정보" },
  myPage: { en: "My Page", ko: "마이 페이지" },
  settings: { en: "Settings", ko: "설정" },
  userMenu: { en: "User menu", ko: "사용자 메뉴" },
  signedInAs: { en: "Signed in as", ko: "로그인 계정" },
  connectionLost: {
    en: "Connection to the server is lost. Reconnecting…",
    ko: "서버와 연결이 끊어졌습니다. 다시 연결하는 중…",
  },
} as const satisfies Catalogue;
