import * as z from "zod/mini";

/** Answer of `GET /api/v1/second-factor`. */
export const factorState = z.object({
  is_on: z.boolean(),
  /** whether the site requires a second factor, so that the user cannot remove it */
  is_required: z.boolean(),
  recovery_codes_left: z.number(),
});
export type FactorState = z.infer<typeof factorState>;

/** Body of `POST /api/v1/second-factor`; directory (LDAP) users send an empty password. */
export const factorRequest = z.object({ password: z.string() });
/**
 * Answer to that request: secret for an authenticator app, as text and QR code (rows of 0 and 1).
 */
export const newFactor = z.object({ secret: z.string(), uri: z.string(), qr: z.array(z.string()) });
export type NewFactor = z.infer<typeof newFactor>;

/** Body of `POST /api/v1/second-factor/confirmation` and of `DELETE /api/v1/second-factor`. */
export const factorCode = z.object({ code: z.string().check(z.maxLength(40)) });
/** Answer of the confirmation: recovery codes, shown once. */
export const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof recoveryCodes>;
