import * as z from "zod/mini";
import { LANGUAGES } from "@/model/text.ts";
import { typedText } from "@/model/schema/typed_text.ts";

const wholeNumber = (low: number, high: number) =>
  z.coerce.number().check(z.int(), z.gte(low), z.lte(high));
/** A day or an instant; days are taken as UTC. */
const instant = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/)),
  z.transform((text: string) => text),
);

/** Query of `GET /api/v1/audit`; `from` is inclusive, `to` exclusive. */
export const auditQuery = z.object({
  from: z.optional(instant),
  to: z.optional(instant),
  /** returns only entries of the user with this id */
  user: z.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  pid: z.optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  event: z.optional(z.string().check(z.maxLength(64))),
  /** substring of an event, an outcome, an address or a user's e-mail address */
  search: z.optional(z.string().check(typedText, z.maxLength(100))),
  page: z._default(wholeNumber(1, 1_000_000), 1),
  per_page: z._default(wholeNumber(1, 500), 50),
});
export type AuditQuery = z.infer<typeof auditQuery>;

/** Query of `GET /api/v1/audit/export`; `language`: of heads, events, outcomes and details. */
export const auditExportQuery = z.extend(auditQuery, {
  language: z._default(z.enum(LANGUAGES), "en"),
});
export type AuditExportQuery = z.infer<typeof auditExportQuery>;

/** Response of `GET /api/v1/audit/verify`: whether the hash chain of all entries is intact. */
export const auditVerdict = z.object({
  count: z.number(),
  /**
   * hash of the last entry; a copy kept elsewhere proves later that no earlier entry was changed
   */
  hash: z.string(),
  /** number of the first missing or changed entry; `null`: none */
  broken: z.nullable(z.number()),
  /** number of the last entry with a valid code made with the site's key (MAC); 0: none */
  proven: z.number(),
  /** number and time of the newest anchor stored outside the database */
  anchor: z.nullable(z.object({ seq: z.number(), at: z.string() })),
  /** whether the anchor file exists and was written only by this site */
  isAnchored: z.boolean(),
});
export type AuditVerdict = z.infer<typeof auditVerdict>;

/** Audit log entries, newest first. */
export const auditPage = z.object({
  entries: z.array(z.object({
    seq: z.number(),
    at: z.string(),
    user_id: z.nullable(z.number()),
    /** e-mail address of the account; `null` if it was deleted */
    user: z.nullable(z.string()),
    address: z.nullable(z.string()),
    event: z.string(),
    pid: z.nullable(z.number()),
    /** outcome: `ok` or an error code */
    outcome: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number()])),
    request_id: z.nullable(z.string()),
  })),
  total: z.number(),
  page: z.number(),
  per_page: z.number(),
});
export type AuditPage = z.infer<typeof auditPage>;
