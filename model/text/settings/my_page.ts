import type { Catalogue } from "@/model/text.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** Texts of My Page, the user's own settings (D1 §2, §5 and §8). */
export const myPageText = {
  title: { en: "My Page", ko: "마이 페이지" },
  name: { en: "Name", ko: "이름" },
  hospitalName: { en: "Hospital name", ko: "병원 이름" },
  hospitalHint: {
    en: "The hospital's name and logo appear on all of the organization's reports.",
    ko: "병원 이름과 로고는 기관의 모든 리포트에 표시됩니다.",
  },
  logo: { en: "Logo", ko: "로고" },
  logoHint: { en: "PNG or JPG, at most 1\u00a0MB", ko: "PNG 또는 JPG, 최대 1\u00a0MB" },
  noLogo: { en: "No logo", ko: "로고 없음" },
  chooseLogo: { en: "Choose file", ko: "파일 선택" },
  removeLogo: { en: "Delete", ko: "삭제" },
  password: { en: "Change password", ko: "비밀번호 변경" },
  passwordHint: {
    en:
      "At least 8 characters, including a number and a special character. Leave all three fields empty to keep your current password.",
    ko: "숫자와 특수문자를 포함한 8자 이상입니다. 변경하지 않으려면 세 칸을 모두 비워 두세요.",
  },
  current: { en: "Current password", ko: "현재 비밀번호" },
  next: { en: "New password", ko: "새 비밀번호" },
  confirmation: { en: "Confirm new password", ko: "새 비밀번호 확인" },
  required: refusalText.required,
  tooLong: { en: "Cannot exceed {maxLength} characters.", ko: "{maxLength}자를 넘을 수 없습니다." },
  failedToLoad: { en: "Your information could not be loaded.", ko: "정보를 불러오지 못했습니다." },
  save: { en: "Save", ko: "저장" },
  cancel: { en: "Cancel", ko: "취소" },
} as const satisfies Catalogue;
