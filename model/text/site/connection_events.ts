import type { Catalogue, Language } from "@/model/text.ts";
import { connectionText } from "@/model/text/site/connections.ts";

/** Names of the events in the log of DICOM and HL7 connections, by event code. */
export const connectionEventText = {
  alarm: { en: "Queue delayed", ko: "대기열 지연" },
  association: { en: "Images received", ko: "영상 수신" },
  rejected: { en: "Connection rejected", ko: "연결 거부" },
  message_refused: { en: "HL7 message rejected", ko: "HL7 메시지 거부" },
  hl7_closed: {
    en: "Oldest idle HL7 connection closed, because too many were open",
    ko: "HL7 연결이 너무 많아 가장 오래 쉬고 있던 연결을 닫음",
  },
  merge_doubted: {
    en: "Study not moved when two patients were merged, because the birth dates differ",
    ko: "환자 ID는 병합되었으나 생년월일이 달라 옮기지 않은 검사",
  },
  committed: { en: "Storage confirmed by the remote system", ko: "상대 시스템의 보관 확인" },
  commit: { en: "Storage commitment requested", ko: "저장 확약 요청" },
  commit_result: { en: "Storage commitment result received", ko: "저장 확약 결과 수신" },
  unusable: { en: "File could not be used", ko: "사용할 수 없는 파일" },
  differs: {
    en: "Different image received with the same identifier",
    ko: "식별자가 같은 다른 영상",
  },
  search: { en: "PACS searched", ko: "PACS 검색" },
  test: { en: "Connection tested", ko: "연결 테스트" },
  test_image: { en: "Test image sent", ko: "테스트 영상 전송" },
  worklist: { en: "Modality worklist queried", ko: "모달리티 워크리스트 조회" },
  sent: { en: "Result sent", ko: "결과 전송" },
  retrieve: { en: "Study imported", ko: "검사 가져오기" },
  priors: { en: "Previous studies imported", ko: "이전 검사 가져오기" },
} as const satisfies Catalogue;

/** Names of the details of a connection event. */
export const connectionDetailText = {
  end: { en: "how the connection ended", ko: "종료" },
  stored: { en: "stored", ko: "저장됨" },
  refused: { en: "not accepted", ko: "수신 거부" },
  bytes: { en: "bytes", ko: "바이트" },
  seconds: { en: "seconds", ko: "초" },
  reason: { en: "reason", ko: "사유" },
  count: { en: "count", ko: "횟수" },
  called: { en: "called AE title", ko: "수신 측(Called) AE 타이틀" },
  committed: { en: "confirmed", ko: "보관 확인" },
  failed: { en: "failed", ko: "실패" },
  standing: { en: "delayed queues", ko: "지연된 대기열" },
  sop_uid: { en: "SOP Instance UID", ko: "SOP Instance UID" },
  file: { en: "file", ko: "파일" },
  matches: { en: "matches", ko: "일치 건수" },
  merge: { en: "merge number", ko: "병합 번호" },
  pid: { en: "study No.", ko: "검사 번호" },
  failure: { en: "cause of failure", ko: "실패 원인" },
  text: { en: "reply", ko: "응답 내용" },
} as const satisfies Catalogue;

/** Errors of HL7 messages by code (table 0357). */
export const hl7ErrorText = {
  100: { en: "segment missing or in the wrong order", ko: "세그먼트 누락 또는 순서 오류" },
  101: { en: "required field missing", ko: "필수 항목 누락" },
  102: { en: "value not valid", ko: "값의 형식 오류" },
  103: { en: "value not in the table", ko: "표에 없는 값" },
  200: { en: "message type not supported", ko: "지원하지 않는 메시지 종류" },
  201: { en: "event not supported", ko: "지원하지 않는 이벤트" },
  202: { en: "processing ID not supported", ko: "지원하지 않는 처리 ID" },
  203: { en: "HL7 version not supported", ko: "지원하지 않는 HL7 버전" },
  207: { en: "error on this server", ko: "서버 내부 오류" },
} as const satisfies Catalogue;

/** Reason of a rejected HL7 message in words: "101 OBR^1^18" is "required field missing, OBR-18". */
function hl7ReasonIn(reason: string, language: Language): string {
  const [, code = "", segment, sequence, field] =
    /^(\d{3}) ([A-Z][A-Z0-9]{2})(?:\^(\d+))?(?:\^(\d+))?$/.exec(reason) ?? [];
  if (!Object.hasOwn(hl7ErrorText, code)) return reason;
  const words = nameIn(hl7ErrorText, code, language);
  const name = Number(sequence ?? 1) > 1 ? `${segment} ${sequence}` : segment;
  return `${words}, ${name}${field === undefined ? "" : `-${field}`} (${code})`;
}

const nameIn = (catalogue: Catalogue, key: string, language: Language): string =>
  Object.hasOwn(catalogue, key) ? catalogue[key]![language] : key;

/** Text of a connection event; an unknown code is returned unchanged. */
export const connectionEventIn = (code: string, language: Language): string =>
  nameIn(connectionEventText, code, language);

/** Details of a connection event with their names: "stored: 12, seconds: 3". */
export const connectionDetailsIn = (
  details: Readonly<Record<string, string | number>>,
  language: Language,
): string =>
  Object.entries(details).map(([key, value]) => {
    const failure = `failure_${value}`;
    const words = key === "failure" && Object.hasOwn(connectionText, failure)
      ? nameIn(connectionText, failure, language)
      : key === "reason"
      ? hl7ReasonIn(String(value), language)
      : value;
    return `${nameIn(connectionDetailText, key, language)}: ${words}`;
  }).join(", ");
