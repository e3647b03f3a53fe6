import { AppError } from "@/model/errors.ts";
import { DEFAULT_HANGING, type Hanging, hanging } from "@/model/schema/reading/hanging.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/**
 * Hanging protocol (arrangement of the viewer's panes) of the caller;
 * the default if the API lacks this call or does not respond.
 * @throws {AppError} `token.*`, `access.forbidden`.
 */
export async function findHanging(api: Api): Promise<Hanging> {
  try {
    return await callJson(api, hanging, "/api/v1/viewer/hanging", {});
  } catch (error) {
    if (error instanceof AppError && (error.status === 401 || error.status === 403)) throw error;
    return DEFAULT_HANGING;
  }
}

/** Stores the hanging protocol of the caller. @throws {AppError} `input.invalid`. */
export const saveHanging = (api: Api, chosen: Hanging): Promise<Hanging> =>
  callJson(api, hanging, "/api/v1/viewer/hanging", { method: "PUT", json: chosen });
