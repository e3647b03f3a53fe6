import type { Catalogue } from "@/model/text.ts";

/** Viewer texts around the table of deep structures (`model/text/report/report_structures.ts`). */
export const viewerStructuresText = {
  note: {
    en: "Low confidence. Do not compare these volumes with those measured on a T1w series.",
    ko: "신뢰도가 낮습니다. T1w 시리즈의 부피와 비교하지 마세요.",
  },
  outlines: { en: "Outlines", ko: "윤곽선" },
  outlinesHint: {
    en: "Show outlines of these structures on the slices, each in its own color",
    ko: "단면 위에 구조별 윤곽선을 서로 다른 색으로 표시",
  },
  outlinesLoading: { en: "Loading…", ko: "불러오는 중…" },
  outlinesFailed: {
    en: "The outlines could not be loaded. To try again, turn them off and on again.",
    ko: "불러오지 못했습니다. 껐다가 다시 켜 보세요.",
  },
  structure: { en: "Structure", ko: "구조" },
  intervalHint: {
    en: "The interval contains the true total with a probability of about 80\u00a0%.",
    ko: "실제 전체 부피가 약 80\u00a0% 확률로 이 구간에 있습니다.",
  },
} as const satisfies Catalogue;
