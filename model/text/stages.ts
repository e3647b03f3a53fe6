import type { Language } from "@/model/text.ts";

/** Stages of an analysis by the name in `study_analysis` events, in words for the worklist. */
const STAGES: Record<string, Record<Language, string>> = {
  load: { en: "Reading the images", ko: "영상 읽는 중" },
  conform: { en: "Resampling to 1 mm", ko: "1 mm로 재표본화" },
  register: { en: "Aligning with the atlas", ko: "아틀라스에 정합" },
  deform: { en: "Fitting the atlas to the brain", ko: "아틀라스를 뇌에 맞추는 중" },
  prior: { en: "Placing the regions", ko: "영역 배치" },
  segment: { en: "Finding the tissues", ko: "조직 분할" },
  deep: { en: "Asking the network for deep structures", ko: "심부 구조 신경망 실행" },
  label: { en: "Drawing the regions", ko: "영역 경계 결정" },
  opinion: { en: "Asking the second network", ko: "보조 신경망 실행" },
  flair: { en: "Aligning the FLAIR series", ko: "FLAIR 정합" },
  lesions: { en: "Finding white matter hyperintensities", ko: "백질 고신호 병변 탐색" },
  thickness: { en: "Measuring the cortex", ko: "피질 두께 측정" },
  surface: { en: "Building the surface", ko: "뇌 표면 생성" },
  output: { en: "Measuring the volumes", ko: "부피 측정" },
};

/** A stage in words; a stage without words as it is. */
export const stageText = (stage: string, language: Language): string => STAGES[stage]?.[language] ?? stage;
