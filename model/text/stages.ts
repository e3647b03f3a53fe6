import type { Language } from "@/model/text.ts";

/**
 * Stages of an analysis by their name in `study_analysis` events.
 * The texts are short, since the narrowest status column of the worklist must contain them.
 */
export const STAGES: Record<string, Record<Language, string>> = {
  load: { en: "Reading images", ko: "영상 읽는 중" },
  conform: { en: "Resampling", ko: "재표본화" },
  register: { en: "Aligning atlas", ko: "아틀라스 정합" },
  deform: { en: "Fitting atlas", ko: "아틀라스 변형" },
  prior: { en: "Placing regions", ko: "영역 배치" },
  segment: { en: "Segmenting tissue", ko: "조직 분할" },
  deep: { en: "Deep structures", ko: "심부 구조 분할" },
  label: { en: "Labeling regions", ko: "영역 경계 결정" },
  opinion: { en: "Cross-checking", ko: "보조 신경망 확인" },
  flair: { en: "Aligning FLAIR", ko: "FLAIR 정합" },
  lesions: { en: "Detecting lesions", ko: "병변 탐색" },
  thickness: { en: "Thickness", ko: "피질 두께 측정" },
  surface: { en: "Brain surface", ko: "뇌 표면 생성" },
  output: { en: "Volumes", ko: "부피 측정" },
};

/** Text of an analysis stage; an unknown stage is returned unchanged. */
export const stageText = (stage: string, language: Language): string =>
  STAGES[stage]?.[language] ?? stage;
