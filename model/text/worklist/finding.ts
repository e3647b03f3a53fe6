import type { Catalogue } from "@/model/text.ts";

/** Texts of a study's main finding in the worklist. */
export const findingText = {
  // the percentile comes first, because long texts are truncated at the end
  deviation: { en: "{percentile}\u00a0%ile · {part}", ko: "백분위 {percentile} · {part}" },
  pending: { en: "Being calculated", ko: "계산 중" },
  stopped: { en: "Percentiles withheld: scanner drift", ko: "백분위 제시 보류: 장비 변화" },
  unread: {
    en: "Percentiles withheld: scanner not known yet",
    ko: "백분위 제시 보류: 촬영 장비 미확인",
  },
  refused: { en: "Percentiles withheld: scanner refused", ko: "백분위 제시 보류: 거부된 장비" },
  provisional: { en: "Provisional: scanner not accepted", ko: "잠정값: 백분위 사용 승인 전 장비" },
  /** before a percentile in the worklist; `provisional` in full is its tooltip */
  provisionalMark: { en: "prov.", ko: "잠정" },
  firstBoth: {
    en: "{percentile}\u00a0%ile · {part}, both sides",
    ko: "백분위 {percentile} · 양측 {part}",
  },
  asymmetry: { en: "Asymmetry {percent}\u00a0% · {part}", ko: "비대칭 {percent}\u00a0% · {part}" },
  missing: { en: "Check segmentation · {part}", ko: "분할 확인 필요 · {part}" },
  score: { en: "Atrophy Score {score}", ko: "위축 점수 {score}" },
  changed: { en: "{part} {percent}\u00a0%/year", ko: "{part} 연간 {percent}\u00a0%" },
  unknownAcquisition: {
    en: "{change} (scanner or protocol unknown)",
    ko: "{change}(장비나 촬영 조건 불명)",
  },
  L: { en: "left {part}", ko: "좌측 {part}" },
  R: { en: "right {part}", ko: "우측 {part}" },
  wmh: { en: "WMH {ml}\u00a0mL", ko: "WMH {ml}\u00a0mL" },
  wmhGraded: {
    en: "WMH {ml}\u00a0mL (≈\u00a0Fazekas\u00a0{grade})",
    ko: "WMH {ml}\u00a0mL, ≈\u00a0Fazekas\u00a0{grade}등급",
  },
  brain: {
    en: "Brain {percent}\u00a0%/year since {since}",
    ko: "뇌: 연간 {percent}\u00a0%({since}년 이후)",
  },
  hippocampus: {
    en: "Hippocampi {percent}\u00a0%/year since {since}",
    ko: "해마: 연간 {percent}\u00a0%({since}년 이후)",
  },
  picture: {
    en: "Axial slice with the result overlaid: {patient}",
    ko: "{patient}: 분석 결과를 겹쳐 표시한 축상면 영상",
  },
} as const satisfies Catalogue;

/** Names of lobes and other sums of regions in the worklist. */
export const findingPartText = {
  frontal: { en: "frontal lobe", ko: "전두엽" },
  parietal: { en: "parietal lobe", ko: "두정엽" },
  temporal: { en: "temporal lobe", ko: "측두엽" },
  occipital: { en: "occipital lobe", ko: "후두엽" },
  cingulate: { en: "cingulate cortex", ko: "대상회" },
  insula: { en: "insula", ko: "뇌섬엽" },
  cortex: { en: "cerebral cortex", ko: "대뇌 피질" },
  hemisphere: { en: "cerebral hemisphere", ko: "대뇌반구" },
  brain: { en: "brain", ko: "뇌" },
  hippocampus: { en: "hippocampi", ko: "해마" },
  lateral_ventricles: { en: "lateral ventricles", ko: "측뇌실" },
} as const satisfies Catalogue;
