import type { Catalogue } from "@/model/text.ts";

/** Texts of alarms by webhook and e-mail, at start and end, in the site's language. */
export const alarmText = {
  site: {
    en: "The site or its database is not responding",
    ko: "사이트 또는 데이터베이스가 응답하지 않습니다",
  },
  site_over: {
    en: "Resolved: the site and its database are responding again",
    ko: "해결됨: 사이트와 데이터베이스의 응답이 재개되었습니다",
  },
  disk: { en: "The disk is {percent}\u00a0% full", ko: "디스크 사용량이 {percent}\u00a0%입니다" },
  disk_over: {
    en: "Resolved: the disk has space again",
    ko: "해결됨: 디스크에 여유 공간이 생겼습니다",
  },
  writing: {
    en: "The server cannot write to the disk. Studies can be viewed, but nothing is saved.",
    ko: "디스크에 기록할 수 없습니다. 검사를 볼 수는 있지만 아무것도 저장되지 않습니다.",
  },
  writing_over: {
    en: "Resolved: the server can write to the disk again",
    ko: "해결됨: 디스크 기록이 재개되었습니다",
  },
  jobs: {
    en: "{n} {n|job|jobs} failed since the last check",
    ko: "마지막 점검 이후 작업 {n}건이 실패했습니다",
  },
  jobs_over: {
    en: "Resolved: no more jobs are failing",
    ko: "해결됨: 더 이상 실패하는 작업이 없습니다",
  },
  queue: {
    en: "A job has been waiting for {n} minutes",
    ko: "작업 하나가 {n}분 동안 대기하고 있습니다",
  },
  queue_over: {
    en: "Resolved: jobs are being processed again",
    ko: "해결됨: 작업 처리가 재개되었습니다",
  },
  connections: {
    en: "Transfers to or from other systems are stalled",
    ko: "다른 시스템과의 송수신이 지연되고 있습니다",
  },
  connections_over: {
    en: "Resolved: transfers to and from other systems are running again",
    ko: "해결됨: 다른 시스템과의 송수신이 재개되었습니다",
  },
  refusals: {
    en:
      "{n} requests have been refused since the last check. This may indicate unauthorized access: see the audit log.",
    ko:
      "마지막 점검 이후 요청 {n}건이 거부되었습니다. 무단 접근일 수 있으니 감사 로그를 확인하세요.",
  },
  refusals_over: {
    en: "Resolved: the number of refused requests is back to normal",
    ko: "해결됨: 거부된 요청 수가 평소 수준으로 돌아왔습니다",
  },
  errors: {
    en:
      "{n} program {n|error|errors} occurred since the last check. The site is still running. For details, search the log for “nothing handled”.",
    ko:
      "마지막 점검 이후 프로그램 오류가 {n}건 발생했습니다. 사이트는 계속 실행 중입니다. 로그에서 “nothing handled” 항목을 확인하세요.",
  },
  errors_over: {
    en: "Resolved: no further program errors have occurred",
    ko: "해결됨: 프로그램 오류가 더 이상 발생하지 않습니다",
  },
  norms: {
    en:
      "Routine studies from {n} {n|scanner|scanners} no longer fit the norms in use. Check the {n|scanner|scanners} and the norms in Settings.",
    ko:
      "장비 {n}대의 일상 진료 검사가 적용 중인 규준에서 벗어났습니다. 장비를 점검하고 설정에서 규준을 확인하세요.",
  },
  norms_over: {
    en: "Resolved: routine studies fit the norms in use again",
    ko: "해결됨: 일상 진료 검사의 결과가 적용 중인 규준의 범위로 돌아왔습니다",
  },
  scanners: {
    en:
      "Results from {n} {n|scanner|scanners} have changed. Check the {n|scanner|scanners} and the control charts in Settings.",
    ko: "장비 {n}대의 결과에 변화가 감지되었습니다. 장비를 점검하고 설정에서 관리도를 확인하세요.",
  },
  scanners_over: {
    en: "Resolved: the scanners' control charts have been restarted",
    ko: "해결됨: 장비의 관리도를 초기화했습니다",
  },
  stopped: {
    en:
      "Percentiles for {n} {n|scanner|scanners} are withheld because results have changed. Two administrators must decide on the Scanner acceptance page whether to show them again.",
    ko:
      "결과에 변화가 감지되어 장비 {n}대의 백분위 제시를 보류했습니다. 관리자 두 명이 ‘장비 인수 시험’ 페이지에서 재개 여부를 결정해야 합니다.",
  },
  stopped_over: {
    en: "Resolved: decisions have been made about all withheld percentiles",
    ko: "해결됨: 백분위 제시 보류에 대한 결정이 완료되었습니다",
  },
  backup: { en: "The backup to {folder} failed", ko: "{folder} 폴더의 백업에 실패했습니다" },
  backup_over: {
    en: "Resolved: the latest backup succeeded",
    ko: "해결됨: 백업이 정상적으로 완료되었습니다",
  },
  server: {
    en: "The server exited with code {code} and is being restarted",
    ko: "서버가 종료되어(종료 코드 {code}) 다시 시작하고 있습니다",
  },
} as const satisfies Catalogue;
