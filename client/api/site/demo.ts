import { type DemoState, demoState } from "@/model/schema/site/demo.ts";
import { type DeletionResponse, deletionResponse } from "@/model/schema/studies/patients.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** Whether the caller may load the synthetic demo patients, and the loading progress. */
export const getDemo = (api: Api, signal?: AbortSignal): Promise<DemoState> =>
  callJson(api, demoState, "/api/v1/demo", { signal });

/** Starts loading the demo patients. @throws {AppError} `access.forbidden`, `entity.not_found`. */
export const loadDemo = (api: Api): Promise<DemoState> =>
  callJson(api, demoState, "/api/v1/demo", { method: "POST" });

/**
 * Deletes the demo patients, except those under analysis. @throws {AppError} `access.forbidden`.
 */
export const removeDemo = (api: Api): Promise<DeletionResponse> =>
  callJson(api, deletionResponse, "/api/v1/demo", { method: "DELETE" });
