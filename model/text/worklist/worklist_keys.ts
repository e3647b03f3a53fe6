import type { Catalogue } from "@/model/text.ts";

/** Texts on the keyboard shortcuts of the worklist. */
export const worklistKeysText = {
  title: { en: "Keyboard shortcuts", ko: "단축키" },
  search: { en: "Search patient ID or name", ko: "환자 ID 또는 이름 검색" },
  rows: { en: "Go to the previous or next row or card", ko: "이전 또는 다음 행·카드" },
  open: { en: "Open the study in the viewer", ko: "뷰어에서 검사 열기" },
  edit: { en: "Edit the row (in the table)", ko: "행 편집(표에서)" },
  editEnd: { en: "Save or discard the changes", ko: "편집 저장 또는 취소" },
  check: { en: "Select or deselect the study", ko: "검사 선택 또는 해제" },
  checkRange: {
    en: "Select all studies from the last selected one to this one",
    ko: "마지막으로 선택한 검사부터 현재 검사까지 모두 선택",
  },
  delete: { en: "Delete the selected studies", ko: "선택한 검사 삭제" },
  help: { en: "Show this list", ko: "이 목록" },
} as const satisfies Catalogue;
