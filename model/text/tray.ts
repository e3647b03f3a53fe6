import type { Catalogue } from "@/model/text.ts";

/** The tray of the header: what goes on beside the page, and what went wrong. */
export const trayText = {
  title: { en: "Activity", ko: "작업 현황" },
  upload: { en: "Upload of {n} {n|study|studies}", ko: "검사 {n}건 업로드" },
  table: { en: "Export of {n} {n|study|studies}", ko: "검사 {n}건 내보내기" },
  reports: { en: "{n} {n|report|reports} as PDF", ko: "리포트 {n}건 PDF" },
  waiting: { en: "Waiting", ko: "대기 중" },
  elsewhere: { en: "In another tab", ko: "다른 탭에서 진행 중" },
  done: { en: "Finished", ko: "완료" },
  failed: { en: "Failed", ko: "실패" },
  show: { en: "Show", ko: "보기" },
  save: { en: "Save", ko: "저장" },
  cancel: { en: "Cancel", ko: "취소" },
  remove: { en: "Remove from the list", ko: "목록에서 지우기" },
  progress: { en: "Progress: {what}", ko: "진행률: {what}" },
  failures: { en: "Needs attention", ko: "확인 필요" },
  clear: { en: "Clear", ko: "모두 지우기" },
  goToRow: { en: "Go to the study", ko: "검사로 이동" },
  study: { en: "No. {pid}", ko: "번호 {pid}" },
  running: { en: "{n} in progress", ko: "{n}건 진행 중" },
  problems: { en: "{n} {n|failure|failures}", ko: "실패 {n}건" },
  finished: { en: "Finished", ko: "완료됨" },
  missing_table: { en: "Not in the exported file", ko: "내보낸 파일에 없음" },
  missing_reports: { en: "Not in the file of reports", ko: "리포트 파일에 없음" },
  t1_failed: { en: "T1w analysis failed", ko: "T1w 분석 실패" },
  t2_failed: { en: "T2w analysis failed", ko: "T2w 분석 실패" },
} as const satisfies Catalogue;
