import { AppError } from "@/model/errors.ts";
import { DEFAULT_LIST_VIEW, type ListView, listView } from "@/model/schema/worklist/list_view.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** How the caller looks at the worklist. */
export const getListView = (api: Api, signal?: AbortSignal): Promise<ListView> =>
  callJson(api, listView, "/api/v1/worklist/view", { signal });

/**
 * {@link getListView} for a page that can do without: the default where the API has no such call,
 * or does not answer it.
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
