import { type SortDirection, sortDirection, type SortKey, sortKey } from "@/model/schema/study.ts";

/** The state of the worklist that its address keeps. */
export interface WorklistQuery {
  sort_key: SortKey;
  sort_direction: SortDirection;
  search_string: string;
  /** 1-based */
  page_idx: number;
  page_size: number;
}

export const PAGE_SIZES = [5, 10, 20, 50] as const;
export const DEFAULT_WORKLIST_QUERY: WorklistQuery = {
  sort_key: "pid",
  sort_direction: "desc",
  search_string: "",
  page_idx: 1,
  page_size: 5,
};

/** Reads the address; what is missing or wrong becomes the default. */
export function worklistQueryOf(params: URLSearchParams): WorklistQuery {
  const otherwise = DEFAULT_WORKLIST_QUERY;
  const key = sortKey.safeParse(params.get("sort")), direction = sortDirection.safeParse(params.get("dir"));
  const page = Number(params.get("page")), size = Number(params.get("size"));
  return {
    sort_key: key.success ? key.data : otherwise.sort_key,
    sort_direction: direction.success ? direction.data : otherwise.sort_direction,
    search_string: (params.get("search") ?? "").slice(0, 100),
    page_idx: Number.isInteger(page) && page > 0 ? page : otherwise.page_idx,
    page_size: PAGE_SIZES.find((known) => known === size) ?? otherwise.page_size,
  };
}

/** The address of a state, without what is the default: `""` or `?…`. */
export function worklistSearchOf(query: WorklistQuery): string {
  const params = new URLSearchParams(), otherwise = DEFAULT_WORKLIST_QUERY;
  if (query.search_string !== "") params.set("search", query.search_string);
  if (query.sort_key !== otherwise.sort_key || query.sort_direction !== otherwise.sort_direction) {
    params.set("sort", query.sort_key);
    params.set("dir", query.sort_direction);
  }
  if (query.page_idx !== otherwise.page_idx) params.set("page", String(query.page_idx));
  if (query.page_size !== otherwise.page_size) params.set("size", String(query.page_size));
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}
