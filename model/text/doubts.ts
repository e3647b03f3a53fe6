import type { Catalogue } from "@/model/text.ts";

/** Marks of implausible dates and ages. */
export const doubtText = {
  patient_birthdate: {
    en: "Check the date of birth: it is not plausible. No percentiles are shown.",
    ko: "생년월일을 확인하세요. 올바르지 않은 값으로 보여 백분위를 표시하지 않습니다.",
  },
  study_date: {
    en: "Check the study date: it is not plausible. No percentiles are shown.",
    ko: "검사일을 확인하세요. 올바르지 않은 값으로 보여 백분위를 표시하지 않습니다.",
  },
  patient_age: {
    en: "Check the age: it is not plausible. No percentiles are shown.",
    ko: "나이를 확인하세요. 올바르지 않은 값으로 보여 백분위를 표시하지 않습니다.",
  },
  date_of_series: {
    en: "This is the date of the series; the images have no study date.",
    ko: "시리즈 날짜입니다. 영상에 검사일이 없습니다.",
  },
  date_of_acquisition: {
    en: "This is the date of acquisition; the images have no study date.",
    ko: "촬영 날짜입니다. 영상에 검사일이 없습니다.",
  },
  contradiction: {
    en: "The date of birth and the recorded age do not agree. No percentiles are shown.",
    ko: "생년월일과 기록된 나이가 서로 맞지 않습니다. 백분위를 표시하지 않습니다.",
  },
} as const satisfies Catalogue;
