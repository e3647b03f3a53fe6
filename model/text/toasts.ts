import type { ToastCode } from "@/model/notice_codes.ts";
import type { Language } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { analysisFailedText } from "@/model/text/analysis_failed.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

type Text = Record<Language, string>;

/** Style of a toast (short message); the title follows from the style (D1 §8) if not given. */
export type ToastKind = "success" | "info" | "warning" | "error";
export const TOAST_TITLES: Record<ToastKind, Text> = {
  success: commonText.completed,
  info: commonText.updated,
  warning: commonText.warning,
  error: commonText.failed,
};

export interface ToastText {
  kind: ToastKind;
  text: Text;
  title?: Text;
  /** label of the toast's button, if it has one */
  action?: Text;
}

/**
 * Texts of all toasts except those of errors. `{name}` is a placeholder.
 * A toast code without a text does not compile.
 */
export const toastText: Record<ToastCode, ToastText> = {
  "unknown": {
    kind: "error",
    text: { en: "An unknown error has occurred.", ko: "알 수 없는 오류가 발생했습니다." },
  },
  "login.check_email": {
    kind: "error",
    text: refusalText.checkEmail,
  },
  "login.check_password": {
    kind: "error",
    text: refusalText.checkPassword,
  },
  "session.signed_out": {
    kind: "success",
    text: { en: "You have signed out.", ko: "로그아웃되었습니다." },
  },
  "token.refresh_failed": {
    kind: "error",
    text: {
      en: "There seems to be an issue with the refresh token.",
      ko: "세션을 갱신하는 중 문제가 발생했습니다.",
    },
  },
  "token.refresh_unanswered": {
    kind: "error",
    text: {
      en: "Occured an issue with the refresh token.",
      ko: "서버가 응답하지 않아 세션을 갱신하지 못했습니다.",
    },
  },
  "settings.updated": {
    kind: "info",
    text: { en: "Information has been updated.", ko: "정보가 변경되었습니다." },
  },
  "settings.updated_group": {
    kind: "info",
    text: {
      en: "Information has been updated. It applies to all users of the organization.",
      ko: "정보가 변경되었습니다. 기관의 모든 사용자에게 적용됩니다.",
    },
  },
  "settings.failed": {
    kind: "error",
    text: {
      en: "Failed to update your information. Please try again.",
      ko: "계정 정보 또는 설정을 변경하지 못했습니다. 다시 시도하세요.",
    },
  },
  "settings.group": {
    kind: "warning",
    text: {
      en: "Group settings apply to all users of the organization.",
      ko: "그룹 설정은 기관의 모든 사용자에게 적용됩니다.",
    },
  },
  "settings.auto_on": {
    kind: "info",
    text: {
      en: "“Upload & Analyze” is on: uploaded studies are analyzed automatically.",
      ko: "‘업로드 및 분석’이 켜졌습니다. 업로드한 검사를 자동으로 분석합니다.",
    },
  },
  "settings.auto_off": {
    kind: "info",
    text: {
      en: "“Upload & Analyze” is off: start analyses from the worklist.",
      ko: "‘업로드 및 분석’이 꺼졌습니다. 분석은 워크리스트에서 시작하세요.",
    },
  },
  "password.changed": {
    kind: "success",
    text: { en: "Your password has been changed.", ko: "비밀번호가 변경되었습니다." },
  },
  "upload.completed": {
    kind: "success",
    text: {
      en: "Upload completed. {success} / {total} uploaded",
      ko: "업로드가 완료되었습니다. {total}건 중 {success}건 업로드됨",
    },
  },
  "upload.some": {
    kind: "warning",
    text: { en: "{success} / {total} uploaded", ko: "{total}건 중 {success}건 업로드됨" },
  },
  "upload.failed": {
    kind: "error",
    text: {
      en: "Upload failed. {success} / {total} uploaded",
      ko: "업로드에 실패했습니다. {total}건 중 {success}건 업로드됨",
    },
  },
  "upload.known": {
    kind: "success",
    text: {
      en:
        "{count} {count|study was|studies were} already stored and {count|was|were} not uploaded again.",
      ko: "이미 저장되어 있어 다시 전송하지 않은 검사: {count}건",
    },
  },
  "upload.partly": {
    kind: "warning",
    text: {
      en:
        "{success} of {total} uploaded, {count} of them only in part because some images could not be used. See the upload window for the reasons.",
      ko:
        "{total}건 중 {success}건 업로드됨. 그중 {count}건은 일부 영상을 사용하지 못했습니다. 이유는 업로드 창에 표시됩니다.",
    },
  },
  "upload.not_used": {
    kind: "warning",
    text: {
      en:
        "{count} {count|study was|studies were} not accepted. See the upload window for the reasons.",
      ko: "사용하지 않은 검사: {count}건. 이유는 업로드 창에 표시됩니다.",
    },
  },
  "upload.storage_all": {
    kind: "error",
    text: refusalText.storageAll,
  },
  "upload.storage_some": {
    kind: "error",
    text: {
      en: "Insufficient server storage. Some uploads failed.",
      ko: "서버 저장 공간이 부족하여 일부 업로드에 실패했습니다.",
    },
  },
  "upload.being_analyzed": {
    kind: "warning",
    text: refusalText.beingAnalyzed,
  },
  "upload.no_credit": {
    kind: "warning",
    text: {
      en: "No remaining credits. Some uploads failed.",
      ko: "남은 크레딧이 없어 일부 업로드에 실패했습니다.",
    },
  },
  "demo.failed": {
    kind: "warning",
    text: {
      en: "Only {n} of {total} demo patients were loaded: {reason}",
      ko: "데모 환자 {total}명 중 {n}명만 불러왔습니다: {reason}",
    },
  },
  "demo.removed": {
    kind: "success",
    text: { en: "Demo studies deleted: {n}", ko: "데모 검사 {n}건을 삭제했습니다." },
  },
  "demo.kept": {
    kind: "warning",
    text: {
      en: "{n} {n|study is|studies are} still being analyzed and could not be deleted yet.",
      ko: "검사 {n}건은 아직 분석 중이어서 삭제하지 못했습니다.",
    },
  },
  "filter.added": {
    kind: "success",
    text: { en: "The filter was added.", ko: "필터를 추가했습니다." },
  },
  "filter.changed": {
    kind: "success",
    text: { en: "The filter was saved.", ko: "필터를 저장했습니다." },
  },
  "filter.deleted": {
    kind: "success",
    text: { en: "The filter was deleted.", ko: "필터를 삭제했습니다." },
  },
  "label.saved": {
    kind: "success",
    text: { en: "The labels were saved.", ko: "라벨을 저장했습니다." },
  },
  "label.failed": {
    kind: "error",
    text: {
      en: "Server error has occurred.",
      ko: "서버 오류가 발생하여 라벨을 저장하지 못했습니다.",
    },
  },
  "label.required": { kind: "error", text: refusalText.required },
  "label.max_length": {
    kind: "error",
    text: refusalText.labelTooLong,
  },
  "edit.saved": {
    kind: "success",
    text: { en: "The patient information was saved.", ko: "환자 정보를 저장했습니다." },
  },
  "edit.failed": {
    kind: "error",
    text: {
      en: "The patient information could not be saved. {why}",
      ko: "환자 정보를 저장하지 못했습니다. {why}",
    },
  },
  "edit.deleted": {
    kind: "error",
    text: {
      en: "The study was deleted by another user.",
      ko: "다른 사용자가 검사를 삭제했습니다.",
    },
  },
  "edit.check": {
    kind: "warning",
    text: refusalText.check,
  },
  "analysis.requested": {
    kind: "info",
    text: { en: "The analysis was requested.", ko: "분석을 요청했습니다." },
  },
  "analysis.started": {
    kind: "info",
    text: {
      en: "{n} {n|study|studies} sent for analysis.",
      ko: "검사 {n}건의 분석을 요청했습니다.",
    },
  },
  "analysis.excluded": {
    kind: "warning",
    text: {
      en: "{n} {n|study|studies} could not be analyzed: {pids}. {reason}",
      ko: "검사 {n}건을 분석할 수 없습니다: {pids}. {reason}",
    },
  },
  "analysis.analyzed_excluded": {
    kind: "info",
    text: {
      en: "Studies that had already been analyzed were skipped.",
      ko: "이미 분석된 검사는 제외했습니다.",
    },
  },
  "analysis.some_failed": {
    kind: "warning",
    text: {
      en: "Some of the selected data have failed to analyze.",
      ko: "선택한 검사 중 일부를 분석하지 못했습니다.",
    },
  },
  "analysis.t1_failed": { kind: "error", text: analysisFailedText.t1Failed },
  "analysis.t2_failed": { kind: "error", text: analysisFailedText.t2Failed },
  "analysis.both_failed": { kind: "error", text: analysisFailedText.bothFailed },
  "study.removed": {
    kind: "success",
    text: { en: "{n} {n|study|studies} deleted.", ko: "검사 {n}건을 삭제했습니다." },
    action: { en: "Undo", ko: "실행 취소" },
  },
  "study.restored": {
    kind: "success",
    text: { en: "{n} {n|study|studies} restored.", ko: "검사 {n}건을 복원했습니다." },
  },
  "study.remove_failed": {
    kind: "error",
    text: {
      en: "{failed} of {n} {n|study|studies} could not be deleted: {reason}",
      ko: "검사 {n}건 중 {failed}건을 삭제하지 못했습니다: {reason}",
    },
  },
  "worklist.some_error": {
    kind: "error",
    text: { en: "Some error occured", ko: "오류가 발생했습니다" },
  },
  "viewer.no_data": {
    kind: "warning",
    text: refusalText.noViewerData,
  },
  "viewer.failed": {
    kind: "error",
    text: { en: "Viewer failed to load.", ko: "뷰어를 불러오지 못했습니다." },
  },
  "report.no_page": {
    kind: "error",
    title: { en: "Selection failed", ko: "선택 실패" },
    text: refusalText.onePage,
  },
  "report.not_analyzed": {
    kind: "warning",
    text: {
      en: "There are no data available to generate the report. Please analyze the file first.",
      ko: "리포트를 만들 데이터가 없습니다. 먼저 검사를 분석하세요.",
    },
  },
  "print.failed": {
    kind: "error",
    text: { en: "Sever Error occured.", ko: "서버 오류로 리포트를 만들지 못했습니다." },
  },
  "print.canceled": { kind: "info", text: { en: "printing canceled", ko: "인쇄를 취소했습니다." } },
  "print.done": {
    kind: "success",
    text: { en: "The PDF file was saved.", ko: "PDF 파일을 저장했습니다." },
  },
  "print.excluded": {
    kind: "warning",
    text: {
      en: "{n} {n|study|studies} without results {n|was|were} omitted.",
      ko: "분석되지 않은 검사 {n}건을 제외했습니다.",
    },
  },
  "export.done": {
    kind: "success",
    text: { en: "{file} was saved.", ko: "{file} 파일을 저장했습니다." },
  },
  "export.canceled": {
    kind: "info",
    text: { en: "The export was canceled.", ko: "내보내기를 취소했습니다." },
  },
  "export.some_failed": {
    kind: "warning",
    text: {
      en: "These studies could not be exported and are not in the file: No. {pids}",
      ko: "다음 검사는 내보내지 못하여 파일에 포함되지 않았습니다(번호: {pids})",
    },
  },
  "export.csv_failed": {
    kind: "error",
    text: { en: "CSV export failed.", ko: "CSV 내보내기에 실패했습니다." },
  },
  "export.xlsx_failed": {
    kind: "error",
    text: { en: "XLSX export failed.", ko: "XLSX 내보내기에 실패했습니다." },
  },
  "clipboard.copied": {
    kind: "success",
    text: { en: "Copied to the clipboard.", ko: "클립보드에 복사했습니다." },
  },
  "clipboard.failed": {
    kind: "error",
    text: {
      en:
        "Failed to copy to the clipboard. Browsers allow copying only on https addresses. Save the image instead.",
      ko:
        "클립보드에 복사하지 못했습니다. 브라우저는 https 주소에서만 복사를 허용합니다. 대신 이미지를 저장하세요.",
    },
  },
  "picture.failed": {
    kind: "error",
    text: { en: "The image could not be created.", ko: "이미지를 만들지 못했습니다." },
  },
};
