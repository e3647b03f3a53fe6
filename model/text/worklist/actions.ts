import type { Catalogue } from "@/model/text.ts";

/** Button labels and short words used on every page. */
export const commonText = {
  product: { en: "Sulcus", ko: "Sulcus" },
  language: { en: "Language", ko: "언어" },
  ok: { en: "OK", ko: "확인" },
  cancel: { en: "Cancel", ko: "취소" },
  close: { en: "Close", ko: "닫기" },
  confirm: { en: "Confirm", ko: "확인" },
  retry: { en: "Try again", ko: "다시 시도" },
  loading: { en: "Loading", ko: "불러오는 중" },
  error: { en: "Error", ko: "오류" },
  completed: { en: "Completed", ko: "완료" },
  failed: { en: "Failed", ko: "실패" },
  updated: { en: "Updated", ko: "변경됨" },
  warning: { en: "Warning", ko: "주의" },
  andMore: { en: "{list} and {n} more", ko: "{list} 외 {n}건" },
  goHome: { en: "Go to Home", ko: "홈으로" },
} as const satisfies Catalogue;
