import { isDay } from "@/model/time/day.ts";
import {
  filterNameKey,
  isDateRange,
  MAX_FILTER_AGE,
  MIN_FILTER_AGE,
  type SavedFilter,
} from "@/model/schema/worklist/filters.ts";

type Sex = NonNullable<SavedFilter["sex"]>;

/** Criteria of a filter as sent in a list request; an absent criterion matches everything. */
export interface FilterCriteria {
  t1w?: boolean | undefined;
  t2w?: boolean | undefined;
  sex?: Sex | undefined;
  age_from?: number | undefined;
  age_to?: number | undefined;
  /** range of the birth date; all dates of the criteria are `YYYY/MM/DD` */
  birth_from?: string | undefined;
  birth_to?: string | undefined;
  study_from?: string | undefined;
  study_to?: string | undefined;
  analysis_from?: string | undefined;
  analysis_to?: string | undefined;
  label_id_list?: number[] | undefined;
}

/** A date range; each end is `YYYY-MM-DD`, empty, or incomplete input. */
export type DayRange = readonly [from: string, to: string];

/** The search-filter form (D1 §3: form keys). */
export interface FilterForm {
  /** id of the stored filter; −1: not stored */
  id: number;
  filterName: string;
  /** ages as the user typed them */
  ageFrom: string;
  ageTo: string;
  sex: Sex | "";
  t1wt2w: "t1w" | "t2w" | "all";
  birthDate: DayRange;
  studyDate: DayRange;
  analysisDate: DayRange;
  labels: readonly number[];
}

export const EMPTY_FORM: FilterForm = {
  id: -1,
  filterName: "",
  ageFrom: "",
  ageTo: "",
  sex: "",
  t1wt2w: "all",
  birthDate: ["", ""],
  studyDate: ["", ""],
  analysisDate: ["", ""],
  labels: [],
};

/** Validation errors of a form, by field. */
type FilterProblem =
  | "name_required"
  | "name_duplicate"
  | "age_range"
  | "age_order"
  | "date_wrong"
  | "date_order";
export type FilterProblems = Partial<Record<keyof FilterForm, FilterProblem>>;

const day = (date: string | null | undefined): string => date?.replaceAll("/", "-") ?? "";
const date = (input: string): string | undefined =>
  input === "" ? undefined : input.replaceAll("-", "/");
const years = (text: string): number | undefined => text.trim() === "" ? undefined : Number(text);

/** Form with stored criteria, or with the list's current criteria. */
export function formOf(
  criteria: { readonly [K in keyof FilterCriteria]?: FilterCriteria[K] | null },
  id = -1,
  filterName = "",
): FilterForm {
  const { t1w, t2w } = criteria;
  return {
    id,
    filterName,
    ageFrom: criteria.age_from?.toString() ?? "",
    ageTo: criteria.age_to?.toString() ?? "",
    sex: criteria.sex ?? "",
    t1wt2w: t1w ? "t1w" : t2w ? "t2w" : "all",
    birthDate: [day(criteria.birth_from), day(criteria.birth_to)],
    studyDate: [day(criteria.study_from), day(criteria.study_to)],
    analysisDate: [day(criteria.analysis_from), day(criteria.analysis_to)],
    labels: criteria.label_id_list ?? [],
  };
}

export const formOfSaved = (filter: SavedFilter): FilterForm =>
  formOf(filter, filter.id, filter.name);

/** Criteria of a valid form. T1w is sent as `t1w: true` alone; "all" sends neither. */
export function criteriaOf(form: FilterForm): FilterCriteria {
  const criteria: FilterCriteria = {
    t1w: form.t1wt2w === "t1w" || undefined,
    t2w: form.t1wt2w === "t2w" || undefined,
    sex: form.sex || undefined,
    age_from: years(form.ageFrom),
    age_to: years(form.ageTo),
    birth_from: date(form.birthDate[0]),
    birth_to: date(form.birthDate[1]),
    study_from: date(form.studyDate[0]),
    study_to: date(form.studyDate[1]),
    analysis_from: date(form.analysisDate[0]),
    analysis_to: date(form.analysisDate[1]),
    label_id_list: form.labels.length > 0 ? [...form.labels] : undefined,
  };
  return Object.fromEntries(Object.entries(criteria).filter(([, value]) => value !== undefined));
}

