import type { Catalogue } from "@/model/text.ts";

/** Texts of the worklist's search filters (D1 §2, §3, §5). */
export const filtersText = {
  title: { en: "Search filters", ko: "검색 필터" },
  button: { en: "Filter", ko: "필터" },
  saved: { en: "Saved filters", ko: "저장된 필터" },
  noSaved: { en: "No saved filters", ko: "저장된 필터가 없습니다" },
  newFilter: { en: "New filter", ko: "새 필터" },
  select: { en: "Use filter {name}", ko: "{name} 필터 사용" },
  remove: { en: "Delete filter {name}", ko: "{name} 필터 삭제" },
  filterName: { en: "Filter name", ko: "필터 이름" },
  age: { en: "Age", ko: "나이" },
  ageFrom: { en: "Age from", ko: "나이(이상)" },
  ageTo: { en: "Age to", ko: "나이(이하)" },
  sex: { en: "Sex", ko: "성별" },
  male: { en: "Male", ko: "남성" },
  female: { en: "Female", ko: "여성" },
  any: { en: "All", ko: "전체" },
  t1wt2w: { en: "T1w/T2w", ko: "T1w/T2w" },
  birthDate: { en: "Birth date", ko: "생년월일" },
  studyDate: { en: "Study date", ko: "검사일" },
  analysisDate: { en: "Analysis date", ko: "분석일" },
  from: { en: "{field} from", ko: "{field} 시작일" },
  to: { en: "{field} to", ko: "{field} 종료일" },
  labels: { en: "Labels", ko: "라벨" },
  noLabels: { en: "No labels yet", ko: "아직 라벨이 없습니다" },
  reset: { en: "Reset", ko: "초기화" },
  cancel: { en: "Cancel", ko: "취소" },
  save: { en: "Save filter", ko: "필터 저장" },
  saveAs: { en: "Save as new", ko: "새 필터로 저장" },
  apply: { en: "Search", ko: "검색" },
  tags: { en: "Active filters", ko: "적용된 필터" },
  removeTag: { en: "Remove {tag}", ko: "{tag} 제거" },
  clearAll: { en: "Clear All", ko: "모두 지우기" },
  labelGone: { en: "deleted label", ko: "삭제된 라벨" },
  failedToLoad: {
    en: "The saved filters could not be loaded.",
    ko: "저장된 필터를 불러오지 못했습니다.",
  },
} as const satisfies Catalogue;

/** Names of search criteria, printed in front of the values on a filter's tag. */
export const TAG_TEXT = {
  age: filtersText.age,
  T1w: { en: "Series", ko: "시리즈" },
  T2w: { en: "Series", ko: "시리즈" },
  label: { en: "Label", ko: "라벨" },
  sex: filtersText.sex,
  birthDate: { en: "Birth date", ko: "생년월일" },
  studyDate: { en: "Study date", ko: "검사일" },
  analysisDate: { en: "Analysis date", ko: "분석일" },
} as const satisfies Catalogue;
