import type { Catalogue } from "@/model/text.ts";

/** What can be done with checked studies, and the history of one. */
export const worklistSelectionText = {
  bar: { en: "Selected studies", ko: "선택한 검사" },
  count: { en: "{n} selected", ko: "{n}건 선택됨" },
  clear: { en: "Clear selection", ko: "선택 해제" },
  analyze: { en: "Analyze", ko: "분석" },
  labels: { en: "Labels", ko: "라벨" },
  export: { en: "Export", ko: "내보내기" },
  delete: { en: "Delete", ko: "삭제" },
  deleteTitle: { en: "Delete {n} studies", ko: "검사 {n}건 삭제" },
  deleteOne: { en: "Delete 1 study", ko: "검사 1건 삭제" },
  deleteQuestion: { en: "Deleted images cannot be recovered.", ko: "삭제한 영상은 복구할 수 없습니다." },
  deleted: { en: "{n} deleted.", ko: "{n}건을 삭제했습니다." },
  deleteFailed: {
    en: "{failed} of {n} could not be deleted: {reason}",
    ko: "{n}건 중 {failed}건을 삭제하지 못했습니다: {reason}",
  },
  reanalyzeTitle: { en: "Analyze again", ko: "다시 분석" },
  reanalyzeQuestion: {
    en: "{n} of the selected studies are analyzed already. Analyze them again? Their results are replaced.",
    ko: "선택한 검사 중 {n}건은 이미 분석되었습니다. 다시 분석할까요? 기존 결과가 대체됩니다.",
  },
  reanalyze: { en: "Analyze again", ko: "다시 분석" },
  onlyNew: { en: "Only the others", ko: "나머지만 분석" },
  started: { en: "{n} sent to analysis.", ko: "{n}건의 분석을 요청했습니다." },
  someExcluded: {
    en: "{n} could not be analyzed: {reason}",
    ko: "{n}건을 분석할 수 없습니다: {reason}",
  },
  analyzedExcluded: { en: "Analyzed data were excluded.", ko: "이미 분석된 데이터는 제외되었습니다." },
  history: { en: "Patient History", ko: "환자 이력" },
  historyOf: { en: "Patient History · {patient}", ko: "환자 이력 · {patient}" },
  historyOpen: { en: "Open the history", ko: "이력 열기" },
  historyClose: { en: "Close the history", ko: "이력 닫기" },
  studyDate: { en: "Study Date", ko: "검사일" },
  analysisDate: { en: "Analysis Date", ko: "분석일" },
} as const satisfies Catalogue;
