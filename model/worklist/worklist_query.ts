import type { FilterCriteria } from "@/model/worklist/filter_form.ts";
import {
  filterDate,
  isDateRange,
  MAX_FILTER_AGE,
  MIN_FILTER_AGE,
} from "@/model/schema/worklist/filters.ts";
import { MAX_LIST_PAGE_SIZE, MIN_PAGE_SIZE } from "@/model/schema/worklist/list_view.ts";
import { type ListState, listState } from "@/model/schema/studies/patients.ts";
import {
  sex,
  type SortDirection,
  sortDirection,
  type SortKey,
  sortKey,
} from "@/model/schema/studies/study.ts";

/** State of the worklist, which is stored in the page's address. */
export interface WorklistQuery extends FilterCriteria {
  sort_key: SortKey;
  sort_direction: SortDirection;
  search_string: string;
  /** number of the list's page, from 1 */
  page_idx: number;
  page_size: number;
  /**
   * cursor: the page starts after the last shown row,
   * or ends before the first; not stored in the address
   */
  after?: string | undefined;
  before?: string | undefined;
  /** shows only studies in this state */
  state?: ListState | undefined;
}

export const PAGE_SIZES = [5, 10, 20, 50] as const;
export const DEFAULT_WORKLIST_QUERY: WorklistQuery = {
  sort_key: "pid",
  sort_direction: "desc",
  search_string: "",
  page_idx: 1,
  page_size: 5,
};

const DATE_RANGES = [["birth_from", "birth_to"], ["study_from", "study_to"], [
  "analysis_from",
  "analysis_to",
]] as const;
const DATES = DATE_RANGES.flat();
const AGES = ["age_from", "age_to"] as const;
/** Maximum page number that an address may contain. */
const MAX_PAGE = 10_000_000;
/** Maximum number of labels in an address. */
const MAX_LABEL_IDS = 1000;

/** Filter criteria in an address; invalid criteria are ignored. */
function criteriaIn(params: URLSearchParams): FilterCriteria {
  const criteria: FilterCriteria = {};
  const series = params.get("series"), person = sex.safeParse(params.get("sex"));
  if (series === "t1w") criteria.t1w = true;
  if (series === "t2w") criteria.t2w = true;
  if (person.success) criteria.sex = person.data;
  for (const key of AGES) {
    const age = Number(params.get(key));
    if (Number.isInteger(age) && age >= MIN_FILTER_AGE && age <= MAX_FILTER_AGE) {
      criteria[key] = age;
    }
  }
  for (const key of DATES) {
    const date = filterDate.safeParse(params.get(key)?.replaceAll("-", "/"));
    if (date.success) criteria[key] = date.data;
  }
  // an empty age range is dropped
  const { age_from, age_to } = criteria;
  if (age_from !== undefined && age_to !== undefined && age_from >= age_to) {
    delete criteria.age_from;
    delete criteria.age_to;
  }
  for (const [from, to] of DATE_RANGES) {
    if (isDateRange(criteria[from], criteria[to])) continue;
    delete criteria[from];
    delete criteria[to];
  }
  const ids = (params.get("labels") ?? "").split(".").map(Number).filter((id) =>
    Number.isSafeInteger(id) && id > 0
  );
  if (ids.length > 0) criteria.label_id_list = ids.slice(0, MAX_LABEL_IDS);
  return criteria;
}

/** The filter criteria of a query, without its other fields. */
export function criteriaOfQuery(query: WorklistQuery): FilterCriteria {
  const {
    sort_key: _key,
    sort_direction: _way,
    search_string: _text,
    page_idx: _page,
    page_size: _size,
    state: _state,
    after: _after,
    before: _before,
    ...rest
  } = query;
  return rest;
}

function putCriteria(params: URLSearchParams, query: FilterCriteria): void {
  if (query.t1w || query.t2w) params.set("series", query.t1w ? "t1w" : "t2w");
  if (query.sex) params.set("sex", query.sex);
  for (const key of AGES) if (query[key] !== undefined) params.set(key, String(query[key]));
  for (const key of DATES) {
    if (query[key] !== undefined) params.set(key, query[key].replaceAll("/", "-"));
  }
  if (query.label_id_list?.length) params.set("labels", query.label_id_list.join("."));
}

const isPageSize = (size: number): boolean =>
  Number.isInteger(size) && size >= MIN_PAGE_SIZE && size <= MAX_LIST_PAGE_SIZE;

/**
 * Parses the page's address; missing or invalid parts get default values.
 * @param pageSize The user's setting, for an address without a page size.
 */
export function worklistQueryOf(
  params: URLSearchParams,
  pageSize: number = DEFAULT_WORKLIST_QUERY.page_size,
): WorklistQuery {
  const otherwise = DEFAULT_WORKLIST_QUERY;
  const key = sortKey.safeParse(params.get("sort")),
    direction = sortDirection.safeParse(params.get("dir"));
  const state = listState.safeParse(params.get("state"));
  const page = Number(params.get("page")), size = Number(params.get("size"));
  return {
    sort_key: key.success ? key.data : otherwise.sort_key,
    sort_direction: direction.success ? direction.data : otherwise.sort_direction,
    search_string: (params.get("search") ?? "").slice(0, 100),
    page_idx: Number.isInteger(page) && page > 0 && page <= MAX_PAGE ? page : otherwise.page_idx,
    page_size: isPageSize(size) ? size : pageSize,
    ...(state.success ? { state: state.data } : {}),
    ...criteriaIn(params),
  };
}

/** Makes the query of the page's address, without default values: `""` or `?…`. */
export function worklistSearchOf(query: WorklistQuery): string {
  const params = new URLSearchParams(), otherwise = DEFAULT_WORKLIST_QUERY;
  if (query.search_string !== "") params.set("search", query.search_string);
  if (query.state) params.set("state", query.state);
  putCriteria(params, query);
  if (query.sort_key !== otherwise.sort_key || query.sort_direction !== otherwise.sort_direction) {
    params.set("sort", query.sort_key);
    params.set("dir", query.sort_direction);
  }
  if (query.page_idx !== otherwise.page_idx) params.set("page", String(query.page_idx));
  if (query.page_size !== otherwise.page_size) params.set("size", String(query.page_size));
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** State that a saved filter sets in addition to its criteria. */
export function savedQueryOf(
  saved: Pick<WorklistQuery, "sort_key" | "sort_direction" | "search_string" | "page_size">,
): Partial<WorklistQuery> {
  const { sort_key, sort_direction, search_string, page_size } = saved;
  return {
    sort_key,
    sort_direction,
    search_string,
    page_size: isPageSize(page_size) ? page_size : DEFAULT_WORKLIST_QUERY.page_size,
  };
}

/** Whether two states differ in search or filter, regardless of order and page (D1 §4). */
export function isAnotherSearch(a: WorklistQuery, b: WorklistQuery): boolean {
  const { sort_key, sort_direction, page_idx, page_size } = DEFAULT_WORKLIST_QUERY;
  const searchOf = (query: WorklistQuery) =>
    worklistSearchOf({ ...query, sort_key, sort_direction, page_idx, page_size });
  return searchOf(a) !== searchOf(b);
}
