import * as z from "zod/mini";
import { ROLES } from "@/model/accounts/roles.ts";

export const user = z.object({
  /** same number as `uid` in socket events */
  user_id: z.number(),
  permission_list: z.array(z.string()),
  /** absent from a server that implements only the documents D1 and D2 */
  role: z.optional(z.enum(ROLES)),
  email: z.optional(z.string()),
  name: z.optional(z.string()),
  /** whether the site generated the password: other calls are refused until it is changed */
  must_change_password: z.optional(z.boolean()),
  /** whether one-time codes must be set up: other calls are refused until then */
  must_enrol: z.optional(z.boolean()),
  /** external sign-in of an account without a password of the site */
  source: z.optional(z.enum(["oidc", "ldap"])),
});
export type User = z.infer<typeof user>;
