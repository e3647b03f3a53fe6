import * as z from "zod/mini";

export const MAINTENANCE = "maintenance";

export const user = z.object({
  /** same number as `uid` in socket events */
  user_id: z.number(),
  permission_list: z.array(z.string()),
  email: z.optional(z.string()),
  name: z.optional(z.string()),
  /** the site has made the password: only its change is answered */
  must_change_password: z.optional(z.boolean()),
});
export type User = z.infer<typeof user>;

export const isMaintenance = (u: User): boolean => u.permission_list.includes(MAINTENANCE);
