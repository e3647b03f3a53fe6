import type { Catalogue } from "@/model/text.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** Texts of the form that edits a worklist row, and of interrupted editing. */
export const patientEditText = {
  edit: { en: "Edit", ko: "편집" },
  form: { en: "Edit {patient}", ko: "{patient} 편집" },
  readings: { en: "Character set", ko: "문자 집합" },
  readingsHint: {
    en: "If the name or ID looks garbled, choose the character set that displays it correctly:",
    ko: "이름이나 ID가 깨져 보이면 올바르게 읽히는 문자 집합을 선택하세요:",
  },
  readingDeclared: { en: "as specified in the images", ko: "영상에 지정됨" },
  save: { en: "Save", ko: "저장" },
  cancel: { en: "Cancel", ko: "취소" },
  close: { en: "Close", ko: "닫기" },
  patient_id: { en: "Patient ID", ko: "환자 ID" },
  patient_name: { en: "Name", ko: "이름" },
  patient_sex: { en: "Sex", ko: "성별" },
  patient_birthdate: { en: "Birth date", ko: "생년월일" },
  study_date: { en: "Study date", ko: "검사일" },
  age: { en: "Age", ko: "나이" },
  male: { en: "M", ko: "M" },
  female: { en: "F", ko: "F" },
  required: refusalText.required,
  tooLong: { en: "Cannot exceed {maxLength} characters.", ko: "{maxLength}자를 넘을 수 없습니다." },
  controlCharacter: {
    en: "Tabs, line breaks and other control characters are not allowed.",
    ko: "탭, 줄바꿈 등 제어 문자는 사용할 수 없습니다.",
  },
  checkStudy: { en: "study date", ko: "검사일" },
  checkBirth: { en: "birth date", ko: "생년월일" },
  checkSex: { en: "sex", ko: "성별" },
  checkAge: { en: "age", ko: "나이" },
  deletedKept: {
    en:
      "The study was deleted by another user, so your changes cannot be saved. Copy what you need before you close this form.",
    ko:
      "다른 사용자가 검사를 삭제하여 입력한 내용을 저장할 수 없습니다. 필요한 내용은 이 창을 닫기 전에 복사하세요.",
  },
  taken: { en: "{user} is editing this study.", ko: "{user} 님이 편집 중입니다." },
  takenKept: {
    en:
      "{user} is editing this study. Your changes are kept; you can save them when the other user has finished.",
    ko: "{user} 님이 편집 중입니다. 입력한 내용은 유지되며, 편집이 끝나면 저장할 수 있습니다.",
  },
  anotherUser: { en: "Another user", ko: "다른 사용자" },
  analyzing: {
    en:
      "The study is being analyzed. Your changes are kept; you can save them when the analysis is complete.",
    ko: "검사를 분석하고 있습니다. 입력한 내용은 유지되며, 분석이 끝나면 저장할 수 있습니다.",
  },
  unreachable: {
    en: "The server cannot be reached. Your changes are kept.",
    ko: "서버에 연결할 수 없습니다. 입력한 내용은 유지됩니다.",
  },
  changed: {
    en: "Another user has changed this record in the meantime: {values}",
    ko: "그동안 다른 사용자가 이 기록을 변경했습니다: {values}",
  },
  useTheirs: { en: "Use their values", ko: "다른 사용자의 값 사용" },
  keepMine: { en: "Keep my values", ko: "내 값 유지" },
} as const satisfies Catalogue;
