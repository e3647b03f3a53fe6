import type { Catalogue } from "@/model/text.ts";

/** Texts of the page Longitudinal: percentiles over time, and studies that were not compared. */
export const trajectoryText = {
  chart: { en: "Percentiles by study", ko: "검사별 백분위" },
  percentile: {
    en: "Percentile among people of the patient's sex, head size and age at each study",
    ko: "검사 당시 나이, 성별, 머리 크기가 같은 사람을 기준으로 한 백분위",
  },
  note: {
    en:
      "The percentiles are based on the volumes of the jointly processed studies. A percentile that falls (for the ventricles: rises) from study to study indicates a change faster than that of the median of the norms. Percentiles also vary with measurement error.",
    ko:
      "모든 검사를 함께 분석한 부피에서 구했습니다. 검사를 거듭할수록 백분위가 낮아지면(뇌실은 높아지면) 규준 중앙값보다 변화가 빠르다는 뜻입니다. 백분위는 측정 오차 때문에도 달라집니다.",
  },
  gradeC: {
    en: "Studies not compared because of segmentation quality C: {dates}.",
    ko: "비교에서 제외한 검사: {dates}. 분할 품질이 C입니다.",
  },
  otherPerson: {
    en: "Studies with this patient ID not compared: {dates}. Recorded with another {recorded}.",
    ko: "같은 환자 ID이지만 비교에서 제외한 검사: {dates}. {recorded} 기록이 다릅니다.",
  },
  birthdate: { en: "birth date", ko: "생년월일" },
  sex: { en: "sex", ko: "성별" },
  name: { en: "name", ko: "이름" },
  birthdateAndSex: { en: "birth date and sex", ko: "생년월일·성별" },
  unknownPerson: {
    en:
      "Studies with this patient ID not compared: {dates}. Birth date or sex is missing, and the records with this ID contradict each other.",
    ko:
      "같은 환자 ID이지만 비교에서 제외한 검사: {dates}. 생년월일이나 성별이 기록되지 않았고, 이 ID의 기록이 서로 다릅니다.",
  },
  placeholderId: {
    en: "Studies with this patient ID not compared: {dates}. The ID is a placeholder.",
    ko: "같은 환자 ID이지만 비교에서 제외한 검사: {dates}. 이 ID는 임시 값입니다.",
  },
  sharedId: {
    en:
      "Studies with this patient ID not compared: {dates}. The ID is used for more than three different people.",
    ko:
      "같은 환자 ID이지만 비교에서 제외한 검사: {dates}. 세 명이 넘는 환자가 이 ID를 함께 씁니다.",
  },
  stopped: {
    en:
      "Studies without percentiles: {dates}. A lasting change in their scanner's results was detected and its cause has not been identified.",
    ko:
      "백분위를 제시하지 않는 검사: {dates}. 촬영 장비의 결과에 지속적인 변화가 감지되었고 원인이 아직 확인되지 않았습니다.",
  },
  allProvisional: {
    en:
      "All percentiles on this page are provisional: the scanner is not accepted for percentiles at this site.",
    ko:
      "이 페이지의 백분위는 모두 잠정값입니다. 이 기관에서 백분위 사용이 승인되지 않은 장비입니다.",
  },
  unread: {
    en:
      "Studies without percentiles: {dates}. The scanner is not known yet, as the image header has not been read.",
    ko:
      "백분위를 제시하지 않는 검사: {dates}. 영상 헤더를 아직 읽지 못해 촬영 장비를 알 수 없습니다.",
  },
  refused: {
    en: "Studies without percentiles: {dates}. The acceptance test of their scanner refused them.",
    ko: "백분위를 제시하지 않는 검사: {dates}. 인수 시험에서 백분위 사용이 거부된 장비입니다.",
  },
  provisional: {
    en:
      "Studies with provisional percentiles: {dates}. Their scanner is not accepted for percentiles at this site.",
    ko:
      "백분위가 잠정값인 검사: {dates}. 이 기관에서 백분위 사용이 승인되지 않은 장비로 촬영했습니다.",
  },
  limitsUsual: {
    en:
      "Smallest change reported: 1\u00a0% for brain, cortex and white matter; 2\u00a0% for hippocampus and cortical thickness; 3\u00a0% for ventricles. This site has no scan–rescan data from volunteers (at least three pairs are needed).",
    ko:
      "변화로 보고하는 최솟값: 뇌, 피질, 백질 1\u00a0%, 해마와 피질 두께 2\u00a0%, 뇌실 3\u00a0%. 이 기관에는 자원자의 재촬영(scan–rescan) 자료가 없습니다(세 쌍 이상 필요).",
  },
  limitsSite: {
    en:
      "Smallest change reported: {limits} (95\u00a0% limits from {n} scan–rescan pairs of volunteers at this site).",
    ko:
      "변화로 보고하는 최솟값(이 기관 자원자의 재촬영(scan–rescan) {n}쌍 기준, 95\u00a0%): {limits}.",
  },
} as const satisfies Catalogue;
