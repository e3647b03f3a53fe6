import { isRole, type Role } from "@/model/accounts/roles.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  addUser,
  allUsers,
  changeUser,
  linkUser,
  mustFindUser,
  removeUser,
  resetPassword,
  setUserState,
} from "@/server/core/accounts/service/users.ts";
import { resetFactorOf } from "@/server/core/accounts/service/second_factor.ts";
import { currentDelays, unlockAccount } from "@/server/core/accounts/service/sign_in_delay.ts";
import type { Arguments } from "@/server/commands/arguments.ts";
import { print } from "@/server/commands/output.ts";
import { secretOf } from "@/server/commands/admin/secret_file.ts";
import { ADMIN } from "@/model/site/command_line.ts";

export const USER_USAGE =
  `${ADMIN} user add EMAIL [--name NAME] [--password-file FILE] [--role ROLE] [--waiting | --device]
${ADMIN} user list
${ADMIN} user reset-password EMAIL [--password-file FILE]
${ADMIN} user approve | activate | suspend | device | remove EMAIL
${ADMIN} user role EMAIL ROLE
${ADMIN} user link EMAIL local | oidc | ldap
${ADMIN} user reset-code EMAIL
${ADMIN} user delays
${ADMIN} user unlock EMAIL
ROLE is reader, physician, administrator or auditor.`;

const STATES = {
  approve: ["active", "Approved"],
  activate: ["active", "Activated"],
  suspend: ["suspended", "Suspended"],
  device: ["device", "Changed to a device account:"],
} as const;

/** Role named by an option; `undefined` for an unknown role or an absent option. */
function roleOption(options: Arguments["options"]): Role | undefined {
  const role = options.get("role");
  return isRole(role) ? role : undefined;
}

/** @returns exit code; 2 for wrong usage. */
export async function user(
  db: Database,
  { words: [, verb, email, wanted], options }: Arguments,
): Promise<number> {
  if (verb === "list") {
    for (const user of await allUsers(db)) {
      print([user.id, user.email, user.name ?? "", user.state, user.role, user.source].join("\t"));
    }
    return 0;
  }
  if (verb === "delays") {
    for (const { email, address, failures, until } of (await currentDelays(db)).delays) {
      print([email ?? "-", address ?? "-", failures, until].join("\t"));
    }
    return 0;
  }
  if (!verb || !email) return 2;
  if (verb === "unlock") {
    await unlockAccount(db, email);
    print(`${email} can now sign in again; all blocked addresses have been unblocked`);
    return 0;
  }
  const role = roleOption(options);
  if (options.has("role") && role === undefined) return 2;
  if (verb === "role") {
    if (!isRole(wanted)) return 2;
    await changeUser(db, (await mustFindUser(db, email)).id, { role: wanted });
    print(`${email} is now ${wanted}`);
    return 0;
  }
  if (verb === "reset-code") {
    await resetFactorOf(db, email);
    print(`${email} now signs in without a one-time code`);
    return 0;
  }
  if (verb === "link") {
    if (wanted !== "local" && wanted !== "oidc" && wanted !== "ldap") return 2;
    await linkUser(db, email, wanted);
    print(`${email} now uses the sign-in method "${wanted}"`);
    return 0;
  }
  const file = options.get("password-file"),
    password = file === undefined ? undefined : await secretOf(file);
  if (verb === "add") {
    const added = await addUser(db, {
      email,
      name: options.get("name"),
      password,
      role: roleOption(options) ?? (options.has("maintenance") ? "administrator" : undefined),
      state: options.has("waiting") ? "waiting" : options.has("device") ? "device" : "active",
    });
    print(`Added user ${added.id}: ${email}`);
    if (added.password !== null) print(`One-time password (shown only once): ${added.password}`);
    return 0;
  }
  if (verb === "reset-password") {
    const generated = await resetPassword(db, email, password);
    print(`Changed the password of ${email}; all open sessions have been ended`);
    if (generated !== null) print(`One-time password (shown only once): ${generated}`);
    return 0;
  }
  if (verb === "remove") {
    await removeUser(db, email);
    print(`Removed ${email}; to restore the account, use "activate"`);
    return 0;
  }
  if (!Object.hasOwn(STATES, verb)) return 2;
  const [state, done] = STATES[verb as keyof typeof STATES];
  await setUserState(db, email, state);
  print(`${done} ${email}`);
  return 0;
}
