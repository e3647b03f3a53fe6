import type { Catalogue } from "@/model/text.ts";

/** Texts of context sharing, by which this page and other applications show the same study. */
export const contextText = {
  following: { en: "Synchronized with {hub}", ko: "‘{hub}’ 시스템과 연동 중" },
  connecting: { en: "Connecting to {hub}…", ko: "{hub}에 연결 중…" },
  unreachable: {
    en: "Not synchronized: {hub} cannot be reached",
    ko: "연동 안 됨: {hub}에 연결할 수 없음",
  },
  unshared: {
    en: "{hub} did not accept this study: other applications may be showing a different one",
    ko: "{hub}에서 이 검사를 거부했습니다. 다른 프로그램에는 다른 검사가 열려 있을 수 있습니다",
  },
  title: { en: "From another application", ko: "다른 프로그램의 요청" },
  stayed: {
    en:
      "Another application is showing a different study. This page still shows the original study.",
    ko: "다른 프로그램에서 다른 검사를 열었습니다. 이 화면은 기존 검사를 유지합니다.",
  },
  stayedClosed: {
    en: "Another application has closed this study. It is still open on this page.",
    ko: "다른 프로그램에서 이 검사를 닫았습니다. 이 화면에서는 계속 열려 있습니다.",
  },
  choose: {
    en: "Another application is showing patient {id}, who has {n} {n|study|studies} in Sulcus.",
    ko: "다른 프로그램에서 연 환자({id})의 검사가 Sulcus에 {n}건 있습니다.",
  },
  absent: {
    en: "Another application is showing a study that is not stored in Sulcus.",
    ko: "다른 프로그램에서 연 검사는 Sulcus에 저장되어 있지 않습니다.",
  },
  deleted: {
    en: "Another application is showing a study that has been deleted in Sulcus.",
    ko: "다른 프로그램에서 연 검사는 Sulcus에서 삭제되었습니다.",
  },
  refused: {
    en: "The study was not opened because the patient in the other application and the stored " +
      "study do not match.",
    ko: "다른 프로그램의 환자와 저장된 검사의 정보가 일치하지 않아 열지 않았습니다.",
  },
  unnamed: {
    en: "The study was not opened because the other application did not send both the patient ID " +
      "and the study.",
    ko: "다른 프로그램에서 받은 정보에 환자 ID나 검사가 빠져 있어 검사를 열지 않았습니다.",
  },
  ofOther: { en: "Other application", ko: "다른 프로그램" },
  ofStudy: { en: "Stored study", ko: "저장된 검사" },
  show: { en: "Show studies", ko: "검사 보기" },
  open: { en: "Open study", ko: "해당 검사 열기" },
  dismiss: { en: "Close", ko: "닫기" },
} as const satisfies Catalogue;
