import type { Catalogue } from "@/model/text.ts";

/** Texts for searching a PACS from the worklist and retrieving its studies. */
export const pacsText = {
  open: { en: "From PACS", ko: "PACS 조회" },
  title: { en: "Import studies from the PACS", ko: "PACS에서 검사 가져오기" },
  system: { en: "PACS", ko: "PACS" },
  patientId: { en: "Patient ID", ko: "환자 ID" },
  patientName: { en: "Patient name", ko: "환자 이름" },
  accession: { en: "Accession number", ko: "접수 번호" },
  studyUid: { en: "Study UID", ko: "검사 UID" },
  from: { en: "Study date from", ko: "검사일(시작)" },
  to: { en: "Study date to", ko: "검사일(종료)" },
  search: { en: "Search", ko: "검색" },
  searching: { en: "Searching…", ko: "검색 중…" },
  needed: {
    en: "Enter a patient ID, a name, an accession number or a date.",
    ko: "환자 ID, 이름, 접수 번호 또는 날짜를 입력하세요.",
  },
  none: { en: "No matching studies were found in the PACS.", ko: "PACS에 해당 검사가 없습니다." },
  cut: {
    en: "Only the first 100 studies are shown. Narrow your search.",
    ko: "처음 100건만 표시합니다. 검색 조건을 좁혀 주세요.",
  },
  patient: { en: "Patient", ko: "환자" },
  birth: { en: "Birth date", ko: "생년월일" },
  date: { en: "Study date", ko: "검사일" },
  description: { en: "Description", ko: "설명" },
  modalities: { en: "Modality", ko: "모달리티" },
  images: { en: "Images", ko: "영상 수" },
  series: { en: "Series", ko: "시리즈" },
  seriesOf: { en: "Series in the study from {date}", ko: "{date} 검사의 시리즈" },
  imagesOf: { en: "{n} {n|image|images}", ko: "영상 {n}장" },
  here: { en: "Already stored as No. {pid}", ko: "이미 저장됨: {pid}번" },
  choose: { en: "Choose the study from {date}", ko: "{date} 검사 선택" },
  take: { en: "Import {n} {n|study|studies}", ko: "검사 {n}건 가져오기" },
  failure_incomplete: { en: "Images not received: {text}", ko: "받지 못한 영상: {text}장" },
  failure_no_images: { en: "The PACS sent no images", ko: "PACS가 영상을 보내지 않았습니다" },
} as const satisfies Catalogue;
