import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** Names of the events in the audit log, by event code. */
export const auditEventText = {
  "access.refused": { en: "Access refused", ko: "접근 거부" },
  "analysis.start": { en: "Analysis started", ko: "분석 시작" },
  "archive.search": { en: "PACS searched", ko: "PACS 검색" },
  "archive.take": { en: "Studies imported from the PACS", ko: "PACS에서 검사 가져오기" },
  "audit.anchor": { en: "Audit log anchor recorded", ko: "감사 로그의 무결성 앵커 기록" },
  "audit.export": { en: "Audit log exported", ko: "감사 로그 내보내기" },
  "audit.verify": { en: "Audit log verified", ko: "감사 로그 검증" },
  "audit.view": { en: "Audit log viewed", ko: "감사 로그 조회" },
  "auth.login": { en: "Sign-in", ko: "로그인" },
  "auth.logout": { en: "Sign-out", ko: "로그아웃" },
  "auth.recheck": {
    en: "Account checked with the sign-in server",
    ko: "로그인 서버에서 계정 확인",
  },
  "auth.refresh": { en: "Session renewed", ko: "세션 갱신" },
  "bin.view": { en: "Deleted studies viewed", ko: "삭제한 검사 조회" },
  "connection.delete": { en: "Connection deleted", ko: "연결 삭제" },
  "connection.key": { en: "Access key issued to a system", ko: "시스템 키 발급" },
  "connection.save": { en: "Connection or rules saved", ko: "연결 또는 규칙 저장" },
  "connection.test": { en: "Connection tested", ko: "연결 테스트" },
  "connection.view": { en: "Connections viewed", ko: "연결 조회" },
  "control.mark": { en: "Study marked as a control", ko: "대조군 지정" },
  "control.unmark": { en: "Study removed from the controls", ko: "대조군 해제" },
  "study.context": {
    en: "Study opened by another application",
    ko: "다른 프로그램과 연동하여 검사 열기",
  },
  "demo.load": { en: "Demo patients loaded", ko: "데모 환자 추가" },
  "dicom.deidentify": { en: "De-identified images exported", ko: "비식별 영상 내보내기" },
  "dicom.export": { en: "Results exported as DICOM", ko: "DICOM 결과 내보내기" },
  "export.download": { en: "Exported table downloaded", ko: "내보낸 표 다운로드" },
  "export.start": { en: "Table exported", ko: "표 내보내기" },
  "registry.download": {
    en: "De-identified registry file downloaded",
    ko: "레지스트리용 비식별 파일 다운로드",
  },
  "registry.start": {
    en: "De-identified registry file requested",
    ko: "레지스트리용 비식별 파일 내보내기",
  },
  "history.view": { en: "Patient history viewed", ko: "환자 이력 조회" },
  "image.export": { en: "Images exported", ko: "영상 내보내기" },
  "image.view": { en: "Images viewed", ko: "영상 조회" },
  "key_image.add": { en: "Key image added", ko: "키 이미지 추가" },
  "key_image.remove": { en: "Key image deleted", ko: "키 이미지 삭제" },
  "label.correct": { en: "Segmentation corrected", ko: "분할 수정" },
  "label.redo": { en: "Correction redone", ko: "취소한 수정 다시 적용" },
  "label.restore": { en: "Original segmentation restored", ko: "원래 분할로 되돌리기" },
  "label.save": { en: "Labels saved", ko: "라벨 저장" },
  "label.undo": { en: "Correction undone", ko: "수정 실행 취소" },
  "lesion.judge": { en: "Changed lesion confirmed or rejected", ko: "변화한 병변 확인 또는 제외" },
  "measurement.add": { en: "Measurement added", ko: "측정값 추가" },
  "measurement.change": { en: "Measurement changed", ko: "측정값 변경" },
  "measurement.remove": { en: "Measurement deleted", ko: "측정값 삭제" },
  "reading_study.add": { en: "Reading study set up", ko: "판독 연구 생성" },
  "reading_study.answer": { en: "Answer in a reading study saved", ko: "판독 연구 답 저장" },
  "reading_study.export": { en: "Reading study exported", ko: "판독 연구 내보내기" },
  "reading_study.seen": {
    en: "Case seen outside its reading study",
    ko: "판독 연구 밖에서 증례 열람",
  },
  "reading_study.read": { en: "Case of a reading study opened", ko: "판독 연구 증례 열기" },
  "reading_study.remove": { en: "Reading study deleted", ko: "판독 연구 삭제" },
  "reading_study.view": { en: "Reading studies viewed", ko: "판독 연구 조회" },
  "acceptance.answer": { en: "Acceptance test image checked", ko: "인수 시험 영상 확인" },
  "acceptance.begin": { en: "Acceptance test started", ko: "인수 시험 시작" },
  "acceptance.countersign": { en: "Acceptance test countersigned", ko: "인수 시험 2차 서명" },
  "acceptance.revoke": { en: "Acceptance test revoked", ko: "인수 시험 승인 철회" },
  "acceptance.sign": { en: "Acceptance test signed", ko: "인수 시험 서명" },
  "acceptance.view": { en: "Acceptance tests viewed", ko: "인수 시험 조회" },
  "drift.compute": { en: "Control charts updated", ko: "관리도 갱신" },
  "drift.restart": {
    en: "Control charts restarted, or restart proposed",
    ko: "관리도 초기화 또는 초기화 제안",
  },
  "drift.agree": { en: "Restart of control charts agreed to", ko: "관리도 초기화 동의" },
  "drift.restart_undo": {
    en: "Restart of control charts withdrawn",
    ko: "관리도 초기화 제안 철회",
  },
  "norm.accept": { en: "Norms accepted", ko: "규준 승인" },
  "norm.apply": { en: "Norms applied to stored results", ko: "저장된 결과에 규준 적용" },
  "norm.compute": { en: "Norms computed from routine studies", ko: "일상 진료 검사 규준 계산" },
  "norm.export": {
    en: "Aggregate data of routine studies exported",
    ko: "일상 진료 검사 집계 자료 내보내기",
  },
  "norm.import": {
    en: "Aggregate data imported from another site",
    ko: "다른 기관의 집계 자료 가져오기",
  },
  "norm.import_remove": {
    en: "Aggregate data from other sites deleted",
    ko: "다른 기관의 집계 자료 삭제",
  },
  "norm.import_table": { en: "Table of norms imported", ko: "규준 표 가져오기" },
  "norm.propose": { en: "Norms proposed", ko: "규준 제안" },
  "norm.revoke": { en: "Norms revoked", ko: "규준 철회" },
  "norm.view": { en: "Norms viewed", ko: "규준 조회" },
  "merge.undo": { en: "Patient merge undone", ko: "환자 병합 취소" },
  "message.drop": { en: "HL7 message discarded", ko: "HL7 메시지 폐기" },
  "message.repeat": { en: "HL7 message applied again", ko: "HL7 메시지 다시 적용" },
  "patient.merge": { en: "Patients merged by an HL7 message", ko: "HL7 메시지에 따른 환자 병합" },
  "patient.separate": {
    en: "Study moved back to its original patient",
    ko: "검사를 원래 환자로 되돌림",
  },
  "patient.update": {
    en: "Patient information changed by an HL7 message",
    ko: "HL7 메시지에 따른 환자 정보 변경",
  },
  "password.change": { en: "Password changed", ko: "비밀번호 변경" },
  "report.download": { en: "Report file downloaded", ko: "리포트 파일 다운로드" },
  "report.export": { en: "Report retrieved by another system", ko: "다른 시스템의 리포트 조회" },
  "report.print": { en: "Report printed", ko: "리포트 출력" },
  "report.sign": { en: "Conclusion signed", ko: "결론 서명" },
  "report.withdraw": { en: "Signature withdrawn", ko: "서명 철회" },
  "report.write": { en: "Draft conclusion saved", ko: "결론 초안 저장" },
  "report.view": { en: "Report viewed", ko: "리포트 조회" },
  "result.send": { en: "Results sent again", ko: "결과 다시 전송" },
  "second_factor.begin": { en: "One-time code setup started", ko: "일회용 코드 설정 시작" },
  "second_factor.confirm": { en: "One-time codes turned on", ko: "일회용 코드 사용 시작" },
  "second_factor.end": { en: "One-time codes turned off", ko: "일회용 코드 사용 중지" },
  "settings.update": { en: "Settings saved", ko: "설정 저장" },
  "sign_in.lift": { en: "Sign-in unblocked", ko: "로그인 차단 해제" },
  "status.view": { en: "Server status viewed", ko: "서버 상태 조회" },
  "stop.agree": {
    en: "Withheld percentiles: decision approved",
    ko: "백분위 제시 보류 결정 승인",
  },
  "stop.begin": { en: "Percentiles withheld for a scanner", ko: "장비의 백분위 제시 보류" },
  "stop.propose": {
    en: "Withheld percentiles: decision proposed",
    ko: "백분위 제시 보류 결정 제안",
  },
  "stop.undo": {
    en: "Withheld percentiles: decision revoked",
    ko: "백분위 제시 보류 결정 철회",
  },
  "stop.view": { en: "Withheld percentiles viewed", ko: "백분위 제시를 보류한 장비 조회" },
  "study.delete": { en: "Study deleted", ko: "검사 삭제" },
  "study.launch": { en: "Study opened from a link", ko: "링크로 검사 열기" },
  "study.purge": { en: "Study permanently deleted", ko: "검사 완전 삭제" },
  "study.restore": { en: "Study restored", ko: "검사 복원" },
  "study.update": { en: "Patient information changed", ko: "환자 정보 변경" },
  "study.upload": { en: "Study uploaded", ko: "검사 업로드" },
  "study.view": { en: "Study viewed", ko: "검사 조회" },
  "user.add": { en: "Account created", ko: "계정 생성" },
  "user.change": { en: "Account changed", ko: "계정 변경" },
  "user.reset_code": { en: "One-time code reset for an account", ko: "계정의 일회용 코드 재설정" },
  "user.reset_password": { en: "Password reset for an account", ko: "계정의 비밀번호 재설정" },
  "worklist.view": { en: "Worklist viewed", ko: "워크리스트 조회" },
  "admin.registry-export.csv": {
    en: "De-identified registry file written",
    ko: "레지스트리용 비식별 파일 저장",
  },
  "admin.registry-export.json": {
    en: "De-identified registry file written",
    ko: "레지스트리용 비식별 파일 저장",
  },
  "admin.accept.begin": { en: "Acceptance test started", ko: "인수 시험 시작" },
  "admin.backup": { en: "Backup created", ko: "백업 생성" },
  "admin.restore": { en: "Backup restored", ko: "백업 복원" },
  "admin.files.encrypt": { en: "Stored files encrypted", ko: "저장 파일 암호화" },
  "admin.files.decrypt": { en: "Stored files decrypted", ko: "저장 파일 복호화" },
} as const satisfies Catalogue;

