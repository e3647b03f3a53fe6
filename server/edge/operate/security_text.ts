import type { Handler } from "hono";
import type { SiteEnv } from "@/server/edge/web/site.ts";
import { hostOf, textResponse } from "@/server/edge/web/security.ts";

/** Validity of the text in days, for the Expires field. */
const VALID_DAYS = 180;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Contact for security reports, RFC 9116, at `/.well-known/security.txt`.
 * @param contact `mailto:` or `https:` address; `null`:
 * the security mailbox that RFC 2142 defines for each host.
 */
export const securityText =
  (contact: string | null, now = Date.now): Handler<SiteEnv> => (context) => {
    const hostName = hostOf(context.req.raw).replace(/:\d+$/, "");
    const midnight = Math.floor(now() / DAY_MS) * DAY_MS;
    const lines = [
      `Contact: ${contact ?? `mailto:security@${hostName}`}`,
      `Expires: ${new Date(midnight + VALID_DAYS * DAY_MS).toISOString().replace(".000", "")}`,
      "Preferred-Languages: en, ko",
    ];
    return textResponse(lines.map((line) => line + "\n").join(""), 200, [
      ["content-type", "text/plain; charset=utf-8"],
      ["cache-control", "no-cache"],
    ]);
  };
