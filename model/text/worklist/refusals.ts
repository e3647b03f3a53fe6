import type { Catalogue } from "@/model/text.ts";

/** Error sentences used both inline and in toasts. */
export const refusalText = {
  checkEmail: { en: "Please check your Email.", ko: "이메일을 확인하세요." },
  checkPassword: { en: "Please check your password.", ko: "비밀번호를 확인하세요." },
  check: { en: "Please check {fields}.", ko: "다음 항목을 확인하세요: {fields}" },
  required: { en: "Please input character.", ko: "내용을 입력하세요." },
  labelTooLong: { en: "Character must not exceed 20.", ko: "20자를 넘을 수 없습니다." },
  noViewerData: {
    en: "There are no data available to generate the viewer. Please analyze the file first",
    ko: "뷰어에 표시할 데이터가 없습니다. 먼저 검사를 분석하세요",
  },
  noFile: { en: "There is no selected file.", ko: "선택한 파일이 없습니다." },
  beingAnalyzed: {
    en: "{errorPID} is being analyzed.",
    ko: "{errorPID}번 검사를 분석하고 있습니다.",
  },
  storageAll: { en: "Insufficient server storage", ko: "서버 저장 공간이 부족합니다" },
  onePage: { en: "Please select at least one page.", ko: "페이지를 하나 이상 선택하세요." },
  notAnalyzed: {
    en: "Failed to enter viewer. Please analyze first.",
    ko: "뷰어를 열 수 없습니다. 먼저 분석을 실행하세요.",
  },
} as const satisfies Catalogue;
