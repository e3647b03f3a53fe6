import {
  type SiteStatus,
  siteStatus,
  type StatusResponse,
  statusResponse,
} from "@/model/schema/site/status.ts";
import { type Api, callJson } from "@/client/api/http.ts";

export const getStatus = (api: Api, signal?: AbortSignal): Promise<StatusResponse> =>
  callJson(api, statusResponse, "/api/v1/status", { signal });

/** Current work of the site; administrators only. @throws {AppError} `access.forbidden`. */
export const getSiteStatus = (api: Api, signal?: AbortSignal): Promise<SiteStatus> =>
  callJson(api, siteStatus, "/api/v1/status/details", { signal });
