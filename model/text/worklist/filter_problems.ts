import type { Catalogue } from "@/model/text.ts";
import { errorText } from "@/model/text/errors.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** Texts of validation errors in a search filter (D1 §5). */
export const filterProblemText = {
  name_required: refusalText.required,
  name_duplicate: errorText["filter.duplicate_name"],
  age_range: { en: "Please put number between 1 to 199", ko: "1에서 199 사이의 숫자를 입력하세요" },
  age_order: {
    en: "Please enter a larger number than the left field",
    ko: "왼쪽 칸의 값보다 큰 숫자를 입력하세요",
  },
  date_wrong: {
    en: "Please enter a date as YYYY-MM-DD.",
    ko: "날짜를 YYYY-MM-DD 형식으로 입력하세요.",
  },
  date_order: {
    en: "The end date must not be before the start date.",
    ko: "종료일은 시작일보다 빠를 수 없습니다.",
  },
} as const satisfies Catalogue;
