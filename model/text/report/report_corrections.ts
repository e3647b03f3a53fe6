import type { Catalogue } from "@/model/text.ts";

/** Texts of the note about a manually corrected series and the consequences. */
export const correctionText = {
  t1: {
    en:
      "Regions were corrected by {who}, {when}. Volumes include the correction; cortical thickness and the 3D surface do not.",
    ko:
      "영역 수정({who}, {when}): 부피에는 반영되었으나 피질 두께와 3D 표면에는 반영되지 않았습니다.",
  },
  t2: {
    en: "Lesions were corrected by {who}, {when}. Volumes and count include the correction.",
    ko: "병변 수정({who}, {when}): 부피와 개수에 반영되었습니다.",
  },
} as const satisfies Catalogue;
