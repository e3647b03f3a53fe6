import {
  type AuditPage,
  auditPage,
  type AuditVerdict,
  auditVerdict,
} from "@/model/schema/site/audit.ts";
import type { Language } from "@/model/text.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** Range of instants or days (UTC); `to` is excluded. */
export interface AuditChoice {
  from?: string;
  to?: string;
  user?: number;
  pid?: number;
  event?: string;
  /** search text: part of an event, an outcome, a network address or a user's e-mail address */
  search?: string;
  page?: number;
  per_page?: number;
}

/**
 * One page of the audit log, newest first; maintenance users only.
 * @throws {AppError} `access.forbidden`.
 */
export const getAudit = (
  api: Api,
  choice: AuditChoice = {},
  signal?: AbortSignal,
): Promise<AuditPage> =>
  callJson(api, auditPage, "/api/v1/audit", { query: { ...choice }, signal });

/** Result of checking the hash chain of the audit log; maintenance users only. */
export const verifyAudit = (api: Api, signal?: AbortSignal): Promise<AuditVerdict> =>
  callJson(api, auditVerdict, "/api/v1/audit/verify", { signal });

/** URL path of the matching audit log entries as CSV, with heads and events in a language. */
export function auditExportPath(
  choice: Omit<AuditChoice, "page" | "per_page">,
  language: Language,
): string {
  const values = Object.entries({ ...choice, language }).filter(([, value]) =>
    value !== undefined && value !== ""
  );
  return `/api/v1/audit/export?${new URLSearchParams(
    values.map(([key, value]) => [key, String(value)]),
  )}`;
}
