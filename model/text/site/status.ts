import type { Catalogue } from "@/model/text.ts";

/** Texts of the page Server for maintenance users. */
export const statusText = {
  title: { en: "Server status", ko: "서버 상태" },
  tabs: { en: "Status sections", ko: "서버 상태 항목" },
  server: { en: "Server", ko: "서버" },
  connections: { en: "Connections", ko: "연결" },
  audit: { en: "Audit log", ko: "감사 로그" },
  registry: { en: "Registry export", ko: "레지스트리 내보내기" },
  credits: { en: "Credits", ko: "크레딧" },
  failedToLoad: { en: "This section could not be loaded.", ko: "이 항목을 불러오지 못했습니다." },

  storage: { en: "Storage", ko: "저장 공간" },
  diskUsed: { en: "{percent}\u00a0% in use", ko: "{percent}\u00a0% 사용 중" },
  diskFree: { en: "{free} of {total}\u00a0GB free", ko: "{total}\u00a0GB 중 {free}\u00a0GB 남음" },
  diskLimits: {
    en:
      "Users see a warning when disk usage exceeds {warn}\u00a0% and an alert when it exceeds {error}\u00a0%. Uploads always leave 1\u00a0GB of disk space free.",
    ko:
      "사용량이 {warn}\u00a0%를 넘으면 모든 사용자에게 주의 알림을, {error}\u00a0%를 넘으면 긴급 알림을 표시합니다. 업로드는 여유 공간 1\u00a0GB를 남겨 둡니다.",
  },
  diskOk: { en: "Enough space", ko: "여유 공간 충분" },
  diskWarn: { en: "Low on storage", ko: "저장 공간 부족" },
  diskError: { en: "Full", ko: "가득 참" },

  versions: { en: "Versions", ko: "버전" },
  product: { en: "Product", ko: "제품" },
  engine: { en: "Engine version of the latest result", ko: "최근 결과의 엔진 버전" },
  noEngine: { en: "No result yet", ko: "아직 결과 없음" },
  runtime: { en: "Runtime", ko: "런타임" },
  database: { en: "Database", ko: "데이터베이스" },
  started: { en: "Running since", ko: "시작 시각" },

  workers: { en: "Workers", ko: "작업 프로세스" },
  threads: { en: "Threads per analysis", ko: "분석 1건의 스레드 수" },
  busy: { en: "Busy processes", ko: "사용 중인 프로세스" },
  jobs: { en: "Jobs", ko: "작업" },
  queued: { en: "Waiting", ko: "대기 중" },
  running: { en: "Running", ko: "실행 중" },
  done: { en: "Done", ko: "완료" },
  failed: { en: "Failed", ko: "실패" },
  canceled: { en: "Canceled", ko: "취소됨" },
  noJobs: { en: "No jobs yet.", ko: "아직 작업이 없습니다." },
  number: { en: "No.", ko: "번호" },
  kind: { en: "Type", ko: "종류" },
  study: { en: "Study", ko: "검사" },
  state: { en: "Status", ko: "상태" },
  since: { en: "Requested", ko: "요청 시각" },
  until: { en: "Finished", ko: "종료 시각" },
  kind_analysis: { en: "Analysis", ko: "분석" },
  kind_longitudinal: { en: "Longitudinal analysis", ko: "추적 비교" },
  kind_report: { en: "Report", ko: "리포트" },
  kind_registry: { en: "Registry export", ko: "레지스트리 내보내기" },
  kind_excel: { en: "Table export", ko: "표 내보내기" },
  refresh: { en: "Refresh", ko: "새로 고침" },

  search: {
    en: "Search by event, outcome, user or address",
    ko: "이벤트, 결과, 사용자 또는 주소 검색",
  },
  from: { en: "From ({zone})", ko: "시작일({zone})" },
  to: { en: "Before ({zone})", ko: "이 날짜 전({zone})" },
  studyNumber: { en: "Study No.", ko: "검사 번호" },
  apply: { en: "Search", ko: "검색" },
  clear: { en: "Clear", ko: "조건 지우기" },
  exportCsv: { en: "Export CSV", ko: "CSV 내보내기" },
  verify: { en: "Verify", ko: "검증" },
  verifying: { en: "Verifying…", ko: "검증 중…" },
  whole: {
    en:
      "The log is intact: {count} {count|entry|entries}, verified up to entry {proven}. Last hash: {hash}",
    ko:
      "감사 로그에 변조나 누락이 없습니다. 항목 {count}개, {proven}번 항목까지 검증됨, 마지막 해시 {hash}",
  },
  broken: {
    en:
      "The log is not intact: entry {number} is missing or was changed. The last verified entry is {proven}.",
    ko:
      "감사 로그가 훼손되었습니다. {number}번 항목이 없거나 변경되었습니다. 마지막으로 검증된 항목은 {proven}번입니다.",
  },
  notAnchored: {
    en:
      "The records that anchor the log are missing or were changed, so its newest entries may be missing. The last verified entry is {proven}.",
    ko:
      "로그의 무결성을 보증하는 앵커 기록이 없거나 변경되어 최근 항목이 누락되었을 수 있습니다. 마지막으로 검증된 항목은 {proven}번입니다.",
  },
  time: { en: "Time ({zone})", ko: "시각({zone})" },
  user: { en: "User", ko: "사용자" },
  address: { en: "Address", ko: "주소" },
  event: { en: "Event", ko: "이벤트" },
  outcome: { en: "Outcome", ko: "결과" },
  noEntries: { en: "No matching entries.", ko: "조건에 맞는 항목이 없습니다." },
  accounts: { en: "Accounts", ko: "계정" },
  bin: { en: "Deleted studies", ko: "삭제한 검사" },
  signIns: { en: "Blocked sign-ins", ko: "로그인 차단" },
  delaysExplained: {
    en:
      "These accounts and network addresses are temporarily blocked after too many wrong passwords. Devices that have signed in before are not affected.",
    ko:
      "비밀번호를 여러 번 틀려 일시적으로 차단된 계정과 주소입니다. 이전에 로그인한 적이 있는 기기는 영향을 받지 않습니다.",
  },
  noDelays: { en: "No accounts or addresses are blocked.", ko: "차단된 계정이나 주소가 없습니다." },
  reason: { en: "Reason", ko: "사유" },
  failures: { en: "Failed password attempts", ko: "비밀번호 오류 횟수" },
  delayedUntil: { en: "Next attempt allowed", ko: "다음 시도 가능 시각" },
  liftDelay: { en: "Unblock", ko: "차단 해제" },
  delayPlace: {
    en: "Wrong passwords for this account from one device or address",
    ko: "이 기기나 주소에서 이 계정으로 로그인 시도",
  },
  delayAccount: {
    en: "Wrong passwords for this account from many addresses",
    ko: "여러 주소에서 이 계정으로 로그인 시도",
  },
  delayAddress: {
    en: "Wrong passwords for many accounts from this address",
    ko: "이 주소에서 여러 계정으로 로그인 시도",
  },
  nobody: { en: "Unknown", ko: "알 수 없음" },
} as const satisfies Catalogue;
