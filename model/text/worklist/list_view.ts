import type { Catalogue } from "@/model/text.ts";

/** Texts of the settings for the worklist's columns and row spacing. */
export const listViewText = {
  title: { en: "Table layout", ko: "표 설정" },
  open: { en: "Columns and density", ko: "열과 줄 간격" },
  density: { en: "Density", ko: "줄 간격" },
  comfortable: { en: "Comfortable", ko: "보통" },
  compact: { en: "Compact", ko: "좁게" },
  columns: { en: "Columns", ko: "열" },
  earlier: { en: "Move {column} to the left", ko: "{column} 열을 왼쪽으로 이동" },
  later: { en: "Move {column} to the right", ko: "{column} 열을 오른쪽으로 이동" },
  automatic: { en: "automatic", ko: "자동" },
  widthHint: {
    en:
      "Widths are in pixels. You can also drag the edge of a column heading; double-click the edge to reset the width.",
    ko:
      "너비는 픽셀 단위입니다. 열 제목의 경계를 끌어 조정할 수도 있으며, 경계를 두 번 클릭하면 초기화됩니다.",
  },
  reset: { en: "Reset", ko: "초기화" },
} as const satisfies Catalogue;
