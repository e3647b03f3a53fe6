import type { Catalogue } from "@/model/text.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** The edit form of a row, and interruptions. */
export const patientEditText = {
  edit: { en: "Edit", ko: "편집" },
  form: { en: "Edit {patient}", ko: "{patient} 편집" },
  readings: { en: "Character set", ko: "문자 집합" },
  readingsHint: {
    en:
      "Name and ID from the images, read with other character sets, in case the declared one is wrong:",
    ko: "영상에 지정된 문자 집합이 잘못된 경우, 문자 집합별 이름과 ID:",
  },
  readingDeclared: { en: "as declared", ko: "지정된 대로" },
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
      "The study was deleted by another user. Your changes cannot be saved; you can copy them here until you close the form.",
    ko:
      "다른 사용자가 검사를 삭제했습니다. 입력한 내용은 저장할 수 없으며, 닫을 때까지 여기에서 복사할 수 있습니다.",
  },
  taken: { en: "{user} is currently editing.", ko: "{user} 님이 편집 중입니다." },
  takenKept: {
    en:
      "{user} is currently editing. Your changes are kept; you can save when the record is available.",
    ko: "{user} 님이 편집 중입니다. 입력한 내용은 유지되며, 편집이 끝나면 저장할 수 있습니다.",
  },
  anotherUser: { en: "Another user", ko: "다른 사용자" },
  analyzing: {
    en:
      "The study is being analyzed. Your changes are kept; you can save when the analysis has finished.",
    ko: "검사가 분석 중입니다. 입력한 내용은 유지되며, 분석이 끝나면 저장할 수 있습니다.",
  },
  unreachable: {
    en: "The server cannot be reached. Your changes are kept.",
    ko: "서버에 연결할 수 없습니다. 입력한 내용은 유지됩니다.",
  },
  changed: {
    en: "Another user has changed this record in the meantime: {values}",
    ko: "그동안 다른 사용자가 이 기록을 변경했습니다: {values}",
  },
  useTheirs: { en: "Use their values", ko: "상대방 값 사용" },
  keepMine: { en: "Keep mine", ko: "내 값 유지" },
} as const satisfies Catalogue;
