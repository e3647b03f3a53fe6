// Long because every toast and modal stands here once, in both languages: nothing but words by their codes.
import type { ErrorCode } from "@/model/errors.ts";
import type { ModalCode, QuestionCode, ToastCode } from "@/model/notice_codes.ts";
import type { Language } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { analysisFailedText } from "@/model/text/analysis_failed.ts";
import { licenseText } from "@/model/text/account/license.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { sessionText } from "@/model/text/account/session.ts";

type Text = Record<Language, string>;

/** How a toast looks; its title follows from it (D1 §8) unless it has one of its own. */
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
}
export interface ModalText {
  title: Text;
  text: Text;
  /** label of the button that goes on; "Confirm" when absent */
  confirm?: Text;
  /** label of a button between the two, which goes another way on */
  alternative?: Text;
  /** label of the button that goes back, as Escape does; without it the modal only informs */
  cancel?: Text;
  isDangerous?: boolean;
  /** label of a text box that may stay empty */
  field?: Text;
}

/** Every passing message beside the errors, once. `{name}` is filled in. A code without its words does not compile. */
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
  "session.signed_out": { kind: "success", text: { en: "You have signed out.", ko: "로그아웃되었습니다." } },
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
    text: { en: "Information has been updated.", ko: "정보가 업데이트되었습니다." },
  },
  "settings.updated_group": {
    kind: "info",
    text: {
      en: "Information has been updated. It applies to all users of the organization.",
      ko: "정보가 업데이트되었습니다. 기관의 모든 사용자에게 적용됩니다.",
    },
  },
  "settings.failed": {
    kind: "error",
    text: {
      en: "Failed to update your information. Please try again.",
      ko: "정보를 업데이트하지 못했습니다. 다시 시도하세요.",
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
    text: { en: "Auto-analyze on upload is on.", ko: "업로드 시 자동 분석이 켜졌습니다." },
  },
  "settings.auto_off": {
    kind: "info",
    text: { en: "Auto-analyze on upload is off.", ko: "업로드 시 자동 분석이 꺼졌습니다." },
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
      en: "{count} {count|study was|studies were} already stored and not sent again.",
      ko: "이미 저장되어 있어 다시 전송하지 않은 검사: {count}건",
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
      en: "{n} of {total} demo patients were loaded: {reason}",
      ko: "데모 환자 {total}명 중 {n}명만 불러왔습니다: {reason}",
    },
  },
  "demo.removed": {
    kind: "success",
    text: { en: "Demo studies removed: {n}", ko: "데모 검사 {n}건을 지웠습니다." },
  },
  "demo.kept": {
    kind: "warning",
    text: {
      en: "Still being analyzed, so not removed yet: {n}",
      ko: "분석 중이어서 아직 지우지 못한 검사: {n}건",
    },
  },
  "filter.added": { kind: "success", text: { en: "The filter was added.", ko: "필터를 추가했습니다." } },
  "filter.changed": { kind: "success", text: { en: "The filter was saved.", ko: "필터를 저장했습니다." } },
  "filter.deleted": { kind: "success", text: { en: "The filter was deleted.", ko: "필터를 삭제했습니다." } },
  "label.saved": { kind: "success", text: { en: "The labels were saved.", ko: "라벨을 저장했습니다." } },
  "label.failed": {
    kind: "error",
    text: { en: "Server error has occurred.", ko: "서버 오류가 발생하여 라벨을 저장하지 못했습니다." },
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
    text: { en: "The study was deleted by another user.", ko: "다른 사용자가 검사를 삭제했습니다." },
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
    text: { en: "{n} {n|study|studies} sent for analysis.", ko: "{n}건의 분석을 요청했습니다." },
  },
  "analysis.excluded": {
    kind: "warning",
    text: {
      en: "{n} {n|study|studies} could not be analyzed: {pids}. {reason}",
      ko: "{n}건을 분석할 수 없습니다: {pids}. {reason}",
    },
  },
  "analysis.analyzed_excluded": {
    kind: "info",
    text: { en: "Analyzed data were excluded.", ko: "이미 분석된 데이터는 제외되었습니다." },
  },
  "analysis.some_failed": {
    kind: "warning",
    text: {
      en: "Some of the selected data have failed to analyze.",
      ko: "선택한 데이터 중 일부를 분석하지 못했습니다.",
    },
  },
  "analysis.t1_failed": { kind: "error", text: analysisFailedText.t1Failed },
  "analysis.t2_failed": { kind: "error", text: analysisFailedText.t2Failed },
  "analysis.both_failed": { kind: "error", text: analysisFailedText.bothFailed },
  "study.removed": {
    kind: "success",
    text: { en: "{n} {n|study|studies} deleted.", ko: "{n}건을 삭제했습니다." },
  },
  "study.remove_failed": {
    kind: "error",
    text: {
      en: "{failed} of {n} {n|study|studies} could not be deleted: {reason}",
      ko: "{n}건 중 {failed}건을 삭제하지 못했습니다: {reason}",
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
      ko: "리포트를 만들 데이터가 없습니다. 먼저 파일을 분석하세요.",
    },
  },
  "print.failed": {
    kind: "error",
    text: { en: "Sever Error occured.", ko: "서버 오류로 리포트를 만들지 못했습니다." },
  },
  "print.canceled": { kind: "info", text: { en: "printing canceled", ko: "인쇄를 취소했습니다." } },
  "print.done": { kind: "success", text: { en: "The PDF file was saved.", ko: "PDF 파일을 저장했습니다." } },
  "print.excluded": {
    kind: "warning",
    text: {
      en: "{n} unanalyzed {n|result was|results were} left out",
      ko: "분석되지 않은 결과를 제외했습니다: {n}건",
    },
  },
  "export.done": {
    kind: "success",
    text: { en: "The {file} file was saved.", ko: "{file} 파일을 저장했습니다." },
  },
  "export.canceled": {
    kind: "info",
    text: { en: "The export was canceled.", ko: "내보내기를 취소했습니다." },
  },
  "export.some_failed": {
    kind: "warning",
    text: {
      en: "Could not be exported, so not in the file: No. {pids}",
      ko: "내보내지 못해 파일에 없는 검사: 번호 {pids}",
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
        "Failed to copy to the clipboard. Browsers allow it on https addresses only; save the picture instead.",
      ko: "클립보드에 복사하지 못했습니다. 브라우저는 https 주소에서만 허용합니다. 이미지를 저장하세요.",
    },
  },
  "picture.failed": {
    kind: "error",
    text: { en: "The image could not be created.", ko: "이미지를 만들지 못했습니다." },
  },
};

