import type { Catalogue } from "@/model/text.ts";

/** Texts for exporting de-identified files to research registries. */
export const registryText = {
  intro: {
    en:
      "Exports all analyzed studies to one de-identified file for a registry such as ACR Assess-AI. The file contains study data, results, demographics and, if selected, the signed conclusions. Demo patients are excluded.",
    ko:
      "ACR Assess-AI 같은 레지스트리에 제출할 비식별 파일입니다. 분석한 모든 검사의 검사 정보, 결과, 인구학적 정보를 담고, 선택하면 서명된 결론도 포함합니다. 데모 환자는 제외됩니다.",
  },
  identity: {
    en:
      "The file contains no names, IDs, UIDs or exact dates, only the year of the study and the age group. Rows are in random order. Age group, sex, year and scanner are given only if at least {n} patients share the same values; otherwise they are given less precisely or omitted.",
    ko:
      "이름, ID, UID, 날짜는 없고 검사 연도와 연령대만 있습니다. 행의 순서는 무작위입니다. 연령대, 성별, 연도, 장비는 같은 값을 가진 환자가 {n}명 이상일 때만 표시하고, 그보다 적으면 덜 자세하게 표시하거나 비워 둡니다.",
  },
  amount: {
    en: "{studies} {studies|study|studies} of {persons} {persons|patient|patients}",
    ko: "환자 {persons}명, 검사 {studies}건",
  },
  levels: {
    en:
      "Studies in full detail: {fine}; in less detail: {coarse}; without demographics and scanner: {none}.",
    ko: "자세히 표시: {fine}건, 덜 자세히 표시: {coarse}건, 인구학적 정보와 장비 없음: {none}건",
  },
  empty: {
    en: "There are no analyzed studies to export yet.",
    ko: "내보낼 분석 결과가 아직 없습니다.",
  },
  failedToLoad: {
    en: "The registry export could not be loaded.",
    ko: "레지스트리 내보내기를 불러오지 못했습니다.",
  },
  format: { en: "File format", ko: "파일 형식" },
  figures: { en: "Type of measurement", ko: "측정값 종류" },
  volumes: { en: "Volumes and thickness", ko: "부피와 두께" },
  percentiles: { en: "Percentile values", ko: "백분위 값" },
  oneOfThem: {
    en:
      "Volumes and percentiles together would reveal the exact age, so each file contains only one of them. Anyone who has two files can match their rows by the measurements. Do not give both files to the same registry.",
    ko:
      "부피와 백분위를 함께 알면 정확한 나이를 계산할 수 있으므로 한 파일에는 둘 중 하나만 넣습니다. 두 파일을 가진 사람은 측정값을 비교해 같은 검사의 행을 찾을 수 있습니다. 두 파일을 같은 레지스트리에 제출하지 마세요.",
  },
  texts: { en: "Include signed conclusions ({n})", ko: "서명된 결론 포함({n}건)" },
  textsHint: {
    en:
      "Only a file with volumes can contain conclusions. A conclusion is left out if it contains the name of the patient, a physician or a user, or an identifier, age, date, long number or address. Names of other people and other identifying details are not detected: read the conclusions before you share them.",
    ko:
      "결론은 부피 파일에만 넣을 수 있습니다. 환자, 의사, 사용자의 이름이나 식별 번호, 나이, 날짜, 긴 숫자, 주소가 들어 있는 결론은 제외합니다. 그 밖의 사람이나 신원을 알 수 있는 내용은 찾아내지 못하므로 제출하기 전에 내용을 읽어 보세요.",
  },
  start: { en: "Create file", ko: "파일 만들기" },
  progress: { en: "Creating the file", ko: "파일 만드는 중" },
  percent: { en: "{n}\u00a0%", ko: "{n}\u00a0%" },
  cancel: { en: "Cancel", ko: "취소" },
  ready: {
    en: "The file is ready. It will be available for one day.",
    ko: "파일이 준비되었습니다. 하루 동안 보관합니다.",
  },
  missing: {
    en: "{n} {n|study|studies} could not be read and {n|is|are} not in the file.",
    ko: "검사 {n}건은 읽지 못해 파일에 없습니다.",
  },
  download: { en: "Download", ko: "다운로드" },
  remove: { en: "Delete file", ko: "파일 삭제" },
  failed: { en: "The file could not be created.", ko: "파일을 만들지 못했습니다." },
  canceled: { en: "File creation was canceled.", ko: "파일 만들기를 취소했습니다." },
} as const satisfies Catalogue;
