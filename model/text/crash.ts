import type { Catalogue } from "@/model/text.ts";

/** Text shown instead of a part of a page that crashed. */
export const crashText = {
  title: {
    en: "This part of the page has stopped working",
    ko: "페이지의 이 부분이 작동을 멈췄습니다",
  },
  advice: {
    en: "The rest of the page still works. If this happens again, contact your administrator.",
    ko: "페이지의 나머지 부분은 계속 사용할 수 있습니다. 다시 발생하면 관리자에게 알려 주세요.",
  },
  retry: { en: "Try again", ko: "다시 시도" },
  close: { en: "Close", ko: "닫기" },
} as const satisfies Catalogue;
