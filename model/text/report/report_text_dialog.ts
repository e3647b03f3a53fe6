import type { Catalogue } from "@/model/text.ts";

/**
 * Texts of the dialog in which a physician writes and signs the conclusion, and its menu entry.
 */
export const reportTextText = {
  title: { en: "Conclusion", ko: "결론" },
  open: { en: "Write conclusion", ko: "결론 작성" },
  openAgain: { en: "Open conclusion", ko: "결론 열기" },
  unsigned: {
    en: "Not signed: suggested by the software.",
    ko: "서명 전: 소프트웨어 제안 문구입니다.",
  },
  readAgain: {
    en: "The results have changed since this text was signed. Please check it and sign again.",
    ko: "이 문구에 서명한 뒤 결과가 변경되었습니다. 문구를 확인하고 다시 서명하세요.",
  },
  draft: {
    en: "Draft by {author}, {at}. It does not appear on the report until it is signed.",
    ko: "{author} 님이 작성한 초안, {at}: 서명 전에는 리포트에 표시되지 않습니다.",
  },
  signed: { en: "Signed by {author}, {at}.", ko: "서명: {author}, {at}" },
  withdrawn: { en: "Signature withdrawn by {author}, {at}.", ko: "서명 철회: {author}, {at}" },
  text: { en: "Text", ko: "문구" },
  count: { en: "{count} of {max} characters", ko: "{max}자 중 {count}자" },
  tooLong: {
    en: "The text must not exceed {max} characters and {lines} lines.",
    ko: "최대 {max}자, {lines}줄까지 입력할 수 있습니다.",
  },
  block: { en: "Standard text", ko: "상용 문구" },
  chooseBlock: { en: "Choose a standard text", ko: "상용 문구를 선택하세요" },
  suggestion: { en: "Insert suggestion", ko: "제안 문구 넣기" },
  beside: {
    en: "Software results not in this text (printed beside it in the report):",
    ko: "이 문구에 없는 소프트웨어 결과(리포트에 함께 인쇄됨):",
  },
  save: { en: "Save draft", ko: "초안 저장" },
  saving: { en: "Saving…", ko: "저장 중…" },
  sign: { en: "Sign", ko: "서명" },
  withdraw: { en: "Withdraw signature", ko: "서명 철회" },
  hint: {
    en:
      "When you sign, this text appears under your name on the report and in every output, and is sent to connected systems. " +
      "It also appears on anonymized reports, so please do not include any names.",
    ko:
      "서명하면 이 문구가 서명자 이름과 함께 모든 출력물에 표시되고 연결된 시스템으로 전송됩니다. " +
      "익명화된 리포트에도 표시되므로 이름을 적지 마세요.",
  },
  conflict: {
    en:
      "{author} has saved version {version} in the meantime. Your text is kept below but has not been saved yet.",
    ko:
      "그동안 {author} 님이 새 문구(버전 {version})를 저장했습니다. 작성 중인 문구는 아래에 그대로 있으나 아직 저장되지 않았습니다.",
  },
  theirs: { en: "Version {version}", ko: "버전 {version}" },
  keepMine: { en: "Continue with my text", ko: "내 문구로 계속" },
  takeTheirs: { en: "Use this version instead", ko: "이 버전 사용" },
  versions: { en: "Versions ({count})", ko: "버전({count})" },
  version: { en: "{version}. {state}, {author}, {at}", ko: "{version}. {state}, {author}, {at}" },
  stateDraft: { en: "draft", ko: "초안" },
  stateSigned: { en: "signed", ko: "서명됨" },
  stateWithdrawn: { en: "signature withdrawn", ko: "서명 철회" },
  useVersion: { en: "Edit this version", ko: "이 버전 편집" },
  done: { en: "Saved.", ko: "저장되었습니다." },
  doneSigned: { en: "Signed.", ko: "서명되었습니다." },
  failedToLoad: { en: "The text could not be loaded.", ko: "문구를 불러오지 못했습니다." },
} as const satisfies Catalogue;
