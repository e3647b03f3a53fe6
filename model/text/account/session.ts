import type { Catalogue } from "@/model/text.ts";

/** Texts about the session of a signed-in user and its end. */
export const sessionText = {
  signOut: { en: "Sign Out", ko: "로그아웃" },
  about: { en: "About", ko: "제품 정보" },
  myPage: { en: "My Page", ko: "마이 페이지" },
  settings: { en: "Settings", ko: "설정" },
  bin: { en: "Deleted studies", ko: "삭제한 검사" },
  status: { en: "Server status", ko: "서버 상태" },
  acceptance: { en: "Scanner acceptance", ko: "장비 인수 시험" },
  readingStudies: { en: "Reading studies", ko: "판독 연구" },
  userMenu: { en: "User menu", ko: "사용자 메뉴" },
  theme: { en: "Appearance", ko: "화면 모드" },
  light: { en: "Light", ko: "밝게" },
  dark: { en: "Dark", ko: "어둡게" },
  system: { en: "System settings", ko: "시스템 설정" },
  signedInAs: { en: "Signed in as", ko: "로그인 계정" },
  connectionLost: {
    en: "The connection to the server was lost. Reconnecting…",
    ko: "서버와 연결이 끊어졌습니다. 다시 연결하는 중…",
  },
} as const satisfies Catalogue;
