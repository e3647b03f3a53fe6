import {
  type Archive,
  type ArchivedSeriesFound,
  archivedSeriesFound,
  type ArchiveFound,
  archiveFound,
  archives,
  type ArchiveSearch,
  type Pull,
  type PullRequest,
  pulls,
} from "@/model/schema/connections/pacs.ts";
import { type Api, callJson } from "@/client/api/http.ts";

const ROOT = "/api/v1/pacs";

/** PACS archives that the caller may search. */
export const getArchives = async (api: Api, signal?: AbortSignal): Promise<Archive[]> =>
  (await callJson(api, archives, ROOT, { signal })).systems;

/**
 * Searches an archive for studies.
 * @throws {AppError} `input.invalid` for a search without criteria, `entity.not_found`.
 */
export const searchArchive = (
  api: Api,
  id: number,
  search: ArchiveSearch,
  signal?: AbortSignal,
): Promise<ArchiveFound> =>
  callJson(api, archiveFound, `${ROOT}/${id}/search`, { method: "POST", json: search, signal });

/** Series of a study in an archive. @throws {AppError} `entity.not_found`. */
export const listArchivedSeries = (
  api: Api,
  id: number,
  study_uid: string,
): Promise<ArchivedSeriesFound> =>
  callJson(api, archivedSeriesFound, `${ROOT}/${id}/series`, {
    method: "POST",
    json: { study_uid },
  });

/**
 * Requests the retrieval of studies from an archive. @returns the caller's requests, newest first.
 */
export const pullStudies = async (api: Api, id: number, request: PullRequest): Promise<Pull[]> =>
  (await callJson(api, pulls, `${ROOT}/${id}/pulls`, { method: "POST", json: request })).pulls;

/** Retrieval requests that the caller has made, newest first. */
export const getPulls = async (api: Api, signal?: AbortSignal): Promise<Pull[]> =>
  (await callJson(api, pulls, `${ROOT}/pulls`, { signal })).pulls;
