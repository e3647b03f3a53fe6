import {
  type StoredStudiesRequest,
  type StoredStudiesResponse,
  storedStudiesResponse,
  type UploadState,
  uploadState,
} from "@/model/schema/studies/upload.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Names of the files that the server has received; empty for an unknown upload. */
export const getUploadState = (
  api: Api,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadState> => callJson(api, uploadState, `/api/v1/uploads/${uploadId}`, { signal });

/** Finds the given studies that are stored with all their files, and need no upload. */
export const findStoredStudies = (
  api: Api,
  request: StoredStudiesRequest,
): Promise<StoredStudiesResponse> =>
  callJson(api, storedStudiesResponse, "/api/v1/uploads/stored", { method: "POST", json: request });

/** Discards the received parts of an unfinished upload. */
export async function discardUpload(api: Api, uploadId: string): Promise<void> {
  await call(api, `/api/v1/uploads/${uploadId}`, { method: "DELETE" });
}
