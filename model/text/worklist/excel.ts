import type { Catalogue } from "@/model/text.ts";

/** Export of studies as a table. */
export const excelText = {
  title: { en: "Export", ko: "내보내기" },
  titleAll: { en: "Export All", ko: "전체 내보내기" },
  checked: { en: "Selected studies: {n}", ko: "선택한 검사: {n}건" },
  filtered: {
    en: "The filtered list in its current order: {n}",
    ko: "현재 필터와 정렬에 따른 목록 전체: {n}건",
  },
  format: { en: "File format", ko: "파일 형식" },
  csv: { en: "CSV", ko: "CSV" },
  csvText: { en: "Plain text, opens in any program", ko: "텍스트, 모든 프로그램에서 사용 가능" },
  xlsx: { en: "XLSX", ko: "XLSX" },
  xlsxText: { en: "Excel workbook", ko: "Excel 통합 문서" },
  start: { en: "Export", ko: "내보내기" },
  running: { en: "Exporting… {percent}%", ko: "내보내는 중… {percent}%" },
  progress: { en: "Export progress", ko: "내보내기 진행률" },
  cancel: { en: "Cancel the export", ko: "내보내기 취소" },
  someFailed: {
    en: "{n} {n|study|studies} could not be exported",
    ko: "내보내지 못해 파일에 없는 검사: {n}건",
  },
  study: { en: "No. {pid}", ko: "번호 {pid}" },
} as const satisfies Catalogue;
