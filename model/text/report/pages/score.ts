import type { Catalogue } from "@/model/text.ts";

/** Words on the Atrophy Score. */
export const scorePageText = {
  scoreLead: { en: "Deviation from the reference", ko: "규준에서 벗어난 정도" },
  scoreLow: { en: "more tissue", ko: "조직이 많음" },
  scoreHigh: { en: "less tissue", ko: "조직이 적음" },
  scoreText: {
    en:
      "The score says how far four measures of the brain together lie from those of healthy people of the same age, sex " +
      "and ICV: 50 is the middle of the reference, and {score} of 100 healthy people deviate less in this direction; " +
      "with the error of the method, {interval} of 100 (80\u00a0%). " +
      "It is a deviation from the reference and does not tell its cause.",
    ko:
      "이 점수는 네 가지 뇌 측정값이 나이, 성별, ICV가 같은 건강한 사람들의 값에서 함께 얼마나 벗어나 있는지를 나타냅니다. " +
      "50이 규준의 가운데이며, 건강한 사람 100명 가운데 이 방향으로 덜 벗어난 사람은 {score}입니다(측정 오차를 고려한 80\u00a0% 구간 " +
      "{interval}). " +
      "규준에서 벗어난 정도일 뿐, 그 원인을 말하지는 않습니다.",
  },
  scoreCount: { en: "{n}", ko: "{n}명" },
  scoreOver: { en: "more than 99.9", ko: "99.9명 초과" },
  scoreUnder: { en: "fewer than 0.1", ko: "0.1명 미만" },
  scoreRange: { en: "{low} to {high}", ko: "{low}~{high}" },
  scoreNone: {
    en: "Without norms for this patient there is no score.",
    ko: "이 환자에 맞는 규준이 없어 점수를 제시하지 않습니다.",
  },
  scoreParts: { en: "What the score is made of", ko: "점수를 이루는 값" },
  scoreAxis: {
    en: "Deviation in standard deviations; shaded: 90\u00a0% of healthy people",
    ko: "표준편차로 나타낸 편차. 음영: 건강한 사람의 90\u00a0%",
  },
  scoreDeviation: { en: "Deviation", ko: "편차" },
  scorePart: { en: "Part of the deviation", ko: "편차 기여" },
  scoreBand: { en: "Tissue measured together: {band}", ko: "네 값을 종합한 조직량: {band}" },
  scoreAlt: {
    en: "Score {score} of 100, 80\u00a0% interval {low} to {high}; 50 is the middle of the reference",
    ko: "100점 중 {score}점, 80\u00a0% 구간 {low}~{high}. 50이 규준의 가운데",
  },
  scorePartsAlt: { en: "Deviation of each measure: {list}", ko: "측정값별 편차: {list}" },
  scoreMethod: {
    en:
      "Mean of the z scores of left + right hippocampus, entorhinal cortex, cerebral cortex and inferior lateral " +
      "ventricles (the sign of the tissue turned, so that less tissue and more fluid count up), divided by the spread " +
      "of such a mean for parts that correlate with 0.4 among themselves (an assumption), and read from the normal " +
      "distribution, 0 to 100. The mean deviation of the method is taken out of each part; the arc is the 80\u00a0% interval, " +
      "with the errors of the parts taken as independent.",
    ko:
      "좌측 + 우측 해마, 내후각피질, 대뇌 피질, 측뇌실 하각의 z 점수 평균(조직은 부호를 바꾸어, 조직이 적고 뇌척수액이 " +
      "많을수록 커지게 함)을, 서로 상관이 0.4라고 가정한 평균의 표준편차로 나누고 정규분포에서 0~100으로 읽은 값입니다. 각 값에서 " +
      "방법의 평균 편차를 뺐으며, 호는 각 값의 오차가 서로 독립이라고 본 80\u00a0% 구간입니다.",
  },
} as const satisfies Catalogue;
