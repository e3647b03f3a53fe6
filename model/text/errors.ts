import type { ErrorCode } from "@/model/errors.ts";
import type { Catalogue, Language } from "@/model/text.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { licenseText } from "@/model/text/account/license.ts";

/**
 * Problem and remedy for each error code.
 * `{name}` is replaced by a detail of the error. A code without a text does not compile.
 */
export const errorText: Record<ErrorCode, Record<Language, string>> = {
  "auth.invalid": {
    en: "Email or password do not match.",
    ko: "이메일 또는 비밀번호가 일치하지 않습니다.",
  },
  "auth.too_many_attempts": {
    en: "Restricting login attempts. Please try again after a short while.",
    ko: "로그인 시도가 제한되었습니다. 잠시 후 다시 시도하세요.",
  },
  "auth.ip_denied": { en: "Unauthorized IP address.", ko: "허용되지 않은 IP 주소입니다." },
  "auth.waiting_approval": { en: "Waiting for approval.", ko: "승인 대기 중입니다." },
  "auth.device_account": {
    en: "This is a device account, not a user account.",
    ko: "사용자 계정이 아닌 장치 계정입니다.",
  },
  "auth.suspended": { en: "This account has been suspended.", ko: "정지된 계정입니다." },
  "auth.not_found": { en: "This account cannot be found.", ko: "계정을 찾을 수 없습니다." },
  "auth.code_needed": {
    en: "Please enter the one-time code.",
    ko: "일회용 코드를 입력하세요.",
  },
  "auth.code_wrong": {
    en: "The one-time code is incorrect or has already been used.",
    ko: "일회용 코드가 올바르지 않거나 이미 사용되었습니다.",
  },
  "auth.must_enrol": {
    en: "To sign in, please set up one-time codes first.",
    ko: "로그인하려면 일회용 코드를 설정하세요.",
  },
  "auth.no_role": {
    en: "Your account has no access to this site. Please contact the hospital administrator.",
    ko: "이 사이트를 사용할 권한이 없는 계정입니다. 병원 관리자에게 문의하세요.",
  },
  "auth.no_email": {
    en: "Your email address has not been confirmed. Please contact the hospital administrator.",
    ko: "확인되지 않은 이메일 주소입니다. 병원 관리자에게 문의하세요.",
  },
  "auth.account_exists": {
    en:
      "This email address uses another sign-in method. Please contact the hospital administrator.",
    ko: "이 이메일 주소는 다른 방식으로 로그인합니다. 병원 관리자에게 문의하세요.",
  },
  "auth.provider_refused": {
    en: "The sign-in failed. Please try again.",
    ko: "로그인에 실패했습니다. 다시 시도하세요.",
  },
  "auth.provider_unreachable": {
    en: "The hospital's sign-in server is not responding. Please try again later.",
    ko: "병원 로그인 서버가 응답하지 않습니다. 잠시 후 다시 시도하세요.",
  },
  "token.missing": { en: "Please sign in.", ko: "로그인하세요." },
  "token.expired": {
    en: "Your session has expired. Please login again.",
    ko: "세션이 만료되었습니다. 다시 로그인하세요.",
  },
  "token.revoked": {
    en: "New Login Location Detected. You have been automatically logged out.",
    ko: "새로운 위치에서 로그인되어 자동으로 로그아웃되었습니다.",
  },
  "access.forbidden": { en: "Unable to access the page.", ko: "페이지에 접근할 수 없습니다." },
  "input.invalid": {
    en: "Some values are not valid. Please check them.",
    ko: "올바르지 않은 값이 있습니다. 입력한 내용을 확인하세요.",
  },
  "input.media_type": {
    en: "This content type is not supported.",
    ko: "지원하지 않는 콘텐츠 형식입니다.",
  },
  "entity.not_found": { en: "No patient information found.", ko: "환자 정보가 없습니다." },
  "label.duplicate": {
    en: "Labels must not be duplicated!",
    ko: "같은 이름의 라벨이 이미 있습니다!",
  },
  "label.changed": {
    en: "Another user has saved the labels in the meantime. Please check them and save again.",
    ko: "그동안 다른 사용자가 라벨을 저장했습니다. 라벨을 확인하고 다시 저장하세요.",
  },
  "text.changed": {
    en:
      "{author} has saved another version in the meantime. Your text is still here but has not been saved.",
    ko:
      "그동안 {author} 님이 다른 버전을 저장했습니다. 작성 중인 내용은 그대로 있으나 아직 저장되지 않았습니다.",
  },
  "text.results_changed": {
    en:
      "The results have changed since this text was opened. Please check the text again before you sign it.",
    ko: "이 문구를 연 뒤 결과가 변경되었습니다. 다시 확인한 후 서명하세요.",
  },
  "filter.duplicate_name": { en: "Filter name is duplicated.", ko: "필터 이름이 중복되었습니다." },
  "settings.changed": {
    en: "Another user has changed the settings in the meantime. Please check them and save again.",
    ko: "그동안 다른 사용자가 설정을 변경했습니다. 설정을 확인하고 다시 저장하세요.",
  },
  "logo.format": { en: "The file is not a png or jpg file.", ko: "PNG 또는 JPG 파일이 아닙니다." },
  "logo.too_large": {
    en: "The logo is too large. Please choose a file of at most 1\u00a0MB and 4096 × 4096 pixels.",
    ko: "로고 파일이 너무 큽니다. 1\u00a0MB, 4096 × 4096 픽셀 이하의 파일을 선택하세요.",
  },
  "study.duplicate": { en: "Duplicate data exist.", ko: "중복된 데이터가 있습니다." },
  "study.being_analyzed": {
    en: "{pid} is being analyzed.",
    ko: "{pid}번 검사를 분석하고 있습니다. 완료된 후 다시 시도하세요.",
  },
  "study.being_edited": {
    en: "{user} is editing this study.",
    ko: "{user} 님이 편집 중입니다.",
  },
  "study.deleted": {
    en: "The study was deleted by another user. You will return to Home.",
    ko: "다른 사용자가 검사를 삭제했습니다. 홈으로 이동합니다.",
  },
  "study.not_analyzed": refusalText.notAnalyzed,
  "study.already_analyzed": {
    en: "The study has already been analyzed. The existing results were kept.",
    ko: "이미 분석된 검사입니다. 기존 결과를 유지했습니다.",
  },
  "study.insufficient_info": {
    en: "The patient information is incomplete. Please complete it before starting the analysis.",
    ko: "분석에 필요한 환자 정보가 부족합니다. 정보를 입력하세요.",
  },
  "study.no_series": {
    en: "There is no T1w or T2w series to analyze. Please upload one first.",
    ko: "분석할 T1w 또는 T2w 시리즈가 없습니다. 먼저 업로드하세요.",
  },
  "credit.none": licenseText.noCredit,
  "license.expired": licenseText.expired,
  "license.not_started": licenseText.notStarted,
  "storage.full": {
    en: "1. Delete unnecessary data.\n2. Contact the provider.",
    ko: "1. 불필요한 데이터를 삭제하세요.\n2. 공급업체에 문의하세요.",
  },
  "storage.read_only": {
    en:
      "The server cannot write to its disk, so nothing was saved. You can still view studies. Please contact the administrator.",
    ko:
      "서버의 디스크에 기록할 수 없어 저장하지 못했습니다. 검사는 계속 볼 수 있습니다. 관리자에게 문의하세요.",
  },
  "file.damaged": {
    en:
      "A stored file of this study is damaged and cannot be shown. Please contact the administrator.",
    ko: "이 검사의 저장 파일이 손상되어 표시할 수 없습니다. 관리자에게 문의하세요.",
  },
  "media.not_acceptable": {
    en: "The requested format is not available.",
    ko: "요청한 형식은 제공되지 않습니다.",
  },
  "upload.format_not_supported": {
    en: "The file format is not supported. Please choose DICOM files of a brain MRI.",
    ko: "지원하지 않는 파일 형식입니다. 뇌 MRI의 DICOM 파일을 선택하세요.",
  },
  "upload.too_many_parts": {
    en: "The request has more than {max_parts} parts. Please send fewer files per request.",
    ko: "요청 하나에 담긴 파일이 {max_parts}개를 넘습니다. 여러 요청으로 나누어 보내세요.",
  },
  "report.too_few_longitudinal": {
    en: "Please check the number of data. (At least 2 data are required for Longitudinal page)",
    ko: "검사 수를 확인하세요(추적 비교 페이지에는 검사가 2건 이상 필요합니다).",
  },
  "control.unsuitable": {
    en:
      "A control must have a completed T1w analysis with segmentation quality A or B. The person must be 18 to 100 years old, and the sex must be known. Please check the study.",
    ko:
      "대조군의 조건에 맞지 않는 검사입니다. T1w 분석이 완료되고 분할 품질이 A 또는 B이며, 나이가 18~100세이고 성별이 입력되어 있어야 합니다.",
  },
  "norm.too_few_controls": {
    en:
      "There {n|is|are} {n} {n|control|controls}; at least {needed} are required. Please add more.",
    ko: "대조군이 {n}명입니다. {needed}명 이상이 되도록 추가하세요.",
  },
  "norm.too_few_routine": {
    en: "There {n|is|are} {n} {n|routine study|routine studies}; at least {needed} are required.",
    ko: "일상 진료 검사가 {n}건입니다. {needed}건 이상 필요합니다.",
  },
  "norm.not_separable": {
    en:
      "The healthy subgroup of the routine studies could not be identified for any region. The table shows the reasons.",
    ko: "어느 영역에서도 일상 진료 검사 중 건강군을 구분하지 못했습니다. 이유는 표를 확인하세요.",
  },
  "norm.pool_unsuitable": {
    en:
      "The data in this file cannot be combined with these studies. The file must come from another site that uses the same software version and scan protocol.",
    ko:
      "이 기관의 검사와 합산할 수 없는 파일입니다. 버전과 프로토콜이 같은 다른 기관의 파일이어야 합니다.",
  },
  "norm.table_invalid": {
    en: "The table of norms contains an error and was not imported.",
    ko: "규준 표에 오류가 있어 가져오지 못했습니다.",
  },
  "norm.too_many_tables": {
    en: "{n} imported tables are already proposed or in use. Please revoke one first.",
    ko: "제안되었거나 적용 중인 규준 표가 이미 {n}개 있습니다. 먼저 하나를 철회하세요.",
  },
  "norm.same_person": {
    en: "You proposed these norms yourself. Please ask another administrator to accept them.",
    ko: "본인이 제안한 규준입니다. 다른 관리자에게 승인을 요청하세요.",
  },
  "norm.not_open": {
    en: "These norms have already been accepted or revoked.",
    ko: "이미 승인되었거나 철회된 규준입니다.",
  },
  "norm.not_in_force": {
    en: "These norms are not in use. They must be accepted before they can be applied.",
    ko: "적용 중인 규준이 아닙니다. 먼저 승인을 받으세요.",
  },
  "acceptance.no_studies": {
    en:
      "There are no results from this scanner and protocol with the current engine version. Please check the study numbers.",
    ko:
      "이 장비와 프로토콜로 촬영하고 현재 버전으로 분석한 결과가 없습니다. 검사 번호를 확인하세요.",
  },
  "acceptance.not_open": {
    en: "This acceptance test has already been signed or revoked.",
    ko: "이미 서명되었거나 철회된 인수 시험입니다.",
  },
  "acceptance.picture_unseen": {
    en: "This image has not been shown to you. Please reload the page, or answer “Cannot tell”.",
    ko: "아직 화면에 표시되지 않은 영상입니다. 페이지를 새로 고치거나 ‘판단 불가’로 답하세요.",
  },
  "acceptance.replaced": {
    en:
      "A newer test of this scanner and protocol has been signed: test {id}. Please sign that test, or revoke it first.",
    ko:
      "이 장비와 프로토콜의 더 최근 시험({id}번)이 이미 서명되었습니다. 그 시험에 서명하거나 먼저 철회하세요.",
  },
  "acceptance.not_allowed": {
    en: "The results of this acceptance test do not allow this decision.",
    ko: "이 인수 시험의 결과로는 이 판정을 내릴 수 없습니다.",
  },
  "acceptance.remark_missing": {
    en: "An image was rated incorrect. Please enter why the scanner can be used anyway.",
    ko: "‘틀림’으로 판정된 영상이 있습니다. 그래도 사용할 수 있는 이유를 비고에 적으세요.",
  },
  "acceptance.same_person": {
    en: "You signed this test yourself. Please ask another administrator for the second signature.",
    ko: "본인이 서명한 시험입니다. 두 번째 서명은 다른 관리자에게 요청하세요.",
  },
  "reading_study.no_images": {
    en: "Some cases have no analyzed images. Please check the study numbers: {pids}",
    ko: "분석한 영상이 없는 증례가 있습니다. 검사 번호를 확인하세요: {pids}",
  },
  "reading_study.readers": {
    en:
      "A reader must have an active account with permission to view studies, and must not be the person who sets up the reading study.",
    ko:
      "판독자는 검사를 볼 수 있는 사용 중인 계정이어야 하며, 판독 연구를 만든 본인은 판독자가 될 수 없습니다.",
  },
  "reading_study.begun": {
    en: "A reading has already been opened. The reading study can no longer be deleted.",
    ko: "이미 시작된 판독이 있어 판독 연구를 삭제할 수 없습니다.",
  },
  "reading_study.blinded": {
    en: "You are a reader in a reading study. Cases and results are shown after your last reading.",
    ko: "판독 연구의 판독자입니다. 증례와 결과는 마지막 판독을 마친 뒤에 표시됩니다.",
  },
  "reading_study.washout": {
    en: "The washout period has not ended. Your next reading opens on {until}.",
    ko: "아직 휴지 기간입니다. 다음 판독은 {until}에 열립니다.",
  },
  "reading_study.open_elsewhere": {
    en: "Your next case is open in another reading study. Please answer it there first.",
    ko: "다음 증례가 다른 판독 연구에 열려 있습니다. 그 연구에서 먼저 답하세요.",
  },
  "reading_study.not_next": {
    en: "This is not your next reading. Please open the reading study again.",
    ko: "다음 순서의 판독이 아닙니다. 판독 연구를 다시 여세요.",
  },
  "reading_study.answered": {
    en: "This reading has already been answered. Answers cannot be changed.",
    ko: "이미 답한 판독입니다. 답은 바꿀 수 없습니다.",
  },
  "stop.not_open": {
    en: "Another user has already made a decision about this scanner. Please check the list again.",
    ko: "이 장비에 대해 다른 사용자가 이미 결정했습니다. 목록을 다시 확인하세요.",
  },
  "stop.same_person": {
    en: "You proposed this decision yourself. Another administrator must agree to it.",
    ko: "본인이 제안한 결정입니다. 다른 관리자의 동의가 필요합니다.",
  },
  "signature.not_independent": {
    en:
      "Both signatures may be from one person: an administrator created or changed an account of the two signers, or set its password. Please ask another administrator, or have the operator of the server reset the password of that account (sulcus user reset-password). If it is the first signer's account, revoke the first signature and sign again.",
    ko:
      "한 사람이 두 번 서명했을 수 있습니다. 두 서명자 중 한 명의 계정을 다른 서명자나 같은 관리자가 만들었거나 변경했거나 그 비밀번호를 설정했습니다. 다른 관리자에게 요청하거나, 서버 운영자에게 해당 계정의 비밀번호 재설정(sulcus user reset-password)을 요청하세요. 첫 번째 서명자의 계정이라면 첫 서명을 철회하고 다시 서명하세요.",
  },
  "signature.signer_inactive": {
    en:
      "The first signer is no longer an active administrator. Revoke the first signature, and have two active administrators sign.",
    ko:
      "첫 번째 서명자가 더 이상 활성 상태의 관리자가 아닙니다. 첫 서명을 철회하고 활성 상태의 관리자 두 명이 서명하세요.",
  },
  "stop.outdated": {
    en:
      "Further charts of this scanner have shown a change since you opened this page. Read the list again before you decide.",
    ko:
      "이 페이지를 연 뒤 이 장비의 다른 관리도에서도 변화가 감지되었습니다. 목록을 다시 확인한 뒤 결정하세요.",
  },
  "chart.not_open": {
    en: "The proposed restart has been changed in the meantime. Please check the charts again.",
    ko: "그동안 초기화 제안이 바뀌었습니다. 관리도를 다시 확인하세요.",
  },
  "chart.same_person": {
    en: "You proposed this restart yourself. Another administrator must agree to it.",
    ko: "본인이 제안한 초기화입니다. 다른 관리자의 동의가 필요합니다.",
  },
  "user.last_administrator": {
    en: "This is the only administrator account. Make another account an administrator first.",
    ko: "마지막 남은 관리자 계정입니다. 먼저 다른 계정에 관리자 역할을 지정하세요.",
  },
  "merge.not_undoable": {
    en: "This merge cannot be undone. Refresh the page to see the reason.",
    ko: "이 병합은 되돌릴 수 없습니다. 페이지를 새로 고쳐 사유를 확인하세요.",
  },
  "message.unconfirmed": {
    en:
      "The message was not applied: compare the patients' data again, since they may have changed.",
    ko: "메시지를 적용하지 않았습니다. 환자 정보가 바뀌었을 수 있으니 다시 비교하세요.",
  },
  "study.not_restorable": {
    en:
      "The same study has been uploaded again since it was deleted. Please delete the newer copy first.",
    ko:
      "삭제한 뒤 같은 검사가 다시 업로드되어 복원할 수 없습니다. 새로 업로드된 검사를 먼저 삭제하세요.",
  },
  "password.incorrect": {
    en: "The current password don't match.",
    ko: "현재 비밀번호가 일치하지 않습니다.",
  },
  "password.mismatch": {
    en: "The passwords do not match.",
    ko: "비밀번호가 서로 일치하지 않습니다.",
  },
  "password.policy": {
    en:
      "Please use at least 8 characters, including at least one number and one special character.",
    ko: "숫자와 특수문자를 하나 이상 포함하여 8자 이상 입력하세요.",
  },
  "password.unchanged": {
    en: "The new password must be different from the current one.",
    ko: "새 비밀번호는 현재 비밀번호와 달라야 합니다.",
  },
  "password.common": {
    en: "This password is too common and easy to guess. Please choose another.",
    ko: "널리 쓰여 쉽게 추측되는 비밀번호입니다. 다른 비밀번호를 사용하세요.",
  },
  "password.must_change": {
    en: "Please set a new password before you continue.",
    ko: "계속하려면 먼저 새 비밀번호를 설정하세요.",
  },
  "job.canceled": { en: "The task was canceled.", ko: "작업이 취소되었습니다." },
  "job.failed": {
    en: "The task could not be completed. Please try again.",
    ko: "작업을 완료하지 못했습니다. 다시 시도하세요.",
  },
  "engine.crashed": {
    en: "The analysis stopped unexpectedly. Please analyze the study again.",
    ko: "분석이 예기치 않게 중단되었습니다. 다시 분석하세요.",
  },
  "engine.unsupported_input": {
    en:
      "This series cannot be analyzed. Please upload a T1w or T2w-FLAIR series of the whole head.",
    ko: "분석할 수 없는 시리즈입니다. 머리 전체를 촬영한 T1w 또는 T2w-FLAIR 시리즈를 업로드하세요.",
  },
  "volume.affine_singular": {
    en: "The slice positions in the images are not valid. Please export the series again.",
    ko: "슬라이스의 위치 정보를 사용할 수 없습니다. 장비나 PACS에서 시리즈를 다시 내보내세요.",
  },
  "call.too_often": {
    en: "Too many requests. Please try again after a short while.",
    ko: "요청이 너무 많습니다. 잠시 후 다시 시도하세요.",
  },
  "request.too_slow": {
    en: "The connection is too slow. Please try again.",
    ko: "연결이 너무 느립니다. 다시 시도하세요.",
  },
  "server.busy": {
    en: "The server is busy. Please try again after a short while.",
    ko: "서버에 처리할 요청이 많습니다. 잠시 후 다시 시도하세요.",
  },
  "storage.unavailable": {
    en: "The database is not responding. Please try again after a short while.",
    ko: "데이터베이스가 응답하지 않습니다. 잠시 후 다시 시도하세요.",
  },
  "core.unreachable": {
    en: "The server is not responding. Please try again after a short while.",
    ko: "서버가 응답하지 않습니다. 잠시 후 다시 시도하세요.",
  },
  "network.offline": {
    en: "The server cannot be reached. Please check the network.",
    ko: "서버에 연결할 수 없습니다. 네트워크를 확인하세요.",
  },
  "internal": { en: "An error occurred in server.", ko: "서버에서 오류가 발생했습니다." },
};

/** Text printed in place of a missing detail of an error. */
export const missingDetailText = {
  pid: { en: "The study", ko: "이 검사" },
  user: { en: "Another user", ko: "다른 사용자" },
  date: { en: "", ko: "" },
} as const satisfies Catalogue;
