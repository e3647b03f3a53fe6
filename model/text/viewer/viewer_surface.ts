import type { Catalogue } from "@/model/text.ts";

/** Texts of the viewer's 3D pane, which shows the brain surface. */
export const viewerSurfaceText = {
  help: {
    en:
      "3D surface of the brain. Arrow keys rotate it, + and − zoom, 1 to 6 choose a view, 0 resets, Enter selects the region at the center.",
    ko:
      "뇌 3D 표면. 화살표 키로 회전, +/−로 확대·축소, 1~6으로 방향 선택, 0으로 초기화, Enter로 화면 중앙의 영역 선택.",
  },
  lookFrom: { en: "{side} view", ko: "{side}에서 보기" },
  sides: { en: "View direction", ko: "보는 방향" },
  anterior: { en: "Anterior", ko: "전방" },
  posterior: { en: "Posterior", ko: "후방" },
  left: { en: "Left", ko: "좌측" },
  right: { en: "Right", ko: "우측" },
  superior: { en: "Superior", ko: "상방" },
  inferior: { en: "Inferior", ko: "하방" },
  reset: { en: "Reset the 3D view", ko: "3D 화면 초기화" },
  loading: { en: "Loading the 3D surface", ko: "3D 표면 불러오는 중" },
  failed: { en: "The 3D surface could not be loaded.", ko: "3D 표면을 불러오지 못했습니다." },
} as const satisfies Catalogue;
