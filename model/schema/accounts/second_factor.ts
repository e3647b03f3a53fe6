import * as z from "zod/mini";

/** Answer of `GET /api/v1/second-factor`. */
export const factorState = z.object({
  is_on: z.boolean(),
  /** the site asks for it: it cannot be taken away */
  is_required: z.boolean(),
  recovery_codes_left: z.number(),
});
export type FactorState = z.infer<typeof factorState>;

/** Body of `POST /api/v1/second-factor`; users of the directory send an empty text. */
export const factorRequest = z.object({ password: z.string() });
/** Answer: the secret for an authenticator, as text and as a QR picture of rows of 0 and 1. */
export const newFactor = z.object({ secret: z.string(), uri: z.string(), qr: z.array(z.string()) });
export type NewFactor = z.infer<typeof newFactor>;

/** Body of `POST /api/v1/second-factor/confirmation` and of `DELETE /api/v1/second-factor`. */
export const factorCode = z.object({ code: z.string().check(z.maxLength(40)) });
/** Answer of the confirmation: codes for an emergency, shown once. */
export const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof recoveryCodes>;
