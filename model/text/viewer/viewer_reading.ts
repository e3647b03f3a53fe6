import type { Catalogue } from "@/model/text.ts";

/** Texts of measurements, corrections and key images beside the viewer's panes. */
export const viewerReadingText = {
  reading: { en: "Measurements and corrections", ko: "측정과 수정" },
  close: { en: "Back to the list", ko: "목록으로 돌아가기" },
  measure: { en: "Measure", ko: "측정" },
  correct: { en: "Correct", ko: "수정" },
  images: { en: "Key images", ko: "키 이미지" },
  face: { en: "Face", ko: "얼굴" },
  tool: { en: "Tool", ko: "도구" },
  ruler: { en: "Length (M)", ko: "길이(M)" },
  angle: { en: "Angle (A)", ko: "각도(A)" },
  ellipse: { en: "Ellipse", ko: "타원" },
  rectangle: { en: "Rectangle", ko: "사각형" },
  freehand: { en: "Freehand outline", ko: "자유 곡선" },
  valueHere: { en: "Value at the crosshair", ko: "십자선 위치의 값" },
  noValue: { en: "–", ko: "–" },
  loadingValues: { en: "Loading the values of the series…", ko: "시리즈 원본 값을 불러오는 중…" },
  noOriginal: {
    en:
      "The original values of the series are not available, so only the area of each ROI is shown.",
    ko: "시리즈 원본 값을 사용할 수 없어 관심영역의 면적만 표시합니다.",
  },
  pixelsHint: {
    en: "Each pixel of the slice shown takes the value of the nearest voxel in the stored series.",
    ko: "저장된 시리즈의 값입니다. 표시된 단면의 화소마다 가장 가까운 복셀의 값을 사용합니다.",
  },
  none: { en: "No measurements yet.", ko: "아직 측정한 항목이 없습니다." },
  unsaved: { en: "Not saved", ko: "저장되지 않음" },
  save: { en: "Save", ko: "저장" },
  saveAll: { en: "Save all", ko: "모두 저장" },
  remove: { en: "Delete", ko: "삭제" },
  inReport: { en: "In the report", ko: "리포트에 포함" },
  goThere: { en: "Show on the images", ko: "영상에서 보기" },
  note: { en: "Note", ko: "메모" },
  byWhom: { en: "{who}, {when}", ko: "{who}, {when}" },
  statistics: {
    en: "mean {mean}, SD {sd}, range {low} to {high}, {pixels} pixels",
    ko: "평균 {mean}, 표준편차 {sd}, {low}~{high}, 화소 {pixels}개",
  },
  brush: { en: "Brush", ko: "브러시" },
  paint: { en: "Paint", ko: "칠하기" },
  erase: { en: "Erase", ko: "지우기" },
  brushSize: { en: "Brush size", ko: "브러시 크기" },
  mm: { en: "{mm}\u00a0mm", ko: "{mm}\u00a0mm" },
  paintsRegion: { en: "Region", ko: "영역" },
  paintsLesion: { en: "Lesion", ko: "병변" },
  pickRegion: {
    en: "Choose a region by clicking on it in the images or in the list.",
    ko: "영상이나 목록에서 영역을 클릭하여 선택하세요.",
  },
  deep: { en: "Deep", ko: "심부" },
  peri: { en: "Periventricular", ko: "뇌실주위" },
  eraseHint: {
    en: "Paint adds voxels to the selected region. Erase removes voxels from that region only.",
    ko: "칠하기는 영역에 복셀을 추가하고, 지우기는 해당 영역의 복셀만 제거합니다.",
  },
  eraseLesionHint: {
    en: "Paint marks voxels as this kind of lesion. Erase removes lesions of either kind.",
    ko:
      "칠하기는 선택한 종류의 병변으로 복셀을 표시하고, 지우기는 종류에 관계없이 병변을 지웁니다.",
  },
  lesionVolume: { en: "WMH {total}", ko: "WMH {total}" },
  lesionVolumes: {
    en: "WMH {total}\u00a0mL: periventricular {peri}, deep {deep}",
    ko: "WMH {total}\u00a0mL: 뇌실주위 {peri}, 심부 {deep}",
  },
  fill: { en: "Fill between slices", ko: "단면 사이 채우기" },
  fillHint: {
    en: "Fill the gap between the last two painted slices",
    ko: "마지막으로 칠한 두 단면 사이 채우기",
  },
  undo: { en: "Undo (Ctrl + Z)", ko: "실행 취소(Ctrl + Z)" },
  redo: { en: "Redo (Ctrl + Y)", ko: "다시 실행(Ctrl + Y)" },
  mayNotEdit: {
    en: "Your role allows you to view studies, but not to correct them.",
    ko: "현재 권한으로는 검사를 볼 수만 있고 수정할 수 없습니다.",
  },
  restore: { en: "Restore the original segmentation", ko: "원래 분할로 되돌리기" },
  saved: { en: "All corrections are saved.", ko: "모든 수정이 저장되었습니다." },
  saving: { en: "Saving…", ko: "저장 중…" },
  lastCorrected: {
    en: "Corrected by {who}, {when} ({n} {n|stroke|strokes})",
    ko: "{who}, {when} 수정({n}회)",
  },
  notCorrected: { en: "Unchanged from the analysis.", ko: "수정되지 않은 분석 결과입니다." },
  thicknessNote: {
    en: "Corrections do not change cortical thickness or the 3D surface.",
    ko: "피질 두께와 3D 표면은 수정되지 않고 분석 결과 그대로 유지됩니다.",
  },
  thicknessTab: {
    en: "Correct regions on the Parcellation tab and lesions on the WMH tab.",
    ko: "영역은 ‘영역 구획’ 탭에서, 병변은 ‘WMH’ 탭에서 수정하세요.",
  },
  faceRemoved: { en: "Show without the face", ko: "얼굴을 제거하여 보기" },
  faceHint: {
    en:
      "This is how T1w images are sent to research systems for which face removal is on. The stored images do not change.",
    ko:
      "‘얼굴 제거’를 켠 연구용 시스템에는 T1w 영상이 이와 같이 얼굴이 제거되어 전송됩니다. 저장된 영상은 바뀌지 않습니다.",
  },
  addImage: { en: "Add this view to the report", ko: "이 화면을 리포트에 추가" },
  noImages: { en: "No key images yet.", ko: "아직 키 이미지가 없습니다." },
  imagesHint: {
    en: "Key images do not show the patient's name. The report contains up to six.",
    ko: "키 이미지에는 환자 이름이 표시되지 않으며, 리포트에는 최대 6장까지 들어갑니다.",
  },
} as const satisfies Catalogue;
