import type { Catalogue } from "@/model/text.ts";

/** Texts of the page that shows every message; it exists in development builds only. */
export const galleryText = {
  title: { en: "Messages", ko: "메시지" },
  hint: {
    en: "Every toast and dialog in the product, shown once with example values.",
    ko: "제품에서 나타날 수 있는 모든 토스트와 모달을 예시 값으로 하나씩 보여 줍니다.",
  },
  toasts: { en: "Toasts", ko: "토스트" },
  modals: { en: "Modals", ko: "모달" },
  code: { en: "Code", ko: "코드" },
  heading: { en: "Title", ko: "제목" },
  words: { en: "Text", ko: "내용" },
  try: { en: "Try", ko: "미리 보기" },
  show: { en: "Show", ko: "표시" },
} as const satisfies Catalogue;
