import type { Catalogue } from "@/model/text.ts";

/** Texts of actions on checked studies, and of a study's history. */
export const worklistSelectionText = {
  bar: { en: "Selected studies", ko: "선택한 검사" },
  studies: { en: "{n} {n|study|studies}", ko: "검사 {n}건" },
  count: { en: "{n} selected", ko: "{n}건 선택됨" },
  clear: { en: "Clear selection", ko: "선택 해제" },
  analyze: { en: "Analyze", ko: "분석" },
  labels: { en: "Labels", ko: "라벨" },
  export: { en: "Export", ko: "내보내기" },
  deidentify: { en: "De-identify", ko: "비식별화" },
  deidentifyHint: {
    en: "Save one study's images without the patient's identity",
    ko: "검사 1건의 비식별 영상",
  },
  number: { en: "No. {pid}", ko: "{pid}번" },
  more: { en: "and {n} more", ko: "외 {n}건" },
  delete: { en: "Delete", ko: "삭제" },
  edited: {
    en: "{user} is editing this study; any unsaved changes will be lost.",
    ko: "{user} 님이 편집 중이며, 저장하지 않은 변경 사항은 사라집니다.",
  },
  history: { en: "Patient History", ko: "환자 이력" },
  recordedAs: { en: "Recorded as {facts}.", ko: "기록된 이름: {facts}" },
  otherPersons: {
    en: "{n} {n|study|studies} with this ID may belong to another person",
    ko: "이 ID의 검사 중 {n}건은 다른 환자의 검사일 수 있습니다",
  },
  placeholderId: {
    en: "This ID is a placeholder, so its studies are not compared",
    ko: "이 ID는 임시 값이므로 검사를 서로 비교하지 않습니다",
  },
  sharedId: {
    en: "More than three people have this ID, so its studies are not compared",
    ko: "세 명이 넘는 환자가 이 ID를 함께 쓰므로 검사를 서로 비교하지 않습니다",
  },
  otherPerson: {
    en: "Recorded as {facts}. Possibly another person, so not compared.",
    ko: "기록된 환자 정보: {facts}. 다른 환자일 수 있어 비교하지 않습니다.",
  },
  uncertainPerson: {
    en: "Possibly another person, so not compared.",
    ko: "다른 환자일 수 있어 비교하지 않습니다.",
  },
  historyOf: { en: "Patient History: {patient}", ko: "환자 이력 · {patient}" },
  historyOpen: { en: "Open the history", ko: "이력 열기" },
  compare: { en: "Compare", ko: "비교" },
  compareHint: {
    en: "Open the studies from {date} and {other} side by side",
    ko: "{date} 검사를 {other} 검사와 나란히 열기",
  },
  historyClose: { en: "Close the history", ko: "이력 닫기" },
  studyDate: { en: "Study date", ko: "검사일" },
  analysisDate: { en: "Analysis date", ko: "분석일" },
} as const satisfies Catalogue;
