import type { Catalogue } from "@/model/text.ts";

/** Sentences of a report's conclusion. They describe values and do not name diseases. */
export const conclusionText = {
  usual: {
    en:
      "No volume (total, one side or lobe), left–right difference or change is outside the range expected for the patient’s age, sex and " +
      "intracranial volume, even allowing for measurement error.",
    ko:
      "측정 오차를 고려해도 나이, 성별, 두개강내 용적에 따른 예상 범위를 벗어난 부피, 좌우 차이, 변화가 없습니다.",
  },
  usualWithoutIcv: {
    en:
      "No volume (total, one side or lobe), left–right difference or change is outside the range expected for the patient’s age and sex, even " +
      "allowing for measurement error; the intracranial volume is not taken into account.",
    ko:
      "측정 오차를 고려해도 나이와 성별에 따른 예상 범위를 벗어난 부피, 좌우 차이, 변화가 없습니다. 두개강내 용적은 " +
      "반영하지 않았습니다.",
  },
  notDetermined: {
    en:
      "Not determined: no value is clearly outside the expected range, but because of measurement error a deviation cannot be " +
      "excluded.",
    ko:
      "판정할 수 없음: 예상 범위를 확실히 벗어난 값은 없으나, 측정 오차를 고려하면 벗어났을 가능성을 배제할 수 없습니다.",
  },
  openParts: { en: "Not determined for: {parts}.", ko: "판정하지 못한 부위: {parts}." },
  noneByQuality: {
    en:
      "Not determined: segmentation quality C. No percentiles are given for volumes; please review the images.",
    ko:
      "판정할 수 없음: 분할 품질이 C이므로 부피의 백분위를 제시하지 않습니다. 영상을 직접 판독하십시오.",
  },
  noneByScanner: {
    en:
      "Not determined: a lasting change in this scanner's results was detected. No percentiles are given for volumes; please review the images.",
    ko:
      "판정할 수 없음: 이 장비의 결과에 지속적인 변화가 감지되어 부피의 백분위를 제시하지 않습니다. 영상을 직접 판독하십시오.",
  },
  noneByUnreadScanner: {
    en:
      "Not determined: the image header has not been read, so it is not known which scanner was used. No percentiles are given for volumes; please review the images.",
    ko:
      "판정할 수 없음: 영상 헤더를 아직 읽지 못해 촬영 장비를 알 수 없으므로 부피의 백분위를 제시하지 않습니다. 영상을 직접 판독하십시오.",
  },
  noneByRefusal: {
    en:
      "Not determined: the acceptance test of this scanner refused percentiles. No percentiles are given for volumes; please review the images.",
    ko:
      "판정할 수 없음: 인수 시험에서 이 장비의 백분위 사용이 거부되어 부피의 백분위를 제시하지 않습니다. 영상을 직접 판독하십시오.",
  },
  provisional: {
    en:
      "This scanner has not been accepted for percentiles at this site, so its percentiles are provisional.",
    ko: "이 기관에서 백분위 사용이 승인되지 않은 장비이므로 백분위는 잠정값입니다.",
  },
  noneByAge: {
    en:
      "Not determined: the patient's age is outside the range of the norms. No percentiles are given for volumes; please review the images.",
    ko:
      "판정할 수 없음: 환자의 나이가 규준의 적용 범위를 벗어나 부피의 백분위를 제시하지 않습니다. 영상을 직접 판독하십시오.",
  },
  noneByUnknownAge: {
    en:
      "Not determined: the patient's age is unknown. No percentiles are given for volumes; please review the images.",
    ko:
      "판정할 수 없음: 환자의 나이를 알 수 없어 부피의 백분위를 제시하지 않습니다. 영상을 직접 판독하십시오.",
  },
  noneByUnknownSex: {
    en:
      "Not determined: the patient's sex is unknown. No percentiles are given for volumes; please review the images.",
    ko:
      "판정할 수 없음: 환자의 성별을 알 수 없어 부피의 백분위를 제시하지 않습니다. 영상을 직접 판독하십시오.",
  },
  flairAlone: {
    en: "Not determined: without a T1w series, brain regions cannot be compared with norms.",
    ko: "판정할 수 없음: T1w 시리즈가 없어 뇌 영역을 규준과 비교할 수 없습니다.",
  },
  single: {
    en:
      "Isolated values outside the expected range; these also occur in healthy people when so many values are measured.",
    ko:
      "다음은 예상 범위를 벗어난 개별 값입니다. 측정값이 많으므로 건강한 사람에게서도 나타날 수 있습니다.",
  },
  possible: {
    en:
      "Values possibly outside the expected range; truly extreme values are rare, so measurement error may explain these.",
    ko:
      "다음 값은 예상 범위를 벗어났을 가능성이 있습니다. 실제로 그만큼 극단적인 값은 드물므로 측정 오차 때문일 수 있습니다.",
  },
  uncompared: {
    en: "The following is not compared with norms.",
    ko: "다음은 규준과 비교하지 않은 값입니다.",
  },
  missingLeft: {
    en: "Missing or far too small on the left, check the segmentation on the images: {parts}.",
    ko: "좌측에서 분할되지 않았거나 지나치게 작아 영상에서 분할 결과를 확인해야 할 부위: {parts}.",
  },
  missingRight: {
    en: "Missing or far too small on the right, check the segmentation on the images: {parts}.",
    ko: "우측에서 분할되지 않았거나 지나치게 작아 영상에서 분할 결과를 확인해야 할 부위: {parts}.",
  },
  missingBoth: {
    en: "Missing or far too small on both sides, check the segmentation on the images: {parts}.",
    ko: "양측에서 분할되지 않았거나 지나치게 작아 영상에서 분할 결과를 확인해야 할 부위: {parts}.",
  },
  missing: {
    en: "Missing or far too small, check the segmentation on the images: {parts}.",
    ko: "분할되지 않았거나 지나치게 작아 영상에서 분할 결과를 확인해야 할 부위: {parts}.",
  },
  lowLeft: {
    en: "Low volume on the left: {parts}.",
    ko: "좌측에서 규준보다 부피가 작은 부위: {parts}.",
  },
  lowRight: {
    en: "Low volume on the right: {parts}.",
    ko: "우측에서 규준보다 부피가 작은 부위: {parts}.",
  },
  lowBoth: {
    en: "Low volume on both sides: {parts}.",
    ko: "양측에서 규준보다 부피가 작은 부위: {parts}.",
  },
  low: { en: "Low volume: {parts}.", ko: "규준보다 부피가 작은 부위: {parts}." },
  highLeft: {
    en: "Large volume on the left: {parts}.",
    ko: "좌측에서 규준보다 부피가 큰 부위: {parts}.",
  },
  highRight: {
    en: "Large volume on the right: {parts}.",
    ko: "우측에서 규준보다 부피가 큰 부위: {parts}.",
  },
  highBoth: {
    en: "Large volume on both sides: {parts}.",
    ko: "양측에서 규준보다 부피가 큰 부위: {parts}.",
  },
  high: { en: "Large volume: {parts}.", ko: "규준보다 부피가 큰 부위: {parts}." },
  thinLeft: {
    en: "Thin cortex on the left: {parts}.",
    ko: "좌측에서 규준보다 피질이 얇은 부위: {parts}.",
  },
  thinRight: {
    en: "Thin cortex on the right: {parts}.",
    ko: "우측에서 규준보다 피질이 얇은 부위: {parts}.",
  },
  thinBoth: {
    en: "Thin cortex on both sides: {parts}.",
    ko: "양측에서 규준보다 피질이 얇은 부위: {parts}.",
  },
  thin: { en: "Thin cortex: {parts}.", ko: "규준보다 피질이 얇은 부위: {parts}." },
  lobesKept: {
    en: "Cortical volume is not clearly low in any lobe.",
    ko: "규준보다 피질 부피가 뚜렷하게 작은 엽은 없습니다.",
  },
  asymmetry: {
    en:
      "Left–right difference larger than in healthy people, even allowing for measurement error: {parts}.",
    ko: "측정 오차를 고려해도 좌우 차이가 건강한 사람보다 큰 부위: {parts}.",
  },
  leftSmaller: {
    en: "{part} smaller on the left (asymmetry {percent}\u00a0%)",
    ko: "{part}, 좌측이 더 작음(비대칭 {percent}\u00a0%)",
  },
  rightSmaller: {
    en: "{part} smaller on the right (asymmetry {percent}\u00a0%)",
    ko: "{part}, 우측이 더 작음(비대칭 {percent}\u00a0%)",
  },
  leftLarger: {
    en: "{part} larger on the left (asymmetry {percent}\u00a0%)",
    ko: "{part}, 좌측이 더 큼(비대칭 {percent}\u00a0%)",
  },
  rightLarger: {
    en: "{part} larger on the right (asymmetry {percent}\u00a0%)",
    ko: "{part}, 우측이 더 큼(비대칭 {percent}\u00a0%)",
  },
  leftSmallerThanExpected: {
    en:
      "{part} smaller on the left than expected relative to the right (asymmetry {percent}\u00a0%)",
    ko: "{part}, 우측 대비 좌측이 예상보다 작음(비대칭 {percent}\u00a0%)",
  },
  rightSmallerThanExpected: {
    en:
      "{part} smaller on the right than expected relative to the left (asymmetry {percent}\u00a0%)",
    ko: "{part}, 좌측 대비 우측이 예상보다 작음(비대칭 {percent}\u00a0%)",
  },
  leftLargerThanExpected: {
    en:
      "{part} larger on the left than expected relative to the right (asymmetry {percent}\u00a0%)",
    ko: "{part}, 우측 대비 좌측이 예상보다 큼(비대칭 {percent}\u00a0%)",
  },
  rightLargerThanExpected: {
    en:
      "{part} larger on the right than expected relative to the left (asymmetry {percent}\u00a0%)",
    ko: "{part}, 좌측 대비 우측이 예상보다 큼(비대칭 {percent}\u00a0%)",
  },
  score: { en: "High Atrophy Score: {score}.", ko: "위축 점수가 높습니다: {score}." },
  lesions: {
    en:
      "White matter hyperintensities: {total}\u00a0mL (periventricular {peri}, deep {deep}); by volume, this corresponds to Fazekas grade {grade}.",
    ko:
      "백질 고신호는 {total}\u00a0mL(뇌실주위 {peri}, 심부 {deep})이며, 부피 기준으로 Fazekas {grade}등급에 해당합니다.",
  },
  places: {
    en: "Lesions mainly near these regions: {parts}.",
    ko: "병변이 주로 분포하는 부위(인접 영역 기준): {parts}.",
  },
  change: {
    en: "{part}: volume change of {percent}\u00a0% per year since {since}.",
    ko: "{since} 이후 {part} 부피의 연간 변화율 {percent}\u00a0%.",
  },
  changeNorm: {
    en:
      "{part}: volume change of {percent}\u00a0% per year since {since} (norm: {norm}\u00a0% per year).",
    ko: "{since} 이후 {part} 부피의 연간 변화율 {percent}\u00a0%(규준 {norm}\u00a0%).",
  },
  unknownAcquisition: {
    en:
      "No acquisition data could be read for one of the studies, so the studies may differ in scanner or protocol.",
    ko: "한 검사의 촬영 정보를 읽을 수 없어 두 검사의 장비나 프로토콜이 다를 수 있습니다.",
  },
  doubt: {
    en: "Check the segmentation on the images: {parts}.",
    ko: "영상에서 분할 결과를 확인해야 할 부위: {parts}.",
  },
  more: { en: "{count} more in the tables", ko: "그 밖에 {count}개(표 참고)" },
  /** added to a conclusion when its page has no room for all findings */
  shortened: {
    en: "… and {count} more {count|result|results}: see {places|page|pages} {pages}.",
    ko: "… 외 결과 {count}건: {pages}쪽을 참고하십시오.",
  },
  /** title of the page with all findings, printed if some of them are in no table of the report */
  all: { en: "All results of the software", ko: "소프트웨어 결과 전체" },
  /** heading of suggested sentences that the physician's signed text does not repeat */
  beside: {
    en: "Software results not in the signed text",
    ko: "서명 문구에 없는 소프트웨어 결과",
  },
  /** notice below an opinion that a user has chosen against the findings */
  disagrees: {
    en: "This comment does not agree with the results of the software.",
    ko: "이 소견 문구는 소프트웨어의 결과와 일치하지 않습니다.",
  },
  /** explains the brackets behind each number in a sentence: value, percentile, 80 % interval */
  figures: {
    en:
      "In brackets: value, percentile (adjusted for age, sex and intracranial volume) and the 80\u00a0% interval of the percentile.",
    ko: "괄호 안은 값, 나이·성별·두개강내 용적을 고려한 백분위, 백분위의 80\u00a0% 구간입니다.",
  },
  figuresWithoutIcv: {
    en:
      "In brackets: value, percentile (adjusted for age and sex) and the 80\u00a0% interval of the percentile.",
    ko: "괄호 안은 값, 나이·성별을 고려한 백분위, 백분위의 80\u00a0% 구간입니다.",
  },
  left: { en: "left", ko: "좌" },
  right: { en: "right", ko: "우" },
  icv: { en: "intracranial volume", ko: "두개강내 용적" },
  cortex: { en: "cerebral cortex", ko: "대뇌 피질" },
  brain: { en: "brain without ventricles", ko: "뇌(뇌실 제외)" },
  cingulate: { en: "cingulate cortex", ko: "대상회" },
  /** cerebral hemisphere, which does not include the cerebellum */
  hemisphere: { en: "cerebral hemisphere", ko: "대뇌반구" },
  hippocampus: { en: "hippocampi", ko: "해마" },
  ventricles: { en: "lateral ventricles", ko: "측뇌실" },
  whiteMatter: { en: "white matter", ko: "백질" },
  thickness: { en: "cortical thickness", ko: "피질 두께" },
  /** heading of a conclusion that no physician has signed */
  automatic: { en: "Suggested by the software (not signed)", ko: "소프트웨어 제안 문구(서명 전)" },
} as const satisfies Catalogue;

/** Texts of left-right differences in a table. */
export const sidesText = {
  asymmetryAlone: { en: "Asymmetry {percent}\u00a0%", ko: "비대칭 {percent}\u00a0%" },
  asymmetry: {
    en: "Asymmetry {percent}\u00a0%, {percentile}",
    ko: "비대칭 {percent}\u00a0%, 백분위 {percentile}",
  },
} as const satisfies Catalogue;
