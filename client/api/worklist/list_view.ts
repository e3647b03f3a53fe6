import { AppError } from "@/model/errors.ts";
import { DEFAULT_LIST_VIEW, type ListView, listView } from "@/model/schema/worklist/list_view.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** Column and sort settings of the caller's worklist. */
export const getListView = (api: Api, signal?: AbortSignal): Promise<ListView> =>
  callJson(api, listView, "/api/v1/worklist/view", { signal });

/**
 * Like {@link getListView}, with the default view if the API lacks this call or fails.
 * @throws {AppError} `token.*`, `access.forbidden`.
 */
export async function findListView(api: Api): Promise<ListView> {
  try {
    return await getListView(api);
  } catch (error) {
    if (error instanceof AppError && (error.status === 401 || error.status === 403)) throw error;
    return DEFAULT_LIST_VIEW;
  }
}

/** @throws {AppError} `input.invalid` with `details.field`. */
export const saveListView = (api: Api, view: ListView): Promise<ListView> =>
  callJson(api, listView, "/api/v1/worklist/view", { method: "PUT", json: view });