/** Other texts of the audit log: server commands and outcomes. */
export const auditText = {
  /** for an event with a code such as `admin.name.action` that has no text of its own */
  command: { en: "Server command: {command}", ko: "서버 명령: {command}" },
  succeeded: { en: "Succeeded", ko: "성공" },
  refused: { en: "Refused", ko: "거부됨" },
  failed: { en: "Failed", ko: "실패" },
} as const satisfies Catalogue;

/** Name of an event's outcome: `ok` or an error code. */
export const auditOutcomeIn = (outcome: string, language: Language): string =>
  textIn(
    auditText[
      outcome === "ok"
        ? "succeeded"
        : /^(auth|token|access|password)\./.test(outcome)
        ? "refused"
        : "failed"
    ],
    language,
  );

/** Column heads of the exported audit log, in the order of the columns. */
export const auditHeadText = {
  number: { en: "Entry No.", ko: "항목 번호" },
  time: { en: "Time (UTC)", ko: "시각(UTC)" },
  user: { en: "User", ko: "사용자" },
  address: { en: "IP address", ko: "IP 주소" },
  event: { en: "Event", ko: "이벤트" },
  study: { en: "Study No.", ko: "검사 번호" },
  outcome: { en: "Outcome", ko: "결과" },
  details: { en: "Details", ko: "세부 정보" },
  eventCode: { en: "Event code", ko: "이벤트 코드" },
  outcomeCode: { en: "Outcome code", ko: "결과 코드" },
  stored: { en: "Details as stored", ko: "저장된 세부 정보" },
  request: { en: "Request ID", ko: "요청 번호" },
  hash: { en: "Hash of this entry", ko: "항목 해시값" },
} as const satisfies Catalogue;

