import * as z from "zod/mini";

/** Answer of `GET /api/v1/sign-ins/delays`: sign-ins currently delayed, newest first. */
export const signInDelays = z.object({
  delays: z.array(z.object({
    id: z.string(),
    /**
     * scope of a delay: an account at one device or address, an account from everywhere,
     * or an address for all accounts
     */
    kind: z.enum(["place", "account", "address"]),
    /** email of the delayed account; `null`: unknown account, or all accounts */
    email: z.nullable(z.string()),
    address: z.nullable(z.string()),
    failures: z.number(),
    until: z.string(),
  })),
});
export type SignInDelays = z.infer<typeof signInDelays>;
