import type { Catalogue } from "@/model/text.ts";

/** Texts of percentiles and their error, in viewer and report. */
export const rankText = {
  interval: { en: "80\u00a0% interval {low} to {high}", ko: "80\u00a0% 구간 {low}~{high}" },
  /** an interval with an end "<1" or ">99"; in Korean the text of any interval */
  ends: { en: "{from}\u00a0to\u00a0{to}", ko: "{from}~{to}" },
  intervalAlone: {
    en:
      "percentile {low} to {high} (80\u00a0% interval; measurement error too large for a single percentile)",
    ko: "백분위 {low}~{high}(80\u00a0% 구간, 오차가 커서 백분위 하나로 제시하지 않음)",
  },
  /** both ends of the interval are the same percentile as printed, such as "<1" */
  intervalSingle: { en: "80\u00a0% interval {low}", ko: "80\u00a0% 구간 {low}" },
  intervalAloneSingle: {
    en: "percentile {low} (both ends of the 80\u00a0% interval)",
    ko: "백분위 {low}(80\u00a0% 구간의 양 끝이 같음)",
  },
  notDetermined: { en: "not determined", ko: "산출 불가" },
  percentileNotDetermined: {
    en: "percentile not determined: measurement error too large",
    ko: "백분위 산출 불가: 오차가 큼",
  },
  /** footnote of a page with a value that has no percentile */
  withheld: {
    en:
      "An interval alone, or “not determined”, means that the measurement error is too large for a percentile.",
    ko: "구간만 있거나 ‘산출 불가’로 적힌 값은 측정 오차가 커서 백분위를 제시하지 않은 것입니다.",
  },
  bordersUncertain: {
    en:
      "percentile not determined because the borders of the region are uncertain: check the segmentation",
    ko: "백분위 산출 불가: 영역의 경계가 불확실함, 분할 확인 필요",
  },
  notDistinguishable: {
    en: "Not clearly outside the expected range",
    ko: "예상 범위와 구별되지 않음",
  },
  doubtValue: {
    en: "Far outside the norms: check the segmentation",
    ko: "규준을 벗어난 값: 분할 확인 필요",
  },
  doubtSides: {
    en: "Left–right difference too large: check the segmentation",
    ko: "좌우 차이가 지나치게 큼: 분할 확인 필요",
  },
  source: {
    en: "Error of the percentiles, estimated from {heads} scans with reference segmentation",
    ko: "백분위의 오차: 참조 분할이 있는 영상 {heads}건에서 산출",
  },
} as const satisfies Catalogue;

/** Texts of percentile bands: values certainly in a band, and values possibly in a band. */
export const rankBandText = {
  below: { en: "Below the {percentile} percentile", ko: "백분위 {percentile} 미만" },
  above: { en: "Above the {percentile} percentile", ko: "백분위 {percentile} 초과" },
  notBelow: {
    en: "Not low ({percentile} percentile or above)",
    ko: "낮지 않음(백분위 {percentile} 이상)",
  },
  notAbove: {
    en: "Not high ({percentile} percentile or below)",
    ko: "높지 않음(백분위 {percentile} 이하)",
  },
  possiblyBelow: {
    en: "Possibly below the {percentile} percentile",
    ko: "백분위 {percentile} 미만 가능성",
  },
  possiblyAbove: {
    en: "Possibly above the {percentile} percentile",
    ko: "백분위 {percentile} 초과 가능성",
  },
  belowPossibly: {
    en: "Below the {percentile}, possibly below the {possible} percentile",
    ko: "백분위 {percentile} 미만({possible} 미만 가능성)",
  },
  abovePossibly: {
    en: "Above the {percentile}, possibly above the {possible} percentile",
    ko: "백분위 {percentile} 초과({possible} 초과 가능성)",
  },
  noBand: { en: "measurement error too large for a mark", ko: "오차가 커서 판정하지 않음" },
  uncertainBorders: {
    en: "borders uncertain: check the segmentation",
    ko: "경계가 불확실함: 분할 확인 필요",
  },
} as const satisfies Catalogue;
