import { type UploadState, uploadState } from "@/model/schema/patients.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** What the server has of an upload in several requests; nothing of one that it does not know. */
export const getUploadState = (api: Api, uploadId: string, signal?: AbortSignal): Promise<UploadState> =>
  callJson(api, uploadState, `/api/v1/uploads/${uploadId}`, { signal });

/** Throws away what the server has of an unfinished upload. */
export async function discardUpload(api: Api, uploadId: string): Promise<void> {
  await call(api, `/api/v1/uploads/${uploadId}`, { method: "DELETE" });
}
