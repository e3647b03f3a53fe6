import type { Catalogue } from "@/model/text.ts";

/** Names of study states that filter the worklist with one click. */
export const listStateText = {
  states: { en: "Quick filters", ko: "빠른 필터" },
  waiting: { en: "Waiting", ko: "대기 중" },
  processing: { en: "Analyzing", ko: "분석 중" },
  failed: { en: "Failed", ko: "실패" },
  new: { en: "New since yesterday", ko: "어제부터 들어온 검사" },
  mine: { en: "My uploads", ko: "내가 업로드한 검사" },
  ordered: { en: "Ordered", ko: "오더 접수" },
} as const satisfies Catalogue;
