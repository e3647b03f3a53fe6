import { AppError } from "@/model/errors.ts";
import { DEFAULT_HANGING, type Hanging, hanging } from "@/model/schema/reading/hanging.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/**
 * How the caller's viewer opens; the default where the API has no such call, or does not answer it.
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

/** Keeps how the caller's viewer opens. @throws {AppError} `input.invalid`. */
export const saveHanging = (api: Api, chosen: Hanging): Promise<Hanging> =>
  callJson(api, hanging, "/api/v1/viewer/hanging", { method: "PUT", json: chosen });
