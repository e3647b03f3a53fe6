import { type AuditPage, auditPage } from "@/model/schema/audit.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** Instants or days (UTC), `to` excluded. */
export interface AuditChoice {
  from?: string;
  to?: string;
  user?: number;
  pid?: number;
  event?: string;
  page?: number;
  per_page?: number;
}

/** One page of the audit log, newest first; maintenance users only. @throws {AppError} `access.forbidden`. */
export const getAudit = (api: Api, choice: AuditChoice = {}, signal?: AbortSignal): Promise<AuditPage> =>
  callJson(api, auditPage, "/api/v1/audit", { query: { ...choice }, signal });
