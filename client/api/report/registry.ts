import {
  registryCreated,
  type RegistryPreview,
  registryPreview,
  type RegistryRequest,
} from "@/model/schema/report/registry.ts";
import { type JobProgress, jobProgress } from "@/model/schema/site/jobs.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const ALL = "/api/v1/registry-exports";
export const registryPath = (id: string): string => `${ALL}/${id}`;

/** Number of studies that a registry file would contain, and the newest file of the caller. */
export const getRegistry = (api: Api, signal?: AbortSignal): Promise<RegistryPreview> =>
  callJson(api, registryPreview, ALL, { signal });

/** Starts a registry file; `registry` events and {@link getRegistryProgress} report progress. */
export const startRegistry = async (api: Api, request: RegistryRequest): Promise<string> =>
  (await callJson(api, registryCreated, ALL, { method: "POST", json: request })).id;

/** @throws {AppError} `entity.not_found`. */
export const getRegistryProgress = (api: Api, id: string): Promise<JobProgress> =>
  callJson(api, jobProgress, `${registryPath(id)}/progress`);

/**
 * Downloads a finished registry file, or returns the progress of an unfinished one.
 * @throws {AppError} `job.canceled`, `job.failed`, `entity.not_found`.
 */
export async function getRegistryFile(
  api: Api,
  id: string,
): Promise<{ file: Response } | { progress: JobProgress }> {
  const response = await call(api, registryPath(id));
  return response.status === 202
    ? { progress: jobProgress.parse(await response.json()) }
    : { file: response };
}

/**
 * Cancels an unfinished registry file, or deletes a finished one.
 * @throws {AppError} `entity.not_found`.
 */
export async function cancelRegistry(api: Api, id: string): Promise<void> {
  await call(api, registryPath(id), { method: "DELETE" });
}
