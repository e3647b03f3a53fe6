import * as z from "zod/mini";

/**
 * Tokens of a sign-in or renewal. The documents define only `access_token` (D1 §7).
 * A Sulcus core also returns the lifetime.
 */
export const loginTokens = z.object({
  access_token: z.string().check(z.minLength(1)),
  refresh_token: z.optional(z.string()),
  expires_in: z.optional(z.number()),
});
export type LoginTokens = z.infer<typeof loginTokens>;
export const refreshedTokens = loginTokens;

/** Lifetime assumed for a token without a stated lifetime, s. */
const UNKNOWN_S = 120;

/**
 * Lifetime of a token, s: as stated, as in the token itself (RFC 7519 `exp`), or {@link UNKNOWN_S}.
 */
export function secondsOf({ access_token, expires_in }: LoginTokens, nowMs: number): number {
  if (expires_in !== undefined) return expires_in;
  const claims = access_token.split(".")[1] ?? "";
  try {
    const { exp } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) as {
      exp?: unknown;
    };
    return typeof exp === "number" ? Math.max(0, exp - nowMs / 1000) : UNKNOWN_S;
  } catch {
    return UNKNOWN_S;
  }
}
