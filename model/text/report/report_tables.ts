import type { Catalogue } from "@/model/text.ts";

/** Captions of tables without a visible heading, read by screen readers. */
export const tableCaption = {
  main: { en: "Volumes of the brain and its parts", ko: "뇌와 주요 구조물의 부피" },
  flair: { en: "Volumes measured on FLAIR", ko: "FLAIR에서 측정한 부피" },
  flairStructures: { en: "Deep structures measured on FLAIR", ko: "FLAIR에서 측정한 심부 구조" },
  checkup: { en: "Parts of the brain and their sizes", ko: "뇌 구조물과 크기" },
  score: { en: "Parts of the score", ko: "점수를 이루는 항목" },
} as const satisfies Catalogue;
