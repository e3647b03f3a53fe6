import { type Language, textIn } from "@/model/text.ts";
import type { ListState } from "@/model/schema/studies/patients.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { TAG_TEXT } from "@/model/text/worklist/filters.ts";
import { listStateText } from "@/model/text/worklist/list_state.ts";
import { type FilterCriteria, tagsOf } from "@/model/worklist/filter_form.ts";

/** Search words, state and criteria that restrict the worklist to a part of the studies. */
export interface ListScope {
  search: string;
  state: ListState | undefined;
  criteria: FilterCriteria;
}

/**
 * Active search, state and criteria as texts with their names; empty for the unrestricted worklist.
 *
 * @param labelName  Looks up a label's name by its id.
 */
export const scopeWords = (
  { search, state, criteria }: ListScope,
  language: Language,
  labelName: (id: number) => string,
): string[] => [
  ...search === "" ? [] : [textIn(excelText.searched, language, { words: `“${search}”` })],
  ...state === undefined ? [] : [textIn(listStateText[state], language)],
  ...tagsOf(criteria, labelName).map(({ category, words }) =>
    `${textIn(TAG_TEXT[category], language)}: ${words}`
  ),
];
