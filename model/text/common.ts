import type { Catalogue } from "@/model/text.ts";

/** Words that every page uses. */
export const commonText = {
  product: { en: "Sulcus", ko: "Sulcus" },
  tagline: { en: "Brain MRI analysis", ko: "뇌 MRI 분석" },
  pitch: {
    en: "Brain volumes, compared with healthy people of the same age and sex, ready to read and to print.",
    ko: "같은 나이와 성별의 건강한 사람과 비교한 뇌 부피를 바로 확인하고 출력할 수 있습니다.",
  },
  demoNotice: {
    en: "For demonstration only. Not for diagnosis.",
    ko: "시연용입니다. 진단에 사용할 수 없습니다.",
  },
  language: { en: "Language", ko: "언어" },
  english: { en: "English", ko: "English" },
  korean: { en: "한국어", ko: "한국어" },
  ok: { en: "OK", ko: "확인" },
  cancel: { en: "Cancel", ko: "취소" },
  close: { en: "Close", ko: "닫기" },
  confirm: { en: "Confirm", ko: "확인" },
  retry: { en: "Try again", ko: "다시 시도" },
  reload: { en: "Reload", ko: "새로 고침" },
  loading: { en: "Loading", ko: "불러오는 중" },
  male: { en: "M", ko: "M" },
  female: { en: "F", ko: "F" },
  error: { en: "Error", ko: "오류" },
  completed: { en: "Completed", ko: "완료" },
  failed: { en: "Failed", ko: "실패" },
  updated: { en: "Updated", ko: "변경됨" },
  warning: { en: "Warning", ko: "주의" },
  goHome: { en: "Go to Home", ko: "홈으로" },
  goHomepage: { en: "Go to Homepage", ko: "홈페이지로" },
  goLogin: { en: "Go to Login", ko: "로그인으로" },
  notFound: { en: "Page does not exist.", ko: "페이지가 존재하지 않습니다." },
  forbidden: { en: "Unable to access the page.", ko: "페이지에 접근할 수 없습니다." },
  errorHappened: { en: "An error has occurred.", ko: "오류가 발생했습니다." },
  requestId: { en: "Request", ko: "요청 번호" },
} as const satisfies Catalogue;
