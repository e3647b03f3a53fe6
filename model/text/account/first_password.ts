import type { Catalogue } from "@/model/text.ts";

/** Texts of the page on which a user replaces a generated password. */
export const passwordText = {
  title: { en: "Choose a password", ko: "비밀번호 설정" },
  why: {
    en:
      "Your current password is temporary. To continue, choose a new password that only you know.",
    ko: "현재 비밀번호는 임시 비밀번호입니다. 계속하려면 본인만 아는 새 비밀번호를 설정하세요.",
  },
  rule: {
    en: "Use at least 8 characters, including a number and a special character.",
    ko: "숫자와 특수문자를 포함하여 8자 이상이어야 합니다.",
  },
  signOut: { en: "Sign out", ko: "로그아웃" },
} as const satisfies Catalogue;
