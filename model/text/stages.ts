import type { Language } from "@/model/text.ts";

/** Stages of an analysis by the name in `study_analysis` events, in words for the worklist. */
const STAGES: Record<string, Record<Language, string>> = {
  load: { en: "Reading the images", ko: "영상 읽는 중" },
  convert: { en: "Reading the images", ko: "영상 읽는 중" },
  conform: { en: "Resampling to 1 mm", ko: "1 mm로 재표본화" },
  affine: { en: "Aligning with the atlas", ko: "아틀라스에 정합" },
  deformation: { en: "Fitting the atlas", ko: "아틀라스 변형" },
  prior: { en: "Placing the regions", ko: "영역 배치" },
  segmentation: { en: "Finding the tissues", ko: "조직 분할" },
  em: { en: "Finding the tissues", ko: "조직 분할" },
  mrf: { en: "Drawing the regions", ko: "영역 경계 결정" },
  boundary: { en: "Measuring the borders", ko: "경계 측정" },
  icv: { en: "Measuring the head", ko: "두개강 측정" },
  volumes: { en: "Measuring the volumes", ko: "부피 측정" },
  thickness: { en: "Measuring the cortex", ko: "피질 두께 측정" },
  wmh: { en: "Finding the lesions", ko: "병변 탐색" },
  surface: { en: "Building the surface", ko: "표면 생성" },
  save: { en: "Saving the results", ko: "결과 저장" },
  store: { en: "Saving the results", ko: "결과 저장" },
};

/** A stage in words; a stage without words as it is. */
export const stageText = (stage: string, language: Language): string => STAGES[stage]?.[language] ?? stage;
