import type { Catalogue } from "@/model/text.ts";

/** Texts of the viewer's list of lesions that changed since the previous study. */
export const viewerLesionChangesText = {
  title: { en: "Changed since {date}", ko: "{date} 이후 변화" },
  hint: {
    en: "J: next, K: previous, Y: confirm, U: reject; press again to undo",
    ko: "J, K: 다음, 이전. Y: 확인, U: 제외. 한 번 더 누르면 취소",
  },
  place: { en: "{n} / {total}", ko: "{n} / {total}" },
  next: { en: "Next changed lesion (J)", ko: "변화한 다음 병변(J)" },
  previous: { en: "Previous changed lesion (K)", ko: "변화한 이전 병변(K)" },
  confirm: { en: "Confirm (Y)", ko: "확인(Y)" },
  refuse: { en: "Reject (U)", ko: "제외(U)" },
  confirmed: { en: "confirmed by {who}", ko: "{who} 확인" },
  refused: { en: "rejected by {who}", ko: "{who} 제외" },
  new: { en: "New", ko: "신규" },
  enlarging: { en: "Enlarging", ko: "커짐" },
  shrinking: { en: "Shrinking", ko: "작아짐" },
  gone: { en: "Resolved", ko: "소실" },
  places: { en: "{n} locations", ko: "{n}곳" },
  possible: { en: "uncertain", ko: "불확실" },
  valueMl: { en: "{value}\u00a0mL", ko: "{value}\u00a0mL" },
  volumes: { en: "{before} → {after}", ko: "{before} → {after}" },
  otherMethod: {
    en:
      "The lesions of the two studies were segmented in different ways, so the volumes cannot be compared. Analyze both studies again.",
    ko:
      "두 검사의 병변을 서로 다른 방법으로 분할하였으므로 부피를 비교할 수 없습니다. 두 검사를 다시 분석하세요.",
  },
  none: { en: "No changed lesions were found.", ko: "변화한 병변이 검출되지 않았습니다." },
  waiting: { en: "Not compared yet.", ko: "아직 비교하지 않았습니다." },
  failed: {
    en: "The two FLAIR series could not be compared.",
    ko: "두 FLAIR 시리즈를 비교하지 못했습니다.",
  },
} as const satisfies Catalogue;
