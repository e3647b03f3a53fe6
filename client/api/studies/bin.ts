import { type BinList, binList } from "@/model/schema/studies/bin.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Deleted studies that the caller may restore. */
export const getBin = (api: Api, signal?: AbortSignal): Promise<BinList> =>
  callJson(api, binList, "/api/v1/bin", { signal });

/**
 * Restores a deleted study.
 * @throws {AppError} `study.not_restorable`, `access.forbidden`, `entity.not_found`.
 */
export async function restoreStudy(api: Api, pid: number): Promise<void> {
  await call(api, `/api/v1/bin/${pid}/restoration`, { method: "POST" });
}

/** Deletes a study from the recycle bin permanently; administrators only. */
export async function purgeStudy(api: Api, pid: number): Promise<void> {
  await call(api, `/api/v1/bin/${pid}`, { method: "DELETE" });
}