/** Names of the details of an audit event. */
export const auditDetailText = {
  user: { en: "account", ko: "계정" },
  role: { en: "role", ko: "역할" },
  state: { en: "status", ko: "상태" },
  system: { en: "system", ko: "시스템" },
  scanner: { en: "scanner", ko: "장비" },
  merge: { en: "merge number", ko: "병합 번호" },
  message: { en: "message number", ko: "메시지 번호" },
  norm: { en: "norm set number", ko: "규준 번호" },
  title: { en: "title", ko: "제목" },
  image: { en: "key image number", ko: "키 이미지 번호" },
  measurement: { en: "measurement number", ko: "측정 번호" },
  kind: { en: "type", ko: "종류" },
  in_report: { en: "in the report", ko: "리포트에 포함" },
  lesion: { en: "lesion number", ko: "병변 번호" },
  confirmed: { en: "confirmed", ko: "확인" },
  stroke: { en: "brush stroke number", ko: "수정 번호" },
  series: { en: "series", ko: "시리즈" },
  value: { en: "segmentation label value", ko: "분할 라벨 값" },
  origin: { en: "system that sent the link", ko: "링크를 보낸 시스템" },
  result: { en: "result", ko: "결과" },
  call: { en: "request", ko: "요청" },
  subject: { en: "subject", ko: "대상" },
  backup_of: { en: "time of the backup", ko: "백업 시각" },
  files: { en: "files", ko: "파일 수" },
  damaged: { en: "damaged files", ko: "손상 파일 수" },
  studies: { en: "number of studies", ko: "검사 수" },
  study_numbers: { en: "study numbers", ko: "검사 번호" },
} as const satisfies Catalogue;

