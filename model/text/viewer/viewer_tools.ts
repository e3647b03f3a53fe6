import type { Catalogue } from "@/model/text.ts";

/** Texts of the viewer's tools: measurements, mosaic, cine and image export. */
export const viewerToolsText = {
  tools: { en: "Left mouse button", ko: "마우스 왼쪽 버튼" },
  crosshair: { en: "Move the crosshair", ko: "십자선 이동" },
  scroll: { en: "Scroll slices by dragging (S)", ko: "드래그로 단면 넘기기(S)" },
  ruler: { en: "Measure a length (M)", ko: "길이 측정(M)" },
  angle: { en: "Measure an angle (A)", ko: "각도 측정(A)" },
  clear: {
    en: "Delete all measurements (the Delete key deletes the last one)",
    ko: "측정 모두 삭제(마지막 측정만: Delete)",
  },
  mosaic: { en: "Mosaic of slices (G)", ko: "단면 모자이크(G)" },
  mosaicPlane: { en: "Plane of the mosaic", ko: "모자이크 방향" },
  mosaicCount: { en: "Number of slices in the mosaic", ko: "모자이크 단면 수" },
  mosaicView: {
    en: "Mosaic: click a slice to go there; press Escape to go back",
    ko: "모자이크: 단면을 클릭하면 이동, Escape로 돌아가기",
  },
  slices: { en: "{n} slices", ko: "{n}장" },
  cine: { en: "Play slices (C)", ko: "단면 재생(C)" },
  cineStop: { en: "Stop (C)", ko: "정지(C)" },
  cineSpeed: { en: "Slices per second", ko: "초당 단면 수" },
  perSecond: { en: "{n}/s", ko: "{n}/초" },
  picture: { en: "Images and files", ko: "이미지와 파일" },
  pictureSave: { en: "Save as PNG", ko: "PNG로 저장" },
  pictureCopy: { en: "Copy to clipboard", ko: "클립보드로 복사" },
  dicomResults: { en: "Results as DICOM (ZIP)", ko: "결과를 DICOM으로 저장(ZIP)" },
  dicomMore: { en: "More DICOM exports…", ko: "DICOM 내보내기 더보기…" },
  pictureLink: { en: "Copy link to this view", ko: "이 화면의 링크 복사" },
  anonymous: { en: "Without name and ID", ko: "이름과 ID 제외" },
  anonymousWords: { en: "Anonymous", ko: "익명" },
  fullscreen: { en: "Full screen (Shift + F)", ko: "전체 화면(Shift + F)" },
  outline: { en: "Masks as outlines (E)", ko: "마스크를 윤곽선으로 표시(E)" },
  reading: { en: "Measurements and corrections (W)", ko: "측정과 수정(W)" },
  compare: { en: "Compare with another study or series (V)", ko: "다른 검사·시리즈와 비교(V)" },
  study: { en: "Study {date}", ko: "검사일 {date}" },
} as const satisfies Catalogue;
