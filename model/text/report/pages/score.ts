import type { Catalogue } from "@/model/text.ts";

/** Texts of the report page Atrophy Score. */
export const scorePageText = {
  scoreLead: { en: "Deviation from the norms", ko: "규준에서 벗어난 정도" },
  scoreLow: { en: "more tissue", ko: "조직이 많음" },
  scoreHigh: { en: "less tissue", ko: "조직이 적음" },
  scoreText: {
    en:
      "The score shows how far four measures of the brain together deviate from those of healthy people, adjusted for {adjusted}; " +
      "50 is the median of the norms. Of 1,000 comparable healthy people, {score} have a lower score " +
      "(80\u00a0% interval of the score: {interval}). " +
      "It shows the deviation from the norms, not its cause.",
    ko:
      "이 점수는 네 가지 뇌 측정값을 {adjusted} 보정했을 때 건강한 사람들의 값에서 종합적으로 얼마나 벗어나 있는지를 나타냅니다. " +
      "50이 규준 중앙값이며, 조건이 같은 건강한 사람 1,000명 중 점수가 이보다 낮은 사람은 {score}입니다(점수의 80\u00a0% 구간 " +
      "{interval}). " +
      "규준에서 벗어난 정도를 나타낼 뿐, 그 원인은 알 수 없습니다.",
  },
  scoreCount: { en: "{n}", ko: "{n}명" },
  scoreOver: { en: "at least 999", ko: "999명 이상" },
  scoreUnder: { en: "fewer than 1", ko: "1명 미만" },
  scoreRange: { en: "{low} to {high}", ko: "{low}~{high}" },
  scoreNone: {
    en: "No score is given without the percentiles of all four measures.",
    ko: "네 측정값의 백분위가 모두 있을 때만 점수를 제시합니다.",
  },
  scoreMissing: {
    en: "No score is given when structures are missing or far too small. Check the segmentation.",
    ko:
      "분할에서 빠졌거나 지나치게 작은 구조물이 있으면 점수를 제시하지 않습니다. 분할을 확인하십시오.",
  },
  scoreParts: { en: "Parts of the score", ko: "점수를 이루는 항목" },
  scoreAxis: {
    en: "Deviation in standard deviations; shaded: range of 90\u00a0% of healthy people",
    ko: "표준편차로 나타낸 편차(z 점수). 음영: 건강한 사람의 90\u00a0%",
  },
  scoreDeviation: { en: "Deviation", ko: "편차" },
  scorePart: { en: "Share of the deviation", ko: "편차 기여도" },
  scoreBand: {
    en: "Tissue (four measures combined): {band}",
    ko: "네 측정값을 종합한 뇌 조직량: {band}",
  },
  scoreAlt: {
    en: "Score {score} of 100, 80\u00a0% interval {low} to {high}; 50 is the median of the norms",
    ko: "100점 중 {score}점, 80\u00a0% 구간 {low}~{high}. 50이 규준 중앙값",
  },
  scorePartsAlt: { en: "Deviation of each measure: {list}", ko: "측정값별 편차: {list}" },
  scoreMethod: {
    en:
      "Score = 100 × Φ(mean z / 0.74). The mean z is the average of the z scores of the hippocampus, entorhinal cortex, cerebral cortex and temporal horns (each left + right). The sign is reversed for tissue, so that less tissue and more fluid raise the score, and the mean bias of the method is removed from each z score. 0.74 is the standard deviation of such a mean, assuming a correlation of 0.4 between the parts. The arc is the 80\u00a0% interval, assuming that the errors of the parts are independent.",
    ko:
      "점수 = 100 × Φ(평균 z / 0.74). 평균 z는 좌우를 합한 해마, 내후각피질, 대뇌 피질, 측뇌실 측두각의 z 점수를 평균한 값입니다. 뇌 조직의 z 점수는 부호를 바꾸므로, 조직이 적고 뇌척수액이 많을수록 점수가 높아집니다. 각 z 점수에서 측정 방법의 평균 편향을 뺐습니다. 0.74는 측정값 사이의 상관을 0.4로 가정했을 때 이 평균의 표준편차입니다. 도표의 호는 각 측정값의 오차가 서로 독립이라고 가정한 80\u00a0% 구간입니다.",
  },
} as const satisfies Catalogue;
