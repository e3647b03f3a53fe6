import type { Catalogue } from "@/model/text.ts";

/** Texts of the date field and its calendar. */
export const dayText = {
  /** placeholder text of an empty date field */
  form: { en: "YYYY-MM-DD", ko: "YYYY-MM-DD" },
  open: { en: "Calendar: {field}", ko: "달력: {field}" },
  calendar: { en: "Calendar", ko: "달력" },
  yearBefore: { en: "Previous year", ko: "이전 해" },
  monthBefore: { en: "Previous month", ko: "이전 달" },
  monthAfter: { en: "Next month", ko: "다음 달" },
  yearAfter: { en: "Next year", ko: "다음 해" },
} as const satisfies Catalogue;
