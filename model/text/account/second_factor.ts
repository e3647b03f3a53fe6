import type { Catalogue } from "@/model/text.ts";

/** Texts of the page on which one-time codes are set up and removed. */
export const secondFactorText = {
  title: { en: "One-time codes", ko: "일회용 코드" },
  why: {
    en:
      "When you sign in, you enter a code from an authenticator app in addition to your password.",
    ko: "로그인할 때 비밀번호와 함께 인증 앱의 코드를 입력합니다.",
  },
  required: {
    en: "This site requires one-time codes.",
    ko: "이 사이트에서는 일회용 코드를 반드시 설정해야 합니다.",
  },
  isOn: {
    en: "One-time codes are on. {n} {n|recovery code is|recovery codes are} left.",
    ko: "일회용 코드를 사용하고 있습니다. 남은 복구 코드: {n}개",
  },
  password: { en: "Your password", ko: "현재 비밀번호" },
  setUp: { en: "Set up", ko: "설정" },
  scan: {
    en:
      "Scan this QR code with your authenticator app, or type the secret key into the app. Then enter the code that the app shows.",
    ko:
      "인증 앱으로 이 QR 코드를 스캔하거나 앱에 비밀 키를 입력한 다음, 앱에 표시되는 코드를 입력하세요.",
  },
  picture: {
    en: "QR code with the secret key for the authenticator app",
    ko: "인증 앱용 비밀 키 QR 코드",
  },
  code: { en: "One-time code", ko: "일회용 코드" },
  confirm: { en: "Confirm", ko: "확인" },
  recovery: {
    en:
      "Keep these recovery codes in a safe place. Each can be used once to sign in without the app. They are shown only once.",
    ko:
      "복구 코드를 안전한 곳에 보관하세요. 앱이 없을 때 복구 코드 하나로 한 번 로그인할 수 있습니다. 복구 코드는 지금만 표시됩니다.",
  },
  done: { en: "Continue", ko: "계속" },
  turnOff: { en: "Turn off", ko: "사용 중지" },
  back: { en: "Back", ko: "돌아가기" },
  signOut: { en: "Sign out", ko: "로그아웃" },
} as const satisfies Catalogue;
