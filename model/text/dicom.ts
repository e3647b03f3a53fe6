import type { Catalogue } from "@/model/text.ts";

/** Texts of the DICOM dialog: results for the archive, and de-identified studies. */
export const dicomButtonText = {
  menu: { en: "DICOM", ko: "DICOM" },
  menuHint: {
    en: "DICOM results and de-identified images",
    ko: "DICOM 결과 및 비식별 영상",
  },
} as const satisfies Catalogue;

/** Texts inside the DICOM dialog. */
export const dicomText = {
  documentTitle: { en: "Brain MRI analysis report", ko: "뇌 MRI 분석 리포트" },
  title: { en: "DICOM", ko: "DICOM" },
  resultsTitle: { en: "Results", ko: "결과" },
  report: { en: "Report (Encapsulated PDF)", ko: "리포트(Encapsulated PDF)" },
  measurements: { en: "Measurements (SR)", ko: "측정값(SR)" },
  regions: { en: "Brain regions (SEG)", ko: "뇌 영역(SEG)" },
  lesions: { en: "White matter lesions (SEG)", ko: "백질 병변(SEG)" },
  outlines: { en: "White matter lesion outlines (SR)", ko: "백질 병변 윤곽선(SR)" },
  changes: { en: "Changed lesions (SEG)", ko: "변화한 병변(SEG)" },
  thickness: { en: "Cortical thickness (Parametric Map)", ko: "피질 두께(Parametric Map)" },
  percentiles: {
    en: "Volume percentiles by region (Parametric Map)",
    ko: "영역별 부피 백분위(Parametric Map)",
  },
  mapLeftOut: {
    en:
      "There is no percentile map, because a map cannot show that its percentiles are provisional. To get one, have the scanner accepted for percentiles.",
    ko:
      "백분위 지도에는 잠정값 표시를 할 수 없어 지도를 만들지 않습니다. 장비의 백분위 사용이 승인되면 저장할 수 있습니다.",
  },
  results: { en: "All results (ZIP)", ko: "모든 결과(ZIP)" },
  identity: {
    en: "These files identify the patient and are intended for the hospital's PACS.",
    ko: "이 파일에는 환자 식별 정보가 포함되어 있으며, 병원 PACS에 보관하기 위한 것입니다.",
  },
  sentBefore: {
    en:
      "These results were sent to other systems before the correction and have not been updated since:",
    ko: "수정 전에 다른 시스템으로 전송되어 수정이 반영되지 않은 결과:",
  },
  sendAgain: {
    en:
      "An administrator can send these results again by clicking “Sent” or “Not delivered” in the worklist.",
    ko: "관리자는 워크리스트의 ‘전송됨’ 또는 ‘전송 실패’ 표시를 눌러 다시 보낼 수 있습니다.",
  },
  following: {
    en:
      "These results were sent to other systems before the correction. They will be replaced automatically {minutes} minutes after the last correction, or as soon as the system can be reached:",
    ko:
      "수정 전에 다른 시스템으로 전송된 결과입니다. 수정된 결과는 마지막 수정으로부터 {minutes}분이 지나면, 또는 시스템에 연결되는 대로 자동 전송됩니다:",
  },
  gone: {
    en:
      "These results were sent to other systems before the correction. They will not be replaced, because the study no longer contains them:",
    ko:
      "수정 전에 다른 시스템으로 전송된 결과입니다. 이 검사에 더 이상 해당 결과가 없어 대체할 결과를 전송하지 않습니다:",
  },
  saveOne: { en: "Save", ko: "저장" },
  saveNamed: { en: "Save {what}", ko: "{what} 저장" },
  preparing: { en: "Preparing…", ko: "준비 중…" },
  saved: { en: "{file} was saved.", ko: "{file} 파일을 저장했습니다." },
  deidentifyTitle: { en: "De-identified images", ko: "비식별 영상" },
  noImages: { en: "This study has no stored images.", ko: "이 검사에는 저장된 영상이 없습니다." },
  deidentifyText: {
    en:
      "Exports the stored images of this study without the patient's name, ID or date of birth, without private data elements, and with new UIDs (DICOM PS3.15, Basic Application Level Confidentiality Profile).",
    ko:
      "저장된 이 검사의 영상에서 환자 이름, 환자 ID, 생년월일, 비공개 데이터 요소를 제거하고 UID를 새로 부여하여 내보냅니다(DICOM PS3.15 Basic Application Level Confidentiality Profile).",
  },
  facesTitle: { en: "Faces remain recognizable", ko: "얼굴은 식별 가능한 상태로 남습니다" },
  faces: {
    en:
      "The face is not removed from the images: anyone who renders them in 3D may recognize the patient. Share the images only with authorized people.",
    ko:
      "영상에서 얼굴은 제거되지 않습니다. 3D로 재구성하면 환자를 알아볼 수 있으므로, 허가된 사람에게만 전달하세요.",
  },
  dates: { en: "Dates", ko: "날짜" },
  datesRemoved: { en: "Remove", ko: "제거" },
  datesShifted: {
    en:
      "Shift all dates by the same number of days (keeps the intervals between the patient's studies)",
    ko: "모든 날짜를 같은 일수만큼 이동(환자의 검사 간 간격 유지)",
  },
  accept: {
    en: "I understand that faces remain recognizable",
    ko: "얼굴이 식별 가능한 상태로 남는다는 점을 이해했습니다",
  },
  save: { en: "Save ZIP", ko: "ZIP 저장" },
  started: {
    en: "The browser is downloading the images.",
    ko: "브라우저에서 영상을 다운로드하고 있습니다.",
  },
} as const satisfies Catalogue;
