import type { Language } from "@/model/text.ts";

/** Stages of an analysis by the name in `study_analysis` events, in words for the worklist. */
const STAGES: Record<string, Record<Language, string>> = {
  load: { en: "Reading the images", ko: "영상 읽는 중" },
  conform: { en: "Resampling to 1 mm", ko: "1 mm로 재표본화" },
  register: { en: "Aligning with the atlas", ko: "아틀라스에 정합" },
  prior: { en: "Placing the regions", ko: "영역 배치" },
  segment: { en: "Finding the tissues", ko: "조직 분할" },
  label: { en: "Drawing the regions", ko: "영역 경계 결정" },
  boundaries: { en: "Measuring the borders", ko: "경계 측정" },
  output: { en: "Measuring the volumes", ko: "부피 측정" },
};

/** A stage in words; a stage without words as it is. */
export const stageText = (stage: string, language: Language): string => STAGES[stage]?.[language] ?? stage;
