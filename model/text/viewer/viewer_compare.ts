import type { Catalogue } from "@/model/text.ts";

/** Texts of the viewer's comparison with images of another study or series. */
export const viewerCompareText = {
  what: { en: "Compare with", ko: "비교 대상" },
  choose: { en: "Compare with…", ko: "비교할 대상 선택…" },
  otherPersons: { en: "Same patient ID, not compared", ko: "같은 환자 ID이지만 비교 제외" },
  otherPerson: { en: "{date}: {recorded}", ko: "{date}: {recorded}" },
  birthdate: { en: "different birth date", ko: "생년월일 다름" },
  sex: { en: "different sex", ko: "성별 다름" },
  name: { en: "different name", ko: "이름 다름" },
  birthdateAndSex: { en: "different birth date and sex", ko: "생년월일·성별 다름" },
  placeholderId: { en: "ID is a placeholder", ko: "ID가 임시 값임" },
  sharedId: { en: "ID shared by more than three people", ko: "세 명 넘게 함께 쓰는 ID" },
  unknownPerson: { en: "patient uncertain", ko: "환자 불확실" },
  nothing: { en: "There are no other images to compare with.", ko: "비교할 대상이 없습니다." },
  loading: { en: "Loading…", ko: "불러오는 중…" },
  failed: { en: "These images could not be shown.", ko: "이 영상을 표시하지 못했습니다." },
  t1: { en: "T1w", ko: "T1w" },
  t2: { en: "FLAIR", ko: "FLAIR" },
  studyOf: { en: "{date} · {series}", ko: "{date} · {series}" },
  thisStudy: { en: "This study · {series}", ko: "이 검사 · {series}" },
  thisStudyOf: { en: "This study · {date} · {series}", ko: "이 검사 · {date} · {series}" },
  storedSeries: {
    en: "Series: {series} ({files} {files|file|files})",
    ko: "시리즈: {series}(파일 {files}개)",
  },
  analysedSeries: {
    en: "Series: {series} ({files} {files|file|files}, analyzed)",
    ko: "시리즈: {series}(파일 {files}개, 분석됨)",
  },
  viewedSeries: {
    en: "Series: {series} ({files} {files|file|files}, not analyzed)",
    ko: "시리즈: {series}(파일 {files}개, 분석되지 않음)",
  },
  viewOnly: {
    en: "Sent with the study, for viewing only",
    ko: "검사와 함께 전송된 시리즈(보기 전용)",
  },
  notStored: {
    en: "Sent with the study, but not stored",
    ko: "검사와 함께 전송되었으나 저장되지 않은 시리즈",
  },
  commissures: { en: "This study, reformatted along AC–PC", ko: "이 검사 · AC–PC 기준 재구성" },
  hippocampi: {
    en: "This study, reformatted along the hippocampal long axis",
    ko: "이 검사 · 해마 장축 기준 재구성",
  },
  opens: { en: "Opens with", ko: "열 때 함께 표시" },
  opensHint: {
    en: "Images shown beside a study when it opens (saved per user, with the layout)",
    ko: "검사를 열 때 옆에 표시할 영상. 배치와 함께 사용자별로 저장됩니다",
  },
  alone: { en: "no other images", ko: "없음" },
  prior: { en: "previous study", ko: "이전 검사" },
  any: { en: "previous study, otherwise another series", ko: "이전 검사, 없으면 다른 시리즈" },
  layout: { en: "Comparison layout", ko: "비교 배치" },
  layoutHint: {
    en: "Side by side (saved per user)",
    ko: "두 영상을 나란히 보기(사용자별로 저장됩니다)",
  },
  flip: { en: "Alternate", ko: "번갈아 보기" },
  flipHint: {
    en: "Alternate between the two images in the same view (B)",
    ko: "두 영상을 같은 자리에서 번갈아 보기(B)",
  },
  thisOne: { en: "This study", ko: "이 검사" },
  otherOne: { en: "Compared images", ko: "비교 영상" },
  windowOf: { en: "Window settings for", ko: "윈도우 조정 대상" },
  windowOfHint: {
    en:
      "The compared images are of different types, so each side has its own window. Presets, W and L apply to the side that you clicked last; Reset applies to both sides.",
    ko:
      "비교 영상의 종류가 달라 윈도우를 따로 설정합니다. 프리셋과 W, L 값은 마지막으로 클릭한 쪽에 적용되고, 초기화는 양쪽에 적용됩니다.",
  },
  difference: { en: "Difference", ko: "차이" },
  differenceHint: {
    en:
      "Orange to red: brighter in this study. Blue: darker in this study. Image brightness is matched first.",
    ko: "주황~빨강: 이 검사에서 더 밝음. 파랑: 더 어두움. 두 영상의 밝기를 맞춘 뒤 비교합니다.",
  },
  notAligned: {
    en: "Not registered: positions may differ.",
    ko: "정합되지 않음: 위치가 다를 수 있습니다.",
  },
  byCoordinates: {
    en:
      "Aligned by scanner coordinates, not registered: positions differ if the patient has moved.",
    ko: "정합하지 않고 장비 좌표에 맞춤: 환자가 움직였다면 위치가 다릅니다.",
  },
  ownOnly: {
    en: "Measurements and corrections are not possible on comparison or reformatted images.",
    ko: "비교 영상과 재구성 영상에서는 측정하거나 수정할 수 없습니다.",
  },
  otherPane: { en: "{plane}, comparison images: {images}", ko: "{plane}, 비교 영상: {images}" },
} as const satisfies Catalogue;
