import * as z from "zod/mini";

/** Answer of `GET /api/v1/sign-ins/delays`: who must wait before the next try, the newest first. */
export const signInDelays = z.object({
  delays: z.array(z.object({
    id: z.string(),
    /**
     * an account at one device or address, an account from everywhere, or an address for every
     * account
     */
    kind: z.enum(["place", "account", "address"]),
    /** of the account; `null`: there is none, or every one */
    email: z.nullable(z.string()),
    address: z.nullable(z.string()),
    failures: z.number(),
    until: z.string(),
  })),
});
export type SignInDelays = z.infer<typeof signInDelays>;
