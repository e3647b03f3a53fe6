import type { Catalogue } from "@/model/text.ts";

/** The page on which a generated password is changed. */
export const passwordText = {
  title: { en: "Choose a password", ko: "비밀번호 설정" },
  why: {
    en:
      "Your password was created for you. Before you continue, choose a password that only you know.",
    ko: "현재 비밀번호는 자동으로 생성된 것입니다. 계속하려면 본인만 아는 비밀번호를 설정하세요.",
  },
  rule: {
    en: "At least 8 characters, including a number and a special character.",
    ko: "숫자와 특수문자를 포함하여 8자 이상이어야 합니다.",
  },
  signOut: { en: "Sign out", ko: "로그아웃" },
} as const satisfies Catalogue;
