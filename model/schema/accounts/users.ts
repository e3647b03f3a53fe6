import * as z from "zod/mini";
import { ROLES } from "@/model/accounts/roles.ts";
import { typedText } from "@/model/schema/typed_text.ts";

const role = z.enum(ROLES), name = z.string().check(typedText, z.maxLength(100));

/** An account in the list for administrators. */
const account = z.object({
  user_id: z.number(),
  email: z.string(),
  name: z.nullable(z.string()),
  role,
  state: z.enum(["active", "suspended", "waiting", "device"]),
  /** origin of the account: the site itself, or an external sign-in */
  source: z.enum(["local", "oidc", "ldap"]),
  has_second_factor: z.boolean(),
});
export type Account = z.infer<typeof account>;
/** Response of `GET /api/v1/users`. */
export const accountList = z.object({ users: z.array(account) });
export type AccountList = z.infer<typeof accountList>;

/** Body of `POST /api/v1/users`. */
export const newAccount = z.object({
  email: z.string().check(typedText, z.maxLength(254)),
  name: z.optional(name),
  role,
});
export type NewAccount = z.infer<typeof newAccount>;
/** Body of `PUT /api/v1/users/{id}`. */
export const accountChange = z.object({
  role: z.optional(role),
  state: z.optional(z.enum(["active", "suspended", "waiting"])),
});
export type AccountChange = z.infer<typeof accountChange>;
/**
 * Response with a generated password, which is shown once and must be changed at the next sign-in.
 */
export const firstPassword = z.object({ user_id: z.number(), password: z.string() });
export type FirstPassword = z.infer<typeof firstPassword>;
