import type { Catalogue } from "@/model/text.ts";

/** Texts of the sign-in page; those of refused sign-ins are in client/notices/messages.ts. */
export const loginText = {
  tagline: { en: "Brain MRI analysis", ko: "뇌 MRI 분석" },
  pitch: {
    en:
      "Measures brain volumes and compares them with those of healthy people of the same age and sex.",
    ko: "뇌 부피를 측정하여 같은 나이와 성별의 건강한 사람과 비교합니다.",
  },
  demoNotice: {
    en: "For demonstration only. Not for diagnosis.",
    ko: "시연용입니다. 진단에 사용할 수 없습니다.",
  },
  title: { en: "Sign in", ko: "로그인" },
  email: { en: "Email", ko: "이메일" },
  password: { en: "Password", ko: "비밀번호" },
  showPassword: { en: "Show password", ko: "비밀번호 표시" },
  hidePassword: { en: "Hide password", ko: "비밀번호 숨기기" },
  signIn: { en: "Sign In", ko: "로그인" },
  signingIn: { en: "Signing in…", ko: "로그인 중…" },
  signInWith: { en: "Sign in with {name}", ko: "{name} 계정으로 로그인" },
  or: { en: "or", ko: "또는" },
  account: { en: "Email or username", ko: "이메일 또는 사용자 이름" },
  code: { en: "One-time code", ko: "일회용 코드" },
  codeHint: {
    en: "Enter the code from your authenticator app or one of your recovery codes.",
    ko: "인증 앱의 코드 또는 복구 코드를 입력하세요.",
  },
  forgotPassword: { en: "Forgot Password", ko: "비밀번호 찾기" },
} as const satisfies Catalogue;
