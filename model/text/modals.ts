import type { ErrorCode } from "@/model/errors.ts";
import type { ModalCode, QuestionCode } from "@/model/notice_codes.ts";
import type { Language } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { licenseText } from "@/model/text/account/license.ts";
import { sessionText } from "@/model/text/account/session.ts";

type Text = Record<Language, string>;

/** Text and buttons of a modal dialog. */
export interface ModalText {
  title: Text;
  text: Text;
  /** label of the button that continues; default "Confirm" */
  confirm?: Text;
  /** label of a third button for an alternative action */
  alternative?: Text;
  /** label of the button that cancels, like Escape; without it the modal only informs */
  cancel?: Text;
  isDangerous?: boolean;
  /** label of an optional text box */
  field?: Text;
}

/** Texts of all modal dialogs except those of errors. */
export const modalText: Record<ModalCode, ModalText> & Record<QuestionCode, { cancel: Text }> = {
  "error": {
    title: commonText.error,
    text: { en: "An error has occurred.", ko: "오류가 발생했습니다." },
  },
  "login.forgot_password": {
    title: { en: "Forgot Password", ko: "비밀번호 찾기" },
    text: {
      en: "Please contact the hospital administrator to retrieve your password.",
      ko: "비밀번호를 잊은 경우 병원 관리자에게 문의하세요.",
    },
  },
  "session.sign_out": {
    title: sessionText.signOut,
    text: { en: "Are you sure you want to sign out?", ko: "로그아웃할까요?" },
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
  "context.leave": {
    title: { en: "Open another study?", ko: "다른 검사를 열까요?" },
    text: {
      en: "Another application has opened this study:\n{study}\n\nIf it is opened here, unsaved " +
        "work on this page will be lost.",
      ko: "다른 프로그램에서 다음 검사를 열었습니다.\n{study}\n\n이 검사를 열면 현재 화면에서 " +
        "저장하지 않은 작업은 사라집니다.",
    },
    confirm: { en: "Open without saving", ko: "저장하지 않고 열기" },
    cancel: { en: "Stay", ko: "머무르기" },
    isDangerous: true,
  },
  "context.close": {
    title: { en: "Close the study?", ko: "검사를 닫을까요?" },
    text: {
      en: "Another application has closed this study. If it is closed here, unsaved work on this " +
        "page will be lost.",
      ko: "다른 프로그램에서 이 검사를 닫았습니다. 여기서도 닫으면 이 화면에서 저장하지 않은 " +
        "작업은 사라집니다.",
    },
    confirm: { en: "Close without saving", ko: "저장하지 않고 닫기" },
    cancel: { en: "Stay", ko: "머무르기" },
    isDangerous: true,
  },
  "demo.remove": {
    title: { en: "Delete demo patients", ko: "데모 환자 삭제" },
    text: {
      en: "{n} demo {n|study|studies} will be deleted. Studies of real patients are kept.",
      ko: "데모 환자의 검사 {n}건을 삭제합니다. 실제 환자의 검사는 그대로 남습니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "study.delete": {
    title: { en: "Delete {studies}", ko: "{studies} 삭제" },
    text: {
      en: "Deleted images cannot be recovered.",
      ko: "삭제한 영상은 복구할 수 없습니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
    field: { en: "Reason (optional)", ko: "사유(선택 사항)" },
  },
  "study.delete_to_bin": {
    title: { en: "Delete {studies}", ko: "{studies} 삭제" },
    text: {
      en:
        "{studies} will be moved to Deleted studies and can be restored there for {days} {days|day|days}.",
      ko: "{studies}은 ‘삭제한 검사’로 이동하며, {days}일 동안 복원할 수 있습니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
    field: { en: "Reason (optional)", ko: "사유(선택 사항)" },
  },
  "study.updated": {
    title: commonText.warning,
    text: {
      en: "The patient information was updated. You will return to Home.",
      ko: "환자 정보가 변경되었습니다. 홈으로 이동합니다.",
    },
  },
  "edit.discard": {
    title: { en: "Discard changes?", ko: "저장하지 않은 변경 내용" },
    text: {
      en: "Your changes for {patient} have not been saved.",
      ko: "{patient} 환자의 변경 내용이 저장되지 않았습니다.",
    },
    confirm: { en: "Discard", ko: "저장하지 않음" },
    cancel: { en: "Keep editing", ko: "계속 편집" },
    isDangerous: true,
  },
  "edit.discard_deleted": {
    title: { en: "Study deleted", ko: "검사 삭제됨" },
    text: {
      en:
        "Another user deleted the study, so your changes for {patient} cannot be saved. Copy anything you need before you close this window.",
      ko:
        "다른 사용자가 검사를 삭제하여 {patient} 환자의 변경 내용을 저장할 수 없습니다. 필요한 내용을 복사한 뒤 닫으세요.",
    },
    confirm: { en: "Close", ko: "닫기" },
    cancel: { en: "Go back", ko: "돌아가기" },
    isDangerous: true,
  },
  "edit.reanalyze": {
    title: { en: "Edit analyzed info", ko: "분석한 검사의 정보 편집" },
    text: {
      en:
        "The patient information has changed and may affect the results. Do you want to re-analyze?",
      ko: "환자 정보가 변경되어 결과가 달라질 수 있습니다. 다시 분석할까요?",
    },
    confirm: { en: "Analyze again", ko: "다시 분석" },
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
        "The patient information was updated. The study was not analyzed again. You will return to Home.",
      ko: "환자 정보가 변경되었습니다. 검사를 다시 분석하지는 않았습니다. 홈으로 이동합니다.",
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
      ko: "검사 {n}건이 선택되어 있습니다. 새 라벨(“{label}”)을 어디에 추가할까요?",
    },
    confirm: { en: "All {n} studies", ko: "검사 {n}건 모두에 추가" },
    alternative: { en: "Label list only", ko: "라벨 목록에만 추가" },
    cancel: commonText.cancel,
  },
  "opinion.leave": {
    title: { en: "Comment not applied", ko: "반영되지 않은 소견" },
    text: {
      en: "Your changes to “{name}” have not been applied. Apply them before continuing?",
      ko: "편집한 “{name}” 문구가 아직 반영되지 않았습니다. 반영하고 계속할까요?",
    },
    confirm: { en: "Apply", ko: "반영" },
    alternative: { en: "Discard", ko: "반영하지 않음" },
    cancel: commonText.cancel,
  },
  "text.beside": {
    title: { en: "Results not in your text", ko: "문구에 없는 결과" },
    text: {
      en:
        "Some software results are not in your text: {finding} The report will print them beside your text, marked as software results. Sign anyway?",
      ko:
        "소프트웨어 결과 중 문구에 없는 것이 있습니다: {finding} 리포트에는 소프트웨어 결과로 함께 인쇄됩니다. 그대로 서명할까요?",
    },
    confirm: { en: "Sign", ko: "서명" },
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
    title: { en: "Cancel the upload?", ko: "업로드를 취소할까요?" },
    text: {
      en:
        "Studies that are already stored will stay in the worklist. The others will be discarded.",
      ko: "이미 저장된 검사는 워크리스트에 남고, 나머지는 저장되지 않습니다.",
    },
    confirm: { en: "Cancel upload", ko: "업로드 취소" },
    cancel: { en: "Continue upload", ko: "업로드 계속" },
    isDangerous: true,
  },
  "analysis.again": {
    title: { en: "Analyze again", ko: "다시 분석" },
    text: {
      en:
        "All selected studies have already been analyzed. Analyze them again? Their results will be replaced.",
      ko:
        "선택한 검사는 모두 이미 분석되었습니다. 다시 분석할까요? 기존 결과는 새 결과로 대체됩니다.",
    },
    confirm: { en: "Analyze again", ko: "다시 분석" },
    cancel: commonText.cancel,
  },
  "analysis.again_some": {
    title: { en: "Analyze again", ko: "다시 분석" },
    text: {
      en:
        "{n} of the selected studies already {n|has|have} results. If you analyze again, these results will be replaced.",
      ko:
        "선택한 검사 중 {n}건은 이미 분석되었습니다. 이 검사도 다시 분석할까요? 기존 결과는 새 결과로 대체됩니다.",
    },
    confirm: { en: "Analyze again", ko: "다시 분석" },
    alternative: { en: "Analyze only the others", ko: "나머지만 분석" },
    cancel: commonText.cancel,
  },
  "norm.propose": {
    title: { en: "Propose norms", ko: "규준 제안" },
    text: {
      en:
        "Propose norms (offset and scale) for {scanner} based on {n} {n|control|controls}? No results will change until another administrator accepts the proposal.",
      ko:
        "대조군 {n}명의 결과로 {scanner}의 규준(오프셋과 배율)을 제안할까요? 다른 관리자가 승인하기 전에는 아무것도 바뀌지 않습니다.",
    },
    confirm: { en: "Propose", ko: "제안" },
    cancel: commonText.cancel,
  },
  "norm.propose_routine": {
    title: { en: "Propose norms", ko: "규준 제안" },
    text: {
      en:
        "Propose norms (offset and scale) for {scanner} based on the healthy subgroup of {n} routine studies? No results will change until another administrator accepts the proposal.",
      ko:
        "일상 진료 검사 {n}건에서 추정한 건강군으로 {scanner}의 규준(오프셋과 배율)을 제안할까요? 다른 관리자가 승인하기 전에는 아무것도 바뀌지 않습니다.",
    },
    confirm: { en: "Propose", ko: "제안" },
    cancel: commonText.cancel,
  },
  "drift.restart": {
    title: { en: "Restart charts", ko: "관리도 초기화" },
    text: {
      en:
        "Restart the charts for {scanner}? The detected change will be cleared, and a new baseline will be established from the next studies.",
      ko:
        "{scanner}의 관리도를 초기화할까요? 감지된 변화를 지우고, 다음 검사부터 기준선을 새로 정합니다.",
    },
    confirm: { en: "Restart", ko: "관리도 초기화" },
    cancel: commonText.cancel,
  },
  "acceptance.undo": {
    title: { en: "Revoke acceptance test", ko: "인수 시험 승인 철회" },
    text: {
      en: "Revoke acceptance test {id}? A decision that is in force will no longer apply.",
      ko: "{id}번 인수 시험을 철회할까요? 적용 중인 판정은 즉시 효력을 잃습니다.",
    },
    confirm: { en: "Revoke", ko: "철회" },
    cancel: { en: "Keep", ko: "유지" },
    isDangerous: true,
  },
  "reading_study.answer": {
    title: { en: "Submit answer", ko: "답 제출" },
    text: {
      en: "Submit this answer: {answer}? It cannot be changed afterwards.",
      ko: "제출할 답: {answer}. 제출할까요? 제출한 뒤에는 바꿀 수 없습니다.",
    },
    confirm: { en: "Submit", ko: "제출" },
    cancel: commonText.cancel,
  },
  "reading_study.remove": {
    title: { en: "Delete this reading study", ko: "이 판독 연구 삭제" },
    text: {
      en: "Delete the reading study “{title}” and its design?",
      ko: "판독 연구를 삭제할까요? ‘{title}’의 설계가 삭제됩니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: { en: "Keep", ko: "유지" },
    isDangerous: true,
  },
  "stop.undo": {
    title: { en: "Revoke decision", ko: "결정 철회" },
    text: {
      en:
        "Revoke the decision about {scanner}? If its percentiles were released, they will be withheld again immediately.",
      ko:
        "{scanner}에 대한 결정을 철회할까요? 보류를 해제했던 장비라면 백분위 제시를 즉시 다시 보류합니다.",
    },
    confirm: { en: "Revoke", ko: "철회" },
    cancel: { en: "Keep", ko: "유지" },
    isDangerous: true,
  },
  "norm.accept": {
    title: { en: "Accept norms", ko: "규준 승인" },
    text: {
      en: "Apply these norms to new results from {scanner}? Stored results will not change.",
      ko: "{scanner}의 새 결과에 이 규준을 적용할까요? 저장된 결과는 그대로 유지됩니다.",
    },
    confirm: { en: "Accept", ko: "승인" },
    cancel: commonText.cancel,
  },
  "norm.revoke": {
    title: { en: "Revoke norms", ko: "규준 철회" },
    text: {
      en:
        "Revoke the norms for {scanner}? All results that use these norms will revert to their previous values.",
      ko: "{scanner}의 규준을 철회할까요? 이 규준이 적용된 모든 결과가 이전 값으로 돌아갑니다.",
    },
    confirm: { en: "Revoke", ko: "철회" },
    cancel: { en: "Keep", ko: "유지" },
    isDangerous: true,
  },
  "norm.apply": {
    title: { en: "Recompute stored results", ko: "저장된 결과 다시 계산" },
    text: {
      en:
        "Apply these norms to the stored results from {scanner}? The percentiles of {n} {n|study|studies} will change.",
      ko: "저장된 {scanner} 결과에 이 규준을 적용할까요? 검사 {n}건의 백분위가 변경됩니다.",
    },
    confirm: { en: "Recompute", ko: "다시 계산" },
    cancel: commonText.cancel,
  },
  "system.test_image": {
    title: { en: "Send a test image", ko: "테스트 영상 보내기" },
    text: {
      en:
        "Send a test image to {name}? The image does not belong to a real patient (ID SULCUS-TEST, name SULCUS TEST) and will remain on that system until it is deleted there.",
      ko:
        "{name}에 테스트 영상을 보낼까요? 실제 환자가 아닌 영상(ID SULCUS-TEST, 이름 SULCUS TEST)이며, 해당 시스템에서 삭제할 때까지 남아 있습니다.",
    },
    confirm: { en: "Send", ko: "보내기" },
    cancel: commonText.cancel,
  },
  "message.drop": {
    title: { en: "Discard message", ko: "메시지 폐기" },
    text: {
      en:
        "Discard this message? The change made in the hospital information system will not be applied in Sulcus.",
      ko: "이 메시지를 폐기할까요? 병원정보시스템에서 변경한 내용이 Sulcus에 적용되지 않습니다.",
    },
    confirm: { en: "Discard", ko: "폐기" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "merge.undo": {
    title: { en: "Undo merge", ko: "병합 되돌리기" },
    text: {
      en: "Undo this merge? {n} {n|study|studies} will belong to patient {patient} again.",
      ko: "이 병합을 되돌릴까요? 검사 {n}건이 {patient} 환자의 검사로 되돌아갑니다.",
    },
    confirm: { en: "Undo merge", ko: "병합 되돌리기" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "system.remove": {
    title: { en: "Delete system", ko: "시스템 삭제" },
    text: {
      en:
        "Delete {name}? Results still waiting to be sent to this system ({n}) will not be sent, and the record of those already sent will be deleted.",
      ko:
        "‘{name}’ 시스템을 삭제할까요? 아직 보내지 않은 결과({n}건)는 전송되지 않으며, 이 시스템의 전송 내역도 삭제됩니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "system.renew_key": {
    title: { en: "Replace key", ko: "키 재발급" },
    text: {
      en: "Create a new key for {name}? The current key will stop working immediately.",
      ko: "{name}의 키를 다시 발급할까요? 현재 키는 바로 사용할 수 없게 됩니다.",
    },
    confirm: { en: "Replace key", ko: "키 재발급" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "account.reset_password": {
    title: { en: "Reset password", ko: "비밀번호 재설정" },
    text: {
      en: "Reset the password for {email}? The current password will stop working immediately.",
      ko: "{email}의 비밀번호를 재설정할까요? 현재 비밀번호는 바로 사용할 수 없게 됩니다.",
    },
    confirm: { en: "Reset", ko: "재설정" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "account.reset_factor": {
    title: { en: "Reset one-time codes", ko: "일회용 코드 재설정" },
    text: {
      en:
        "Reset one-time codes for {email}? Until they are set up again, signing in will require only the password.",
      ko:
        "{email}의 일회용 코드를 재설정할까요? 다시 설정할 때까지 비밀번호만으로 로그인할 수 있습니다.",
    },
    confirm: { en: "Reset", ko: "재설정" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "measurement.remove": {
    title: { en: "Delete measurement", ko: "측정 삭제" },
    text: {
      en: "Delete the measurement {measured} from the study? This cannot be undone.",
      ko: "검사에서 {measured} 측정을 삭제할까요? 삭제하면 복구할 수 없습니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "key_image.remove": {
    title: { en: "Delete key image", ko: "키 이미지 삭제" },
    text: {
      en: "Delete this key image from the study and its report? This cannot be undone.",
      ko: "검사와 리포트에서 이 키 이미지를 삭제할까요? 삭제하면 복구할 수 없습니다.",
    },
    confirm: { en: "Delete", ko: "삭제" },
    cancel: commonText.cancel,
    isDangerous: true,
  },
  "analysis.reason": { title: commonText.failed, text: { en: "{reason}", ko: "{reason}" } },
};

/** Titles of errors in a modal dialog; other errors have the title "Error". */
export const modalTitle: Partial<Record<ErrorCode, Text>> = {
  "token.expired": { en: "Session Timeout", ko: "세션 만료" },
  "token.revoked": { en: "Multi Login", ko: "중복 로그인" },
  "storage.full": {
    en: "Low on server storage ({percent} full)",
    ko: "서버 저장 공간 부족({percent} 사용)",
  },
  "credit.none": licenseText.noCreditTitle,
  "license.expired": licenseText.expiredTitle,
  "license.not_started": commonText.warning,
  "study.being_edited": commonText.warning,
  "study.deleted": commonText.warning,
};
