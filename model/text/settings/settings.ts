import type { Catalogue } from "@/model/text.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** Texts of the settings dialog (D1 §2, §4, §5 and §8). */
export const settingsText = {
  title: { en: "Settings", ko: "설정" },
  tabs: { en: "Settings sections", ko: "설정 항목" },
  individual: { en: "Individual", ko: "개인" },
  group: { en: "Group", ko: "그룹" },
  general: { en: "General", ko: "일반" },
  report: { en: "Report", ko: "리포트" },
  norms: { en: "Norms", ko: "규준" },
  reportResult: { en: "Report Result", ko: "리포트 소견" },
  save: { en: "Save", ko: "저장" },
  cancel: { en: "Cancel", ko: "취소" },
  on: { en: "On", ko: "켬" },
  off: { en: "Off", ko: "끔" },

  autoAnalyze: { en: "Upload & Analyze", ko: "업로드 및 분석" },
  autoAnalyzeHint: {
    en:
      "Uploaded studies are analyzed immediately. When this is off, you start each analysis from the worklist.",
    ko: "업로드한 영상을 바로 분석합니다. 끄면 워크리스트에서 직접 분석을 시작합니다.",
  },
  division: { en: "Division", ko: "화면 배치" },
  divisionHint: {
    en: "Number of panes shown when the viewer opens.",
    ko: "뷰어를 열 때 표시할 화면 수입니다.",
  },
  panes: { en: "{n} panes", ko: "화면 {n}개" },
  priority: { en: "Priority of Brain Part", ko: "뇌 영역 우선순위" },
  priorityHint: {
    en: "Selected regions come first in the report and in the viewer's list.",
    ko: "선택한 영역이 리포트와 뷰어 목록에서 먼저 표시됩니다.",
  },
  searchPart: { en: "Search brain regions", ko: "뇌 영역 검색" },
  all: { en: "All", ko: "전체" },
  noPart: { en: "No matching region", ko: "해당하는 영역이 없습니다" },
  chosenParts: { en: "{n} regions selected", ko: "영역 {n}개 선택" },
  expand: { en: "Expand {name}", ko: "{name} 펼치기" },
  collapse: { en: "Collapse {name}", ko: "{name} 접기" },

  language: { en: "Report language", ko: "리포트 언어" },
  threshold: { en: "Report threshold", ko: "리포트 기준값" },
  thresholdHint: {
    en:
      "Volumes below these percentiles are marked in the report and the viewer; for ventricles and CSF, high percentiles are marked instead.",
    ko:
      "이 백분위보다 낮은 부피를 리포트와 뷰어에 표시합니다. 뇌실과 뇌척수액은 백분위가 높을 때 표시합니다.",
  },
  count: { en: "Number of thresholds", ko: "기준값 개수" },
  thresholdOf: { en: "Threshold {n}", ko: "기준값 {n}" },
  thresholdOrder: {
    en: "Threshold values must be set in ascending order.",
    ko: "기준값은 오름차순으로 입력해야 합니다.",
  },
  thresholdRange: {
    en: "Please enter numbers from 1 to 100.",
    ko: "1에서 100 사이의 숫자를 입력하세요.",
  },
  anonymize: { en: "Anonymize", ko: "익명화" },
  anonymizeHint: {
    en: "Hide the patient's identity in reports, PDF files and the viewer.",
    ko: "리포트, PDF 파일, 뷰어에서 환자 정보를 숨깁니다.",
  },
  reportType: { en: "Report type", ko: "리포트 종류" },
  pageList: { en: "Pages", ko: "페이지" },
  pageListHint: {
    en: "Check-up and Hospital-MTA cannot be combined. The Main Page is always included.",
    ko: "검진용과 병원용(MTA)은 함께 선택할 수 없습니다. 주요 결과 페이지는 항상 포함됩니다.",
  },
  onePage: refusalText.onePage,

  opinion: { en: "Comment", ko: "소견" },
  savedMessage: { en: "Saved message", ko: "저장된 문구" },
  editMessage: { en: "Edit message", ko: "문구 편집" },
  loadDefault: { en: "Load default message", ko: "기본 문구 불러오기" },
  restore: { en: "Restore saved message", ko: "저장된 문구로 되돌리기" },
  store: { en: "Apply edited message", ko: "편집한 문구 반영" },
  notStored: {
    en: "This message has not been applied yet. Apply it, then save the settings.",
    ko: "아직 반영되지 않은 문구입니다. ‘편집한 문구 반영’을 누른 다음 ‘저장’을 누르세요.",
  },
  stored: {
    en: "The message has been applied. Save the settings to keep it.",
    ko: "반영되었습니다. ‘저장’을 눌러야 설정에 저장됩니다.",
  },
  letters: { en: "{n} of {max} characters", ko: "{max}자 중 {n}자" },
  tooLong: { en: "Cannot exceed {maxLength} characters.", ko: "{maxLength}자를 넘을 수 없습니다." },

  swType: { en: "SW Type", ko: "소프트웨어 유형" },
  biasCorrection: { en: "Bias Correction", ko: "신호 불균일 보정" },
  biasHint: {
    en: "Corrects uneven image brightness before each analysis.",
    ko: "분석 전에 영상의 밝기 불균일을 보정합니다.",
  },
  secondOpinion: { en: "Second network", ko: "보조 신경망" },
  secondOpinionHint: {
    en:
      "Compares each T1w segmentation with that of the MeshNet-50 neural network and uses the network's result where both agree. Cortical parcel boundaries become more accurate; each analysis takes about 20 seconds longer on two cores.",
    ko:
      "T1w 분할 결과를 신경망 MeshNet-50의 결과와 비교하고, 서로 일치하면 신경망의 결과를 사용합니다. 피질 영역의 경계가 더 정확해지며, 코어 2개 기준으로 분석 시간이 약 20초 늘어납니다.",
  },
  deepStructures: { en: "Network for deep structures", ko: "심부 구조 신경망" },
  deepStructuresHint: {
    en:
      "Also uses the Sulcus neural network for the hippocampus, amygdala, putamen, pallidum, nucleus accumbens and ventral diencephalon. Their boundaries become more accurate; each analysis takes a few seconds longer. Deep structures are then measured even if there is a FLAIR series but no T1w series.",
    ko:
      "해마, 편도체, 피각, 담창구, 측좌핵, 복측 간뇌의 분할에 Sulcus의 자체 신경망을 함께 사용합니다. " +
      "이 구조들의 경계가 더 정확해지며, 분석 시간이 몇 초 늘어납니다. FLAIR 시리즈만 있어도 심부 구조의 부피를 측정합니다.",
  },
  dicomLanguage: { en: "DICOM Language", ko: "DICOM 언어" },
  dicomLanguageHint: {
    en: "Character set used for names in files that do not specify one.",
    ko: "문자 집합이 지정되지 않은 파일에서 이름을 읽을 때 사용할 문자 집합입니다.",
  },
  classify: { en: "DICOM Classify", ko: "DICOM 분류" },
  classifyHint: {
    en:
      "A series is classified as T1w or T2w-FLAIR if the value of the corresponding tag contains one of the words entered below. Use commas to separate words.",
    ko:
      "시리즈의 해당 태그 값에 아래에서 지정한 단어가 하나라도 들어 있으면 T1w 또는 T2w-FLAIR로 분류합니다. 단어가 여러 개이면 쉼표로 구분하세요.",
  },
  t1w_tag: { en: "T1w Tag", ko: "T1w 태그" },
  t1w_includes: { en: "T1w Includes", ko: "T1w 태그의 단어" },
  t2w_tag: { en: "T2w Tag", ko: "T2w 태그" },
  t2w_includes: { en: "T2w Includes", ko: "T2w 태그의 단어" },
  tagUnknown: {
    en: "Please enter a known DICOM attribute, such as SeriesDescription or (0008,103E).",
    ko: "알려진 DICOM 속성을 입력하세요(예: SeriesDescription, (0008,103E)).",
  },

  failedToLoad: { en: "The settings could not be loaded.", ko: "설정을 불러오지 못했습니다." },
} as const satisfies Catalogue;

/** Names of the character encodings of the setting "DICOM Language", by id. */
export const encodingText = {
  1: { en: "Unicode (UTF-8)", ko: "유니코드(UTF-8)" },
  2: { en: "Korean (KS X 1001)", ko: "한국어(KS X 1001)" },
  3: { en: "Western European (Latin-1)", ko: "서유럽어(Latin-1)" },
  4: { en: "Central European (Latin-2)", ko: "중부 유럽어(Latin-2)" },
  5: { en: "Turkish (Latin-5)", ko: "튀르키예어(Latin-5)" },
  6: { en: "Cyrillic", ko: "키릴 문자" },
  7: { en: "Greek", ko: "그리스어" },
  8: { en: "Japanese (JIS X 0201)", ko: "일본어(JIS X 0201)" },
  9: { en: "Chinese (GB18030)", ko: "중국어(GB18030)" },
  10: { en: "Thai", ko: "태국어" },
} as const satisfies Catalogue;
