import type { Catalogue } from "@/model/text.ts";
import { errorText } from "@/model/text/errors.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** Search filters (D1 §2, §3, §5). */
export const filtersText = {
  title: { en: "Search Filters", ko: "검색 필터" },
  button: { en: "Filter", ko: "필터" },
  saved: { en: "Saved filters", ko: "저장된 필터" },
  noSaved: { en: "No saved filters", ko: "저장된 필터가 없습니다" },
  newFilter: { en: "New filter", ko: "새 필터" },
  select: { en: "Use {name}", ko: "{name} 사용" },
  remove: { en: "Delete {name}", ko: "{name} 삭제" },
  filterName: { en: "Filter name", ko: "필터 이름" },
  age: { en: "Age", ko: "나이" },
  ageFrom: { en: "Age from", ko: "나이 (이상)" },
  ageTo: { en: "Age to", ko: "나이 (이하)" },
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
  name_required: refusalText.required,
  name_duplicate: errorText["filter.duplicate_name"],
  age_range: { en: "Please put number between 1 to 199", ko: "1에서 199 사이의 숫자를 입력하세요" },
  age_order: {
    en: "Please enter a larger number than the left field",
    ko: "왼쪽 칸보다 큰 숫자를 입력하세요",
  },
  date_wrong: { en: "Please enter a date as YYYY-MM-DD.", ko: "날짜를 YYYY-MM-DD 형식으로 입력하세요." },
  date_order: { en: "The second date must not be earlier.", ko: "종료일은 시작일보다 빠를 수 없습니다." },
  tags: { en: "Filters in use", ko: "적용된 필터" },
  removeTag: { en: "Remove {tag}", ko: "{tag} 제거" },
  clearAll: { en: "Clear All", ko: "모두 지우기" },
  labelGone: { en: "deleted label", ko: "삭제된 라벨" },
  failedToLoad: { en: "The saved filters could not be loaded", ko: "저장된 필터를 불러오지 못했습니다" },
} as const satisfies Catalogue;

/** Names in front of the words of a tag. */
export const TAG_TEXT = {
  age: filtersText.age,
  T1w: { en: "Series", ko: "시리즈" },
  T2w: { en: "Series", ko: "시리즈" },
  label: { en: "Label", ko: "라벨" },
  sex: filtersText.sex,
  birthDate: { en: "Birth", ko: "생년월일" },
  studyDate: { en: "Study", ko: "검사일" },
  analysisDate: { en: "Analysis", ko: "분석일" },
} as const satisfies Catalogue;
