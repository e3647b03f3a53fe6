import type { ErrorCode, ErrorDetails } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { licenseText } from "@/model/text/license.ts";
import { sessionText } from "@/model/text/session.ts";

type Message = (details: ErrorDetails, language: Language) => string;
const say = (en: string, ko: string): Message => (_details, language) => language === "ko" ? ko : en;

/** A detail as text, or the given words when it is missing. */
const detail = (details: ErrorDetails, key: string, otherwise: string): string => {
  const value = details[key];
  return value === undefined ? otherwise : Array.isArray(value) ? value.join(", ") : String(value);
};

/** What happened, and what to do. A code without a text does not compile. */
export const MESSAGES: Record<ErrorCode, Message> = {
  "auth.invalid": say("Email or password do not match.", "이메일 또는 비밀번호가 일치하지 않습니다."),
  "auth.too_many_attempts": say(
    "Restricting login attempts. Please try again after a short while.",
    "로그인 시도가 제한되었습니다. 잠시 후 다시 시도하세요.",
  ),
  "auth.ip_denied": say("Unauthorized IP address.", "허용되지 않은 IP 주소입니다."),
  "auth.waiting_approval": say("Waiting for approval.", "승인 대기 중입니다."),
  "auth.device_account": say(
    "This is a device account, not a user account.",
    "사용자 계정이 아닌 장치 계정입니다.",
  ),
  "auth.suspended": say("This account has been suspended.", "정지된 계정입니다."),
  "auth.not_found": say("This account cannot be found.", "계정을 찾을 수 없습니다."),
  "token.missing": say("Please sign in.", "로그인하세요."),
  "token.expired": (_details, language) => sessionText.sessionExpired[language],
  "token.revoked": (_details, language) => sessionText.multiLoginText[language],
  "access.forbidden": say("Unable to access the page.", "페이지에 접근할 수 없습니다."),
  "input.invalid": say(
    "Some of the values cannot be used. Please check them.",
    "사용할 수 없는 값이 있습니다. 입력을 확인하세요.",
  ),
  "entity.not_found": say("No patient information found.", "환자 정보가 없습니다."),
  "label.duplicate": say("Labels must not be duplicated!", "라벨은 중복될 수 없습니다!"),
  "label.changed": say(
    "Another user has saved the labels in the meantime. Please check them and save again.",
    "그동안 다른 사용자가 라벨을 저장했습니다. 라벨을 확인하고 다시 저장하세요.",
  ),
  "filter.duplicate_name": say("Filter name is duplicated.", "필터 이름이 중복되었습니다."),
  "settings.changed": say(
    "Another user has changed the settings in the meantime. Please check them and save again.",
    "그동안 다른 사용자가 설정을 변경했습니다. 설정을 확인하고 다시 저장하세요.",
  ),
  "logo.format": say("The file is not a png or jpg file.", "PNG 또는 JPG 파일이 아닙니다."),
  "logo.too_large": say(
    "The logo is too large. Please choose a file of at most 1 MB and 4096 × 4096 pixels.",
    "로고 파일이 너무 큽니다. 1 MB, 4096 × 4096 픽셀 이하의 파일을 선택하세요.",
  ),
  "study.duplicate": say("Duplicate data exist.", "중복된 데이터가 있습니다."),
  "study.being_analyzed": (details, language) =>
    language === "ko"
      ? `${detail(details, "pid", "이 검사")} 분석 중입니다. 완료된 후 다시 시도하세요.`
      : `${detail(details, "pid", "The study")} is being analyzed.`,
  "study.being_edited": (details, language) =>
    language === "ko"
      ? `${detail(details, "user", "다른 사용자")} 님이 편집 중입니다.`
      : `${detail(details, "user", "Another user")} is currently editing.`,
  "study.deleted": say(
    "The study was deleted by another user. You return to Home.",
    "다른 사용자가 검사를 삭제했습니다. 홈으로 이동합니다.",
  ),
  "study.not_analyzed": say(
    "Failed to enter viewer. Please analyze first.",
    "뷰어를 열 수 없습니다. 먼저 분석을 실행하세요.",
  ),
  "study.insufficient_info": say(
    "The patient information is not sufficient for the analysis. Please complete it.",
    "분석에 필요한 환자 정보가 부족합니다. 정보를 입력하세요.",
  ),
  "credit.none": (_details, language) => licenseText.noCredit[language],
  "license.expired": ({ cert_type }, language) =>
    licenseText[cert_type === "DEMO" ? "expiredDemo" : "expired"][language],
  "license.not_started": (details, language) =>
    textIn(licenseText.notStarted, language, { date: detail(details, "date", "") }),
  "storage.full": say(
    "Insufficient server storage. 1. Delete unnecessary data. 2. Contact the provider.",
    "서버 저장 공간이 부족합니다. 1. 불필요한 데이터를 삭제하세요. 2. 공급자에게 문의하세요.",
  ),
  "upload.format_not_supported": say(
    "The file format is not supported. Please choose DICOM files of a brain MRI.",
    "지원하지 않는 파일 형식입니다. 뇌 MRI의 DICOM 파일을 선택하세요.",
  ),
  "report.too_few_longitudinal": say(
    "Please check the number of data. (At least 2 data are required for Longitudinal page)",
    "데이터 수를 확인하세요. (추적 페이지에는 데이터가 2건 이상 필요합니다)",
  ),
  "password.incorrect": say("The current password don't match.", "현재 비밀번호가 일치하지 않습니다."),
  "password.mismatch": say("The passwords do not match.", "비밀번호가 서로 일치하지 않습니다."),
  "password.policy": say(
    "Please use at least 8 characters with at least one number and one special character.",
    "숫자와 특수문자를 하나 이상 포함하여 8자 이상 입력하세요.",
  ),
  "password.unchanged": say(
    "The new password must be different from the current one.",
    "새 비밀번호는 현재 비밀번호와 달라야 합니다.",
  ),
  "job.canceled": say("It was canceled.", "취소되었습니다."),
  "job.failed": say("It could not be finished. Please try again.", "완료하지 못했습니다. 다시 시도하세요."),
  "engine.crashed": say(
    "The analysis stopped unexpectedly. Please analyze again.",
    "분석이 예기치 않게 중단되었습니다. 다시 분석하세요.",
  ),
  "engine.unsupported_input": say(
    "This series cannot be analyzed. Please upload a T1w or T2w-FLAIR series of the whole head.",
    "분석할 수 없는 시리즈입니다. 머리 전체를 촬영한 T1w 또는 T2w-FLAIR 시리즈를 업로드하세요.",
  ),
  "volume.affine_singular": say(
    "The position of the slices is not usable. Please export the series again.",
    "슬라이스의 위치 정보를 사용할 수 없습니다. 시리즈를 다시 내보내세요.",
  ),
  "core.unreachable": say(
    "The server does not answer. Please try again after a short while.",
    "서버가 응답하지 않습니다. 잠시 후 다시 시도하세요.",
  ),
  "network.offline": say(
    "The server cannot be reached. Please check the network.",
    "서버에 연결할 수 없습니다. 네트워크를 확인하세요.",
  ),
  "internal": say("An error occurred in server.", "서버에서 오류가 발생했습니다."),
};

/** The text of an error in a language. */
export const messageOf = (code: ErrorCode, details: ErrorDetails, language: Language): string =>
  MESSAGES[code](details, language);
