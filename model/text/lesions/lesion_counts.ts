import type { Catalogue } from "@/model/text.ts";

/** Sentence with the lesion counts of two studies and the changes between them. */
export const lesionCountText = {
  counts: {
    en:
      "Lesions: {before} before, {now} now. Changes: {new} new, {gone} resolved, {enlarging} enlarging, {shrinking} shrinking. Not counted: {possible} uncertain {possible|change|changes}.",
    ko:
      "병변 수: 이전 {before}, 현재 {now}. 신규 {new}, 소실 {gone}, 커짐 {enlarging}, 작아짐 {shrinking}. 불확실한 변화 {possible}(집계 제외).",
  },
  changes: {
    en:
      "{new} new, {gone} resolved, {enlarging} enlarging, {shrinking} shrinking. Not counted: {possible} uncertain {possible|change|changes}.",
    ko:
      "신규 {new}, 소실 {gone}, 커짐 {enlarging}, 작아짐 {shrinking}. 불확실한 변화 {possible}(집계 제외).",
  },
  others: {
    en:
      "The remaining difference in the number of lesions ({n}) is due to lesions that merged, split or were outlined in only one study.",
    ko:
      "그 밖의 병변 수 차이({n})는 병변이 합쳐지거나 나뉘었거나, 한 검사에서만 분할되었기 때문입니다.",
  },
} as const satisfies Catalogue;
