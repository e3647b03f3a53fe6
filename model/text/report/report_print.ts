import type { Catalogue } from "@/model/text.ts";

/** Reports of several studies as one PDF (D2 §4 and §8). */
export const reportPrintText = {
  action: { en: "Reports", ko: "리포트" },
  title: { en: "Reports as PDF", ko: "리포트 PDF" },
  running: { en: "{n} reports: {percent}%", ko: "리포트 {n}건: {percent}%" },
  runningOne: { en: "1 report: {percent}%", ko: "리포트 1건: {percent}%" },
  hint: {
    en: "One file with the language, the pages and the anonymity of your settings.",
    ko: "설정한 언어, 페이지, 익명화에 따라 파일 하나로 만듭니다.",
  },
  progress: { en: "Progress of the reports", ko: "리포트 진행률" },
  cancel: { en: "Cancel printing", ko: "인쇄 취소" },
  missing: { en: "Not in the file:", ko: "파일에 없는 검사:" },
  study: { en: "No. {pid}", ko: "번호 {pid}" },
} as const satisfies Catalogue;
