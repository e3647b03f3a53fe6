import type { Catalogue } from "@/model/text.ts";

/** Texts about scanners for which percentiles are withheld, on the page of acceptance tests. */
export const stopsText = {
  title: { en: "Withheld percentiles", ko: "백분위 제시를 보류한 장비" },
  hint: {
    en:
      "If a control chart for an accepted scanner shows a change, that scanner's percentiles are withheld immediately; volumes are still shown. Two administrators then decide whether to release the percentiles (show them again) or to keep withholding them.",
    ko:
      "승인된 장비의 관리도에서 변화가 감지되면 백분위 제시를 즉시 보류합니다. 부피는 그대로 제시합니다. 보류를 해제할지 유지할지는 관리자 두 명이 결정합니다.",
  },
  none: { en: "No percentiles are withheld.", ko: "백분위 제시를 보류한 장비가 없습니다." },
  since: { en: "Studies since {date}", ko: "{date} 이후의 검사" },
  all: { en: "All studies", ko: "모든 검사" },
  charts: { en: "Charts showing a change: {list}", ko: "변화 감지: {list}" },
  stopped: { en: "withheld since {date}", ko: "{date}부터 보류" },
  proposedRelease: {
    en: "{user} proposed on {date} to release the percentiles: {reason}",
    ko: "{user} 님이 {date}에 해제를 제안했습니다: {reason}",
  },
  proposedConfirm: {
    en: "{user} proposed on {date} to keep withholding the percentiles: {reason}",
    ko: "{user} 님이 {date}에 보류 유지를 제안했습니다: {reason}",
  },
  released: {
    en: "{user} and {second} released the percentiles on {date}: {reason}",
    ko: "{user} 님과 {second} 님이 {date}에 해제했습니다: {reason}",
  },
  confirmed: {
    en: "{user} and {second} agreed on {date} to keep withholding the percentiles: {reason}",
    ko: "{user} 님과 {second} 님이 {date}에 보류를 유지하기로 했습니다: {reason}",
  },
  reason: { en: "Reason", ko: "사유" },
  reasonOf: { en: "Reason for the decision about {scanner}", ko: "{scanner} 결정 사유" },
  release: { en: "Propose to release", ko: "해제 제안" },
  confirm: { en: "Propose to keep withholding", ko: "보류 유지 제안" },
  agree: { en: "Agree", ko: "동의" },
  own: {
    en: "Waiting for another administrator to agree.",
    ko: "다른 관리자의 동의를 기다리고 있습니다.",
  },
  undo: { en: "Revoke decision", ko: "결정 철회" },
} as const satisfies Catalogue;
