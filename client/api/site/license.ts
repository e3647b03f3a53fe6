import {
  type CreditLog,
  creditLog,
  type CreditLogMonth,
  creditLogMonth,
  type LicenseInfo,
  licenseInfo,
  type PasswordPut,
  type VuucToken,
  vuucToken,
} from "@/model/schema/site/license.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Remaining credits and days of the licence. */
export const getLicense = (api: Api, signal?: AbortSignal): Promise<LicenseInfo> =>
  callJson(api, licenseInfo, "/vuuc/api/user/license", { signal });

/**
 * Access token with which programs call the licence service.
 * Browser sessions need no such token, because the edge server holds theirs.
 */
export const getVuucToken = (api: Api): Promise<VuucToken> =>
  callJson(api, vuucToken, "/vuuc/api/auth/token");

/** @throws {AppError} `password.*`, `auth.too_many_attempts`. */
export async function changePassword(api: Api, json: PasswordPut): Promise<void> {
  await call(api, "/vuuc/api/user", { method: "PUT", json });
}

/** License usage between two days, both included, as YYYY-MM-DD. */
interface CreditLogChoice {
  sort_by?: "asc" | "desc";
  start_date_by?: string;
  end_date_by?: string;
  is_rollback?: boolean;
  page?: number;
  per_page?: number;
}

export const getCreditLog = (
  api: Api,
  { is_rollback, ...query }: CreditLogChoice = {},
  signal?: AbortSignal,
): Promise<CreditLog> =>
  callJson(api, creditLog, "/vuuc/api/user/credit/log", {
    query: { ...query, is_rollback: is_rollback === undefined ? undefined : String(is_rollback) },
    signal,
  });

export const getCreditMonths = (
  api: Api,
  query: Pick<CreditLogChoice, "start_date_by" | "end_date_by"> = {},
  signal?: AbortSignal,
): Promise<CreditLogMonth> =>
  callJson(api, creditLogMonth, "/vuuc/api/user/credit/log/month", {
    query: { start_date_by: query.start_date_by, end_date_by: query.end_date_by },
    signal,
  });
