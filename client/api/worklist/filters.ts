import {
  type FilterRequest,
  type FiltersResponse,
  filtersResponse,
  type SavedFilter,
  savedFilter,
} from "@/model/schema/worklist/filters.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Saved worklist filters of the caller. */
export const listFilters = (api: Api, signal?: AbortSignal): Promise<FiltersResponse> =>
  callJson(api, filtersResponse, "/api/v1/filters", { signal });

/** @throws {AppError} `filter.duplicate_name`, `input.invalid` with `details.field`. */
export const addFilter = (api: Api, filter: FilterRequest): Promise<SavedFilter> =>
  callJson(api, savedFilter, "/api/v1/filters", { method: "POST", json: filter });

/** @throws {AppError} as {@link addFilter}, and `entity.not_found`. */
export const changeFilter = (api: Api, id: number, filter: FilterRequest): Promise<SavedFilter> =>
  callJson(api, savedFilter, `/api/v1/filters/${id}`, { method: "PUT", json: filter });

/** @throws {AppError} `entity.not_found`. */
export async function deleteFilter(api: Api, id: number): Promise<void> {
  await call(api, `/api/v1/filters/${id}`, { method: "DELETE" });
}
