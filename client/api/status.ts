import { type StatusResponse, statusResponse } from "@/model/schema/status.ts";
import { type Api, callJson } from "@/client/api/http.ts";

export const getStatus = (api: Api, signal?: AbortSignal): Promise<StatusResponse> =>
  callJson(api, statusResponse, "/api/v1/status", { signal });