/** Every modal beside the errors, once. */
export const modalText: Record<ModalCode, ModalText> & Record<QuestionCode, { cancel: Text }> = {
  "error": { title: commonText.error, text: { en: "An error has occurred.", ko: "오류가 발생했습니다." } },
  "login.forgot_password": {
    title: { en: "Forgot Password", ko: "비밀번호 찾기" },
    text: {
      en: "Please contact the hospital administrator to retrieve your password.",
      ko: "비밀번호는 병원 관리자에게 문의하세요.",
    },
  },
  "session.sign_out": {
    title: sessionText.signOut,
    text: { en: "Are you sure you want to sign out?", ko: "로그아웃하시겠습니까?" },
    confirm: sessionText.signOut,
    cancel: commonText.cancel,
  },
  "changes.discard": {
    title: { en: "Leave without saving?", ko: "저장하지 않고 나갈까요?" },
    text: { en: "Your changes will be lost.", ko: "변경한 내용이 사라집니다." },
    confirm: { en: "Leave", ko: "나가기" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "demo.remove": {
    title: { en: "Remove demo patients", ko: "데모 환자 지우기" },
    text: {
      en: "The {n} made-up {n|study|studies} are deleted. Studies of real patients stay.",
      ko: "가상의 검사 {n}건을 삭제합니다. 실제 환자의 검사는 그대로 남습니다.",
    },
    confirm: { en: "Remove", ko: "지우기" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "study.delete": {
    title: { en: "Delete {studies}", ko: "{studies} 삭제" },
    text: { en: "Deleted images cannot be recovered.", ko: "삭제한 영상은 복구할 수 없습니다." },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
    field: { en: "Reason (optional)", ko: "사유 (선택 사항)" },
  },
  "study.updated": {
    title: commonText.warning,
    text: {
      en: "The patient information was updated. You will return to Home.",
      ko: "환자 정보가 변경되었습니다. 홈으로 이동합니다.",
    },
  },
  "edit.discard": {
    title: { en: "Discard changes", ko: "변경 내용 취소" },
    text: {
      en: "Your changes to {patient} have not been saved.",
      ko: "{patient}에 입력한 내용이 저장되지 않았습니다.",
    },
    confirm: { en: "Discard", ko: "저장하지 않음" },
    cancel: { en: "Keep editing", ko: "계속 편집" },
    isDangerous: true,
  },
  "edit.discard_deleted": {
    title: { en: "Study deleted", ko: "검사 삭제됨" },
    text: {
      en:
        "Another user deleted the study, so your changes to {patient} cannot be saved. Copy what you need before closing.",
      ko:
        "다른 사용자가 검사를 삭제하여 {patient}에 입력한 내용을 저장할 수 없습니다. 필요한 내용을 복사한 뒤 닫으세요.",
    },
    confirm: { en: "Close", ko: "닫기" },
    cancel: { en: "Go back", ko: "돌아가기" },
    isDangerous: true,
  },
  "edit.reanalyze": {
    title: { en: "Edit analyzed info", ko: "분석된 정보 편집" },
    text: {
      en: "The patient information has changed and may affect the results. Do you want to re-analyze?",
      ko: "환자 정보가 변경되어 결과가 달라질 수 있습니다. 다시 분석할까요?",
    },
    confirm: { en: "Re-analyze", ko: "다시 분석" },
    alternative: { en: "Keep the results", ko: "기존 결과 유지" },
    cancel: commonText.cancel,
  },
  "edit.reanalyzed": {
    title: { en: "Patient information updated", ko: "환자 정보 변경됨" },
    text: {
      en:
        "The patient information was updated and the study is being analyzed again. You will return to Home.",
      ko: "환자 정보가 변경되어 다시 분석합니다. 홈으로 이동합니다.",
    },
  },
  "edit.kept": {
    title: { en: "Patient information updated", ko: "환자 정보 변경됨" },
    text: {
      en:
        "The patient information was updated. The results were not analyzed again. You will return to Home.",
      ko: "환자 정보가 변경되었습니다. 결과는 다시 분석하지 않았습니다. 홈으로 이동합니다.",
    },
  },
  "label.delete": {
    title: { en: "Delete label", ko: "라벨 삭제" },
    text: {
      en: "The label “{label}” will be removed from {n} {n|study|studies} when you save.",
      ko: "검사 {n}건에 “{label}” 라벨이 있습니다. 저장하면 모든 검사에서 제거됩니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "label.attach": {
    title: { en: "New label", ko: "새 라벨" },
    text: {
      en: "{n} {n|study is|studies are} selected. Where should the new label “{label}” be added?",
      ko: "검사 {n}건이 선택되어 있습니다. 새 라벨 “{label}”을(를) 어디에 추가할까요?",
    },
    confirm: { en: "All {n} studies", ko: "검사 {n}건 모두" },
    alternative: { en: "Label list only", ko: "목록에만" },
    cancel: commonText.cancel,
  },
  "opinion.leave": {
    title: { en: "Opinion not applied", ko: "소견이 저장되지 않음" },
    text: {
      en: "The text of “{name}” has not been applied. Apply it before continuing?",
      ko: "“{name}”의 문구가 반영되지 않았습니다. 반영하고 계속할까요?",
    },
    confirm: { en: "Apply", ko: "반영" },
    alternative: { en: "Discard", ko: "저장하지 않음" },
    cancel: commonText.cancel,
  },
  "filter.delete": {
    title: { en: "Delete filter", ko: "필터 삭제" },
    text: { en: "The filter “{name}” will be deleted.", ko: "“{name}” 필터가 삭제됩니다." },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "upload.cancel": {
    title: { en: "Cancel the upload?", ko: "업로드를 취소하시겠습니까?" },
    text: {
      en: "Studies already stored stay in the worklist. The others are discarded.",
      ko: "이미 저장된 검사는 워크리스트에 남고, 나머지는 저장되지 않습니다.",
    },
    confirm: { en: "Cancel upload", ko: "업로드 취소" },
    cancel: { en: "Continue", ko: "계속" },
    isDangerous: true,
  },
  "analysis.again": {
    title: { en: "Analyze again", ko: "다시 분석" },
    text: {
      en:
        "All selected studies have already been analyzed. Analyze them again? Their results will be replaced.",
      ko: "선택한 검사는 이미 분석되었습니다. 다시 분석할까요? 기존 결과가 대체됩니다.",
    },
    confirm: { en: "Analyze again", ko: "다시 분석" },
    cancel: commonText.cancel,
  },
  "analysis.again_some": {
    title: { en: "Analyze again", ko: "다시 분석" },
    text: {
      en:
        "{n} selected {n|study already has|studies already have} results. Analyze again? The results will be replaced.",
      ko: "선택한 검사 중 {n}건은 이미 분석되었습니다. 다시 분석할까요? 기존 결과가 대체됩니다.",
    },
    confirm: { en: "Analyze again", ko: "다시 분석" },
    alternative: { en: "Only the rest", ko: "나머지만 분석" },
    cancel: commonText.cancel,
  },
  "norm.propose": {
    title: { en: "Propose norms", ko: "규준 제안" },
    text: {
      en:
        "Propose an offset and a scale for {scanner} from {n} {n|control|controls}? Nothing changes until another administrator accepts them.",
      ko:
        "{scanner}에 대해 대조군 {n}명의 보정값을 제안할까요? 다른 관리자가 승인하기 전에는 아무것도 바뀌지 않습니다.",
    },
    confirm: { en: "Propose", ko: "제안" },
    cancel: commonText.cancel,
  },
  "norm.accept": {
    title: { en: "Accept norms", ko: "규준 승인" },
    text: {
      en: "Apply these norms to new results of {scanner}? Stored results do not change.",
      ko: "{scanner}의 새 결과에 이 규준을 적용할까요? 저장된 결과는 그대로 유지됩니다.",
    },
    confirm: { en: "Accept", ko: "승인" },
    cancel: commonText.cancel,
  },
  "norm.revoke": {
    title: { en: "Undo norms", ko: "규준 되돌리기" },
    text: {
      en: "Undo the norms of {scanner}? All results that use them return to their previous values.",
      ko: "{scanner}의 규준을 되돌릴까요? 이 규준이 적용된 모든 결과가 이전과 같이 표시됩니다.",
    },
    confirm: { en: "Undo", ko: "되돌리기" },
    cancel: { en: "Keep", ko: "유지" },
    isDangerous: true,
  },
  "norm.apply": {
    title: { en: "Recompute stored results", ko: "저장된 결과 다시 계산" },
    text: {
      en:
        "Apply these norms to the stored results of {scanner}? Percentiles of {n} {n|study|studies} change.",
      ko: "저장된 {scanner} 결과에 이 규준을 적용할까요? 검사 {n}건의 백분위가 바뀝니다.",
    },
    confirm: { en: "Recompute", ko: "다시 계산" },
    cancel: commonText.cancel,
  },
  "analysis.reason": { title: commonText.failed, text: { en: "{reason}", ko: "{reason}" } },
};

/** Titles of the errors that are shown in a modal; the others are called "Error". */
export const modalTitle: Partial<Record<ErrorCode, Text>> = {
  "token.expired": { en: "Session Timeout", ko: "세션 만료" },
  "token.revoked": { en: "Multi Login", ko: "중복 로그인" },
  "storage.full": {
    en: "Low on server storage ({percent} full)",
    ko: "서버 저장 공간 부족 ({percent} 사용)",
  },
  "credit.none": licenseText.noCreditTitle,
  "license.expired": licenseText.expiredTitle,
  "license.not_started": commonText.warning,
  "study.being_edited": commonText.warning,
  "study.deleted": commonText.warning,
};
