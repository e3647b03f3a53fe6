import type { Catalogue } from "@/model/text.ts";

/** Texts of the marks beside implausible dates and ages. */
export const doubtText = {
  patient_birthdate: {
    en: "The date of birth is implausible, so no percentiles are shown. Please check the date.",
    ko: "생년월일을 확인하세요. 올바르지 않은 값으로 보여 백분위를 표시하지 않습니다.",
  },
  study_date: {
    en: "The study date is implausible, so no percentiles are shown. Please check the date.",
    ko: "검사일을 확인하세요. 올바르지 않은 값으로 보여 백분위를 표시하지 않습니다.",
  },
  patient_age: {
    en: "The age is implausible, so no percentiles are shown. Please check the age.",
    ko: "나이를 확인하세요. 올바르지 않은 값으로 보여 백분위를 표시하지 않습니다.",
  },
  date_of_series: {
    en: "The images have no study date. The date of the series is shown instead.",
    ko: "영상에 검사일이 없어 시리즈 날짜를 표시합니다.",
  },
  date_of_acquisition: {
    en: "The images have no study date. The date of acquisition is shown instead.",
    ko: "영상에 검사일이 없어 촬영 날짜를 표시합니다.",
  },
  contradiction: {
    en: "The date of birth and the recorded age do not agree, so no percentiles are shown.",
    ko: "생년월일과 기록된 나이가 서로 맞지 않습니다. 백분위를 표시하지 않습니다.",
  },
} as const satisfies Catalogue;
