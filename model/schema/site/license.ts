import * as z from "zod/mini";
import { certType } from "@/model/schema/studies/study.ts";

/** Name in the limit list of a licence: if present, credits are counted. */
export const USE_LIMIT = "use_limit";

/**
 * Whether analyses may be started now; `no_credit`: the licence is valid but has no credits left.
 */
const licenseState = z.enum(["valid", "not_started", "expired", "no_credit"]);
export type LicenseState = z.infer<typeof licenseState>;

/** `GET /vuuc/api/user/license` */
export const licenseInfo = z.object({
  limit: z.array(z.string()),
  /** remaining credits; `null` when credits are not counted */
  total_remain_credit: z.nullable(z.number()),
  /** last day of use, YYYY-MM-DD in the site's time zone; `null`: unlimited */
  expire_date: z.nullable(z.string()),
  /** first day on which the licence is valid */
  start_date: z.optional(z.nullable(z.string())),
  cert_type: z.optional(certType),
  /** licence state by the site's clock; absent from other user services */
  state: z.optional(licenseState),
});
export type LicenseInfo = z.infer<typeof licenseInfo>;

export const day = z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/));
/** A date as in the documents D1 and D2, separated by `-` or `/`. */
const dayOfQuery = z.pipe(
  z.string(),
  z.pipe(z.transform((text: string) => text.replaceAll("/", "-").slice(0, 10)), day),
);
const wholeNumber = (low: number, high: number) =>
  z.coerce.number().check(z.int(), z.gte(low), z.lte(high));

/** Contents of a signed licence file; its credits are added only once. */
export const licenseGrant = z.object({
  /** id of the file, by which a repeated import is ignored */
  serial: z.string().check(z.minLength(1), z.maxLength(100)),
  holder: z.nullable(z.string().check(z.maxLength(200))),
  cert_type: certType,
  limit: z.array(z.string()),
  start_date: z.nullable(day),
  expire_date: z.nullable(day),
  credits: z.int().check(z.gte(0), z.lte(10_000_000)),
});
export type LicenseGrant = z.infer<typeof licenseGrant>;

/** A licence file: the grant's JSON as base64url, and an Ed25519 signature of those characters. */
export const licenseFile = z.object({ payload: z.string(), signature: z.string() });

/** Query of `GET /vuuc/api/user/credit/log/month`. */
export const creditMonthQuery = z.object({
  start_date_by: z.optional(dayOfQuery),
  end_date_by: z.optional(dayOfQuery),
});
export type CreditMonthQuery = z.infer<typeof creditMonthQuery>;

/** Query of `GET /vuuc/api/user/credit/log`. */
export const creditLogQuery = z.object({
  sort_by: z._default(z.enum(["asc", "desc"]), "desc"),
  start_date_by: z.optional(dayOfQuery),
  end_date_by: z.optional(dayOfQuery),
  is_rollback: z.optional(z.pipe(
    z.enum(["true", "false", "1", "0"]),
    z.transform((text: "true" | "false" | "1" | "0") => text === "true" || text === "1"),
  )),
  page: z._default(wholeNumber(1, 1_000_000), 1),
  per_page: z._default(wholeNumber(1, 200), 20),
});
export type CreditLogQuery = z.infer<typeof creditLogQuery>;

export const creditLog = z.object({
  logs: z.array(z.object({
    id: z.number(),
    created_at: z.string(),
    /** credits added; negative when credits were used */
    amount: z.number(),
    /** balance of credits after this entry */
    balance: z.number(),
    is_rollback: z.boolean(),
    pid: z.optional(z.number()),
  })),
  total: z.number(),
  page: z.number(),
  per_page: z.number(),
});
export type CreditLog = z.infer<typeof creditLog>;

/**
 * Credits used and refunded per month, YYYY-MM, newest first; months without entries are left out.
 */
export const creditLogMonth = z.object({
  months: z.array(z.object({ month: z.string(), used: z.number(), rolled_back: z.number() })),
});
export type CreditLogMonth = z.infer<typeof creditLogMonth>;

/** Answer of `GET /vuuc/api/auth/token`: a token for programs. */
export const vuucToken = z.object({ access_token: z.string() });
export type VuucToken = z.infer<typeof vuucToken>;

/** `PUT /vuuc/api/user` */
export const passwordPut = z.object({
  current_password: z.string().check(z.maxLength(1024)),
  new_password: z.string().check(z.maxLength(1024)),
});
export type PasswordPut = z.infer<typeof passwordPut>;
