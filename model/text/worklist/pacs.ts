import type { Catalogue } from "@/model/text.ts";

/** Studies of an archive: searched for and taken from the worklist. */
export const pacsText = {
  open: { en: "From PACS", ko: "PACS" },
  title: { en: "Take studies from the PACS", ko: "PACS에서 검사 가져오기" },
  system: { en: "Archive", ko: "보관소" },
  patientId: { en: "Patient ID", ko: "환자 ID" },
  patientName: { en: "Patient name", ko: "환자 이름" },
  accession: { en: "Accession number", ko: "접수 번호" },
  from: { en: "Study date from", ko: "검사일(이후)" },
  to: { en: "Study date to", ko: "검사일(이전)" },
  search: { en: "Search", ko: "검색" },
  searching: { en: "Searching…", ko: "검색 중…" },
  needed: {
    en: "Enter a patient ID, a name, an accession number or a date.",
    ko: "환자 ID, 이름, 접수 번호 또는 날짜를 입력하세요.",
  },
  none: { en: "The archive has no such study.", ko: "보관소에 해당 검사가 없습니다." },
  cut: {
    en: "Only the first 100 are shown. Search more precisely.",
    ko: "처음 100건만 표시합니다. 조건을 좁혀 주세요.",
  },
  patient: { en: "Patient", ko: "환자" },
  birth: { en: "Birth date", ko: "생년월일" },
  date: { en: "Study date", ko: "검사일" },
  description: { en: "Description", ko: "설명" },
  modalities: { en: "Modality", ko: "모달리티" },
  images: { en: "Images", ko: "영상 수" },
  series: { en: "Series", ko: "시리즈" },
  seriesOf: { en: "Series of the study of {date}", ko: "{date} 검사의 시리즈" },
  imagesOf: { en: "{n} {n|image|images}", ko: "영상 {n}장" },
  here: { en: "Here: No. {pid}", ko: "보유: 번호 {pid}" },
  choose: { en: "Choose the study of {date}", ko: "{date} 검사 선택" },
  take: { en: "Take {n} {n|study|studies}", ko: "검사 {n}건 가져오기" },
  failure_incomplete: {
    en: "The archive could not give all images; missing",
    ko: "일부 영상을 받지 못했습니다",
  },
  failure_no_images: { en: "The archive gave no images", ko: "받은 영상이 없습니다" },
} as const satisfies Catalogue;
