import type { Catalogue } from "@/model/text.ts";

/** A percentile with its error, in the viewer and on the report. */
export const rankText = {
  interval: { en: "80 %: {low} to {high}", ko: "80 % 구간 {low}–{high}" },
  intervalAlone: {
    en: "percentile {low} to {high} (80 %)",
    ko: "백분위 {low}–{high}(80 % 구간)",
  },
  notDetermined: { en: "not determined", ko: "정할 수 없음" },
  percentileNotDetermined: { en: "percentile not determined", ko: "백분위를 정할 수 없음" },
  notDistinguishable: { en: "Not distinguishable from usual", ko: "통상 범위와 구별되지 않음" },
  doubtValue: { en: "Beyond the norms: check the segmentation", ko: "규준을 벗어난 값: 분할 확인 필요" },
  doubtSides: { en: "Sides too different: check the segmentation", ko: "좌우 차이가 과도함: 분할 확인 필요" },
  source: {
    en: "Error of the percentiles: {heads} heads with known labels",
    ko: "백분위의 오차: 정답 라벨이 있는 영상 {heads}건",
  },
} as const satisfies Catalogue;

/** Bands, in the viewer and on the report: firm ones, and those that may hold. */
export const rankBandText = {
  below: { en: "Below the {percentile} percentile", ko: "백분위 {percentile} 미만" },
  above: { en: "Above the {percentile} percentile", ko: "백분위 {percentile} 초과" },
  notBelow: { en: "{percentile} percentile or above", ko: "백분위 {percentile} 이상" },
  notAbove: { en: "{percentile} percentile or below", ko: "백분위 {percentile} 이하" },
  possiblyBelow: { en: "Possibly below {percentile} percentile", ko: "백분위 {percentile} 미만 가능성" },
  possiblyAbove: { en: "Possibly above {percentile} percentile", ko: "백분위 {percentile} 초과 가능성" },
  belowPossibly: {
    en: "Below {percentile}, possibly {possible} percentile",
    ko: "백분위 {percentile} 미만({possible} 미만 가능성)",
  },
  abovePossibly: {
    en: "Above {percentile}, possibly {possible} percentile",
    ko: "백분위 {percentile} 초과({possible} 초과 가능성)",
  },
  noBand: { en: "error too large for a band", ko: "오차가 커서 판정하지 않음" },
} as const satisfies Catalogue;