/**
 * Validates the form by D1 §5.
 *
 * @param filters Stored filters: their names must not repeat;
 * `null` when the form is not to be stored.
 */
export function problemsOf(
  form: FilterForm,
  filters: readonly SavedFilter[] | null,
): FilterProblems {
  const problems: FilterProblems = {};
  const isAge = (text: string) => {
    const age = years(text);
    return age === undefined ||
      (Number.isInteger(age) && age >= MIN_FILTER_AGE && age <= MAX_FILTER_AGE);
  };
  if (!isAge(form.ageFrom)) problems.ageFrom = "age_range";
  if (!isAge(form.ageTo)) problems.ageTo = "age_range";
  else if (
    !problems.ageFrom && form.ageFrom && form.ageTo && !(Number(form.ageFrom) < Number(form.ageTo))
  ) {
    problems.ageTo = "age_order";
  }
  for (const key of ["birthDate", "studyDate", "analysisDate"] as const) {
    if (!form[key].every((each) => each === "" || isDay(each))) problems[key] = "date_wrong";
    else if (!isDateRange(...form[key])) problems[key] = "date_order";
  }
  if (filters === null) return problems;
  const name = filterNameKey(form.filterName);
  if (name === "") problems.filterName = "name_required";
  else if (filters.some((each) => each.id !== form.id && filterNameKey(each.name) === name)) {
    problems.filterName = "name_duplicate";
  }
  return problems;
}

/** Categories of the filter tags above the worklist (D1 §3). */
const TAG_CATEGORIES = [
  "age",
  "T1w",
  "T2w",
  "label",
  "sex",
  "birthDate",
  "studyDate",
  "analysisDate",
] as const;
type TagCategory = (typeof TAG_CATEGORIES)[number];

/** A filter tag: its text, and the filter criteria that remain when the tag is removed. */
interface FilterTag {
  category: TagCategory;
  /** id of the label, on label tags */
  id?: number;
  words: string;
  without: FilterCriteria;
}

/** Formats a range: "a–b", "≥ a", "≤ b"; `null` without limits. */
function rangeText(
  from: string | number | undefined,
  to: string | number | undefined,
): string | null {
  if (from !== undefined && to !== undefined) return `${from}–${to}`;
  return from !== undefined ? `≥ ${from}` : to !== undefined ? `≤ ${to}` : null;
}

/** Active criteria, one tag each; every label has its own tag. */
export function tagsOf(criteria: FilterCriteria, labelName: (id: number) => string): FilterTag[] {
  const tags: FilterTag[] = [];
  const without = (...keys: (keyof FilterCriteria)[]): FilterCriteria =>
    Object.fromEntries(
      Object.entries(criteria).filter(([key]) => !keys.includes(key as keyof FilterCriteria)),
    );
  const put = (category: TagCategory, words: string | null, ...keys: (keyof FilterCriteria)[]) => {
    if (words !== null) tags.push({ category, words, without: without(...keys) });
  };
  put("age", rangeText(criteria.age_from, criteria.age_to), "age_from", "age_to");
  put("T1w", criteria.t1w ? "T1w" : null, "t1w");
  put("T2w", criteria.t2w ? "T2w" : null, "t2w");
  for (const id of criteria.label_id_list ?? []) {
    const otherLabels = criteria.label_id_list!.filter((other) => other !== id);
    tags.push({
      category: "label",
      id,
      words: labelName(id),
      without: otherLabels.length > 0
        ? { ...criteria, label_id_list: otherLabels }
        : without("label_id_list"),
    });
  }
  put("sex", criteria.sex ? (criteria.sex === "male" ? "M" : "F") : null, "sex");
  // uses the same date format as the worklist's rows
  const days = (from: string | undefined, to: string | undefined) =>
    rangeText(from?.replaceAll("/", "-"), to?.replaceAll("/", "-"));
  put("birthDate", days(criteria.birth_from, criteria.birth_to), "birth_from", "birth_to");
  put("studyDate", days(criteria.study_from, criteria.study_to), "study_from", "study_to");
  put(
    "analysisDate",
    days(criteria.analysis_from, criteria.analysis_to),
    "analysis_from",
    "analysis_to",
  );
  return tags;
}