const wordsOf = (code: string): Record<Language, string> | null =>
  Object.hasOwn(auditEventText, code) ? auditEventText[code as keyof typeof auditEventText] : null;

/**
 * Text of an audit event. Codes `admin.…` of server commands are turned into words.
 * An unknown event code is returned unchanged.
 */
export function auditEventIn(code: string, language: Language): string {
  const words = wordsOf(code);
  if (words) return words[language];
  const [noun, ...command] = code.split(".");
  return noun === "admin"
    ? textIn(auditText.command, language, { command: command.join(" ") })
    : code;
}

/**
 * Codes of audit events with a text that contains `text`, in either language, in any case.
 */
export const auditEventsNamed = (text: string): string[] =>
  Object.entries(auditEventText).filter(([, words]) =>
    Object.values(words).some((each) => each.toLowerCase().includes(text.toLowerCase()))
  ).map(([code]) => code);

/** Study numbers, separated by spaces, as ranges: "3–5, 9". */
function rangesText(numbers: string): string {
  const ranges: [number, number][] = [];
  for (const number of numbers.trim().split(" ").map(Number).sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => from === to ? `${from}` : `${from}–${to}`).join(", ");
}

/** Details of an audit event with their names: "account: 3, role: Physician". */
export const auditDetailsIn = (
  details: Readonly<Record<string, string | number>>,
  language: Language,
): string =>
  Object.entries(details).map(([key, value]) => {
    const name = Object.hasOwn(auditDetailText, key)
      ? auditDetailText[key as keyof typeof auditDetailText][language]
      : key;
    return `${name}: ${key === "study_numbers" ? rangesText(String(value)) : value}`;
  }).join(", ");
