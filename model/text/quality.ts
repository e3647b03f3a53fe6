import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** Names of the quality grades of a segmentation. */
export const qualityText = {
  grade: { en: "Segmentation quality", ko: "분할 품질" },
  A: { en: "A", ko: "A" },
  B: { en: "B – check the segmentation on the images", ko: "B – 영상에서 분할 결과 확인 필요" },
  C: {
    en: "C – not reliable: no percentiles are given",
    ko: "C – 신뢰할 수 없음: 백분위를 제시하지 않음",
  },
  unknownWarning: {
    en: "Unknown warning from another version of the analysis",
    ko: "다른 버전의 분석에서 생성된 경고",
  },
} as const satisfies Catalogue;

/** Reasons to check a segmentation, by the engine's warning codes. */
export const qualityWarningText = {
  registration_retried: { en: "Registration had to be repeated", ko: "정합을 다시 시도함" },
  correlation_low: { en: "Weak agreement with the template", ko: "표준 뇌와의 일치도가 낮음" },
  similarity_low: {
    en: "Weak local agreement with the template after nonlinear registration",
    ko: "비선형 정합 후 표준 뇌와의 국소 일치도가 낮음",
  },
  folding: {
    en: "The nonlinear registration contains folds",
    ko: "비선형 정합의 변형장에 접힘이 있음",
  },
  pose_extreme: {
    en: "Position or size of the head outside the expected range",
    ko: "머리의 위치나 크기가 예상 범위를 벗어남",
  },
  contrast_low: {
    en: "Low contrast between gray and white matter",
    ko: "회백질과 백질의 대조도가 낮음",
  },
  posterior_low: { en: "Tissue classification is uncertain", ko: "조직 분류가 불확실함" },
  image_blurred: {
    en: "The images lack detail (blur, motion or interpolation)",
    ko: "영상이 선명하지 않음(흐림, 움직임 또는 보간)",
  },
  image_noisy: { en: "The images are noisy", ko: "영상에 잡음이 많음" },
  ghosting: {
    en: "Ghosting beside the head, which suggests motion during the scan",
    ko: "머리 옆에 허상(ghost)이 있음: 촬영 중 움직임",
  },
  voxels_large: {
    en: "The voxels are larger than 1.5\u00a0mm",
    ko: "복셀 크기가 1.5\u00a0mm보다 큼",
  },
  not_converged: { en: "Tissue classification did not converge", ko: "조직 분류가 수렴하지 않음" },
  icv_out_of_range: {
    en: "Intracranial volume outside the expected range",
    ko: "두개강내 용적이 예상 범위를 벗어남",
  },
  brain_icv_ratio_out_of_range: {
    en: "Ratio of brain volume to ICV outside the expected range",
    ko: "뇌와 ICV의 비가 예상 범위를 벗어남",
  },
  cortex_white_ratio_out_of_range: {
    en: "Ratio of cortex to white matter outside the expected range",
    ko: "피질과 백질의 비가 예상 범위를 벗어남",
  },
  volume_outside_norms: {
    en: "A region's proportion of the brain is outside the expected range",
    ko: "뇌에서 차지하는 비율이 예상 범위를 벗어난 영역이 있음",
  },
  region_empty: {
    en: "A region is missing from the segmentation",
    ko: "분할되지 않은 영역이 있음",
  },
  pair_unequal: { en: "The left and right volumes differ greatly", ko: "좌우 부피 차이가 매우 큼" },
  outliers: {
    en: "Some regions are far from their expected position",
    ko: "예상 위치에서 크게 벗어난 영역이 있음",
  },
  second_opinion_refused: {
    en: "The second network's result disagreed with the analysis and was not used",
    ko: "보조 신경망의 결과가 분석 결과와 일치하지 않아 사용하지 않음",
  },
  brain_extracted: {
    en:
      "Brain-extracted images: ICV not measured, percentiles adjusted for age and sex only, second network not used",
    ko: "뇌 추출(두개골 제거) 영상: ICV 미측정, 백분위는 나이·성별만 반영, 보조 신경망 미사용",
  },
  value_beyond_norms: {
    en: "A value is beyond the range of the norms: check the segmentation of the region",
    ko: "규준 범위를 벗어난 값이 있음: 해당 영역의 분할 확인 필요",
  },
  icv_beyond_norms: {
    en:
      "ICV more than 3 SD from the mean for the patient's sex: percentiles adjusted for age and sex only",
    ko: "ICV가 같은 성별의 평균과 3 표준편차 넘게 차이 남: 백분위는 나이·성별만 반영",
  },
  sides_beyond_norms: {
    en: "The left–right difference exceeds what the norms and measurement error can explain",
    ko: "좌우 차이가 규준과 측정 오차로 설명할 수 있는 범위를 벗어남",
  },
  region_disagreement: {
    en:
      "The atlas and the network disagree on a region, so its percentile is not determined: check its segmentation",
    ko:
      "아틀라스와 신경망의 결과가 일치하지 않는 영역이 있어 해당 영역의 백분위를 제시하지 않음(분할 결과 확인 필요)",
  },
  scanner_stopped: {
    en: "A lasting change in this scanner's results was detected, so no percentiles are given",
    ko: "이 장비의 결과에 지속적인 변화가 감지되어 백분위를 제시하지 않음",
  },
  scanner_unread: {
    en:
      "The scanner is not known yet, as the image header has not been read: no percentiles are given",
    ko: "영상 헤더를 아직 읽지 못해 촬영 장비를 알 수 없으므로 백분위를 제시하지 않음",
  },
  scanner_refused: {
    en: "The acceptance test of this scanner refused percentiles, so none are given",
    ko: "인수 시험에서 이 장비의 백분위 사용이 거부되어 백분위를 제시하지 않음",
  },
  volumes_not_accepted: {
    en: "This scanner is not accepted for volumes at this site",
    ko: "이 기관에서 부피 사용도 승인되지 않은 장비임",
  },
  scanner_not_accepted: {
    en:
      "This scanner has not been accepted for percentiles at this site: its percentiles are provisional",
    ko: "이 기관에서 백분위 사용이 승인되지 않은 장비임: 백분위는 잠정값임",
  },
  field_of_view_cut: {
    en:
      "The field of view cuts off part of the head; up to about 2\u00a0% of the brain may be missing",
    ko: "머리 일부가 촬영 범위를 벗어나 잘림: 뇌의 최대 약 2\u00a0%가 빠졌을 수 있음",
  },
  deep_structures_refused: {
    en: "The result of the network for deep structures was uncertain and was not used",
    ko: "심부 구조 신경망의 결과가 확실하지 않아 사용하지 않음",
  },
  t1_lossy: {
    en: "The T1w images were stored with lossy compression",
    ko: "T1w 영상이 손실 압축됨",
  },
  flair_lossy: {
    en: "The FLAIR images were stored with lossy compression",
    ko: "FLAIR 영상이 손실 압축됨",
  },
} as const satisfies Catalogue;

/** Text of a quality warning by code; `null` for a code unknown to this version. */
export const qualityWarningOf = (code: string): Record<Language, string> | null =>
  Object.hasOwn(qualityWarningText, code)
    ? qualityWarningText[code as keyof typeof qualityWarningText]
    : null;

/** Text of a quality warning; an unknown code is returned unchanged. */
export const warningText = (code: string, language: Language): string =>
  qualityWarningOf(code)?.[language] ?? `${textIn(qualityText.unknownWarning, language)} (${code})`;

/** Texts of several quality warnings; each begins with a capital, so full stops separate them. */
export const warningsText = (codes: readonly string[], language: Language): string =>
  codes.map((code) => warningText(code, language)).join(". ");
