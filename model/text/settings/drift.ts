import type { Catalogue } from "@/model/text.ts";

/** Texts of the settings' section with the control charts of the scanners. */
export const driftText = {
  title: { en: "Scanner stability", ko: "장비 안정성" },
  hint: {
    en:
      "Control charts for each scanner, protocol and coil detect lasting changes in the scanner, not changes in individual patients. The first {n} studies are used only to establish the baseline.",
    ko:
      "장비와 프로토콜, 코일별 결과의 관리도입니다. 개별 환자의 변화가 아니라 장비의 지속적인 변화를 찾습니다. 처음 검사 {n}건은 기준선을 정하는 데만 사용합니다.",
  },
  compute: { en: "Update charts", ko: "관리도 갱신" },
  computing: { en: "Updating…", ko: "갱신 중…" },
  computedAt: { en: "Updated on {date}", ko: "{date} 갱신" },
  never: { en: "No charts yet.", ko: "아직 관리도가 없습니다." },
  group: { en: "Scanner and protocol for the charts", ko: "관리도의 장비와 프로토콜" },
  counted: { en: "{n} {n|study|studies}, {engine}", ko: "검사 {n}건, {engine}" },
  learning: {
    en: "Not monitored yet: {n} of {needed} studies for the baseline.",
    ko: "아직 감시하지 않음: 기준선에 필요한 검사 {needed}건 중 {n}건",
  },
  steady: { en: "No lasting change detected.", ko: "지속적인 변화가 감지되지 않았습니다." },
  moved: {
    en:
      "Changed: {list}. Check the scanner, its software and its protocol before you rely on percentiles.",
    ko:
      "변화 감지: {list}. 백분위를 사용하기 전에 장비와 장비의 소프트웨어, 프로토콜을 점검하세요.",
  },
  movedSince: { en: "{name} {direction} since {date}", ko: "{name} {direction}({date}부터)" },
  movedUndated: { en: "{name} {direction}", ko: "{name} {direction}" },
  higher: { en: "higher", ko: "상승" },
  lower: { en: "lower", ko: "하락" },
  restartedAt: {
    en: "Charts restarted on {date} by {user}.",
    ko: "{date} {user} 님이 관리도를 초기화했습니다.",
  },
  restart: { en: "Restart charts", ko: "관리도 초기화" },
  restartReason: { en: "Reason for the restart", ko: "초기화 사유" },
  proposeRestart: { en: "Propose restart", ko: "초기화 제안" },
  needsSecond: {
    en:
      "The charts show a change, or this scanner has been accepted: another administrator must agree to the restart. Restarts are printed on the acceptance sheet.",
    ko:
      "변화가 감지되었거나 승인된 적이 있는 장비이므로 다른 관리자가 초기화에 동의해야 합니다. 초기화 내역은 인수 시험지에 인쇄됩니다.",
  },
  restartProposed: {
    en: "{user} proposed on {date} to restart the charts: {reason}",
    ko: "{user} 님이 {date}에 관리도 초기화를 제안했습니다: {reason}",
  },
  restartOwn: {
    en: "Waiting for another administrator to agree.",
    ko: "다른 관리자의 동의를 기다리고 있습니다.",
  },
  agreeRestart: { en: "Agree and restart", ko: "동의하고 초기화" },
  withdrawRestart: { en: "Withdraw proposal", ko: "제안 철회" },
  plotBefore: {
    en: "The newest studies are shown; {n} earlier {n|study is|studies are} in the chart.",
    ko: "최근 검사만 표시합니다. 이전 검사 {n}건도 관리도에 포함되어 있습니다.",
  },
  chart: { en: "Chart", ko: "관리도" },
  overall: { en: "All regions combined", ko: "전체 영역" },
  unreliable: { en: "Segmentation quality C or no result", ko: "분할 품질 C 또는 결과 없음" },
  plot: { en: "{name}: control chart of {n} {n|study|studies}", ko: "{name}: 검사 {n}건의 관리도" },
  plotHint: {
    en:
      "Top: z score of each study relative to the published norms. Bottom: cumulative sums of upward and downward deviations from the value expected at the patient's age; a change is reported when a sum crosses the limit (dashed line).",
    ko:
      "위: 검사별 값(공개 규준 기준 z 점수). 아래: 환자 나이에서 기대되는 값과의 상승 편차와 하락 편차의 누적합. 점선으로 표시한 한계를 넘으면 변화로 판단합니다.",
  },
  plotHintShare: {
    en:
      "Top: results of segmentation quality C and failed or refused analyses are shown as 1, all others as 0. Bottom: evidence that these have become more frequent; a change is reported when the evidence crosses the limit (dashed line).",
    ko:
      "위: 분할 품질이 C인 결과와 실패하거나 거부된 분석(1), 그 밖의 결과(0). 아래: 이러한 경우가 늘었다는 근거의 누적합. 점선으로 표시한 한계를 넘으면 변화로 판단합니다.",
  },
} as const satisfies Catalogue;
