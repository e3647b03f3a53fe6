import * as z from "zod/mini";
import { ROLES } from "@/model/accounts/roles.ts";

export const user = z.object({
  /** same number as `uid` in socket events */
  user_id: z.number(),
  permission_list: z.array(z.string()),
  /** a core that knows the documents alone gives none */
  role: z.optional(z.enum(ROLES)),
  email: z.optional(z.string()),
  name: z.optional(z.string()),
  /** the site has made the password: only its change is answered */
  must_change_password: z.optional(z.boolean()),
  /** one-time codes must be set up: only that is answered */
  must_enrol: z.optional(z.boolean()),
  /** the hospital's sign-in, where the account has no password of the site */
  source: z.optional(z.enum(["oidc", "ldap"])),
});
export type User = z.infer<typeof user>;
