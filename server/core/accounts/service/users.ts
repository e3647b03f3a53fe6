import { AppError } from "@/model/errors.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { AccountList } from "@/model/schema/accounts/users.ts";
import { withoutHidden } from "@/model/schema/typed_text.ts";
import type { Database } from "@/server/core/database/database.ts";
import { revokeSessionsOf } from "@/server/core/accounts/storage/sessions.ts";
import { usersWithSecondFactor } from "@/server/core/accounts/storage/second_factors.ts";
import {
  deleteFailuresOf,
  deleteKnownPlaces,
} from "@/server/core/accounts/storage/sign_in_failures.ts";
import {
  countUsers,
  findUser,
  findUserByEmail,
  insertUser,
  listUsers,
  type StoredUser,
  updateUser,
} from "@/server/core/accounts/storage/users.ts";
import {
  checkNewPassword,
  generatePassword,
  hashPassword,
} from "@/server/core/accounts/service/password.ts";
import { nowIso } from "@/server/core/site/service/context.ts";

const DEFAULT_ADMIN_EMAIL = "admin@localhost";

/** An account as the command line lists it. */
interface UserSummary {
  id: number;
  email: string;
  name: string | null;
  state: StoredUser["state"] | "removed";
  role: Role;
  source: StoredUser["source"];
}

const summaryOf = (user: StoredUser): UserSummary => ({
  id: user.id,
  email: user.email,
  name: user.name,
  state: user.removedAt === null ? user.state : "removed",
  role: user.role,
  source: user.source,
});

function checkEmail(email: string): string {
  const trimmed = email.trim();
  if (trimmed.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(trimmed)) {
    throw new AppError("input.invalid", "Cannot add the user: not an e-mail address", {
      field: "email",
    });
  }
  return trimmed;
}

/** Password of a new account: the given one, or a random one. */
function chosen(wished: string | undefined): string {
  if (wished === undefined) return generatePassword();
  checkNewPassword(wished);
  return wished;
}

/**
 * Creates an account.
 * @returns the generated password, if any; it can be shown only now.
 * @throws {AppError} `password.policy`, `password.common`;
 * `input.invalid` if the e-mail address has an account.
 */
export async function addUser(
  db: Database,
  user: {
    email: string;
    name?: string;
    password?: string;
    role?: Role;
    state?: StoredUser["state"];
  },
): Promise<{ id: number; password: string | null }> {
  const email = checkEmail(user.email);
  const password = chosen(user.password);
  const id = await insertUser(db, {
    email,
    name: user.name === undefined ? null : withoutHidden(user.name),
    passwordHash: await hashPassword(password),
    mustChangePassword: user.password === undefined,
    state: user.state ?? "active",
    role: user.role ?? "physician",
    createdAt: nowIso(),
  });
  if (id === null) {
    throw new AppError("input.invalid", "Cannot add the user: the e-mail address is taken", {
      field: "email",
    });
  }
  return { id, password: user.password === undefined ? password : null };
}

/**
 * Creates an administrator account, if the site has no accounts.
 * @returns e-mail address and generated password, if any; `null` if there are accounts.
 */
export async function createAdministrator(
  db: Database,
  wished: { email?: string; password?: string },
): Promise<{ email: string; password: string | null } | null> {
  if (await countUsers(db) > 0) return null;
  const email = wished.email ?? DEFAULT_ADMIN_EMAIL;
  const { password } = await addUser(db, {
    email,
    name: "Administrator",
    password: wished.password,
    role: "administrator",
  });
  return { email, password };
}

export const allUsers = async (db: Database): Promise<UserSummary[]> =>
  (await listUsers(db)).map(summaryOf);

/** Removes an account. @throws {AppError} `entity.not_found`. */
export async function mustFindUser(db: Database, email: string): Promise<StoredUser> {
  const user = await findUserByEmail(db, email.trim());
  if (!user) throw new AppError("entity.not_found", "Cannot find the user: no such e-mail address");
  return user;
}

/**
 * Sets a new password and ends the user's sessions. @returns the generated password, if any.
 * @throws {AppError} `entity.not_found`, `password.policy`, `password.common`.
 */
export async function resetPassword(
  db: Database,
  email: string,
  password?: string,
): Promise<string | null> {
  const user = await mustFindUser(db, email);
  const newPassword = chosen(password);
  const passwordHash = await hashPassword(newPassword);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { passwordHash, mustChangePassword: password === undefined });
    await deleteKnownPlaces(tx, user.id);
    await revokeSessionsOf(tx, user.id, Date.now());
    await deleteFailuresOf(tx, user.id);
  });
  return password === undefined ? newPassword : null;
}

/**
 * Sets a random password as {@link resetPassword} does, for an administrator.
 * @throws {AppError} `entity.not_found`.
 */
export async function resetPasswordOf(db: Database, id: number): Promise<string> {
  const user = await findUser(db, id);
  if (user === null || user.removedAt !== null || user.source !== "local") {
    throw new AppError("entity.not_found", "Cannot reset the password: no such account with one");
  }
  return (await resetPassword(db, user.email))!;
}

/** All accounts except removed ones, for the page of administrators. */
export async function listAccounts(db: Database): Promise<AccountList> {
  const users = (await listUsers(db)).filter(({ removedAt }) => removedAt === null);
  const protectedIds = await usersWithSecondFactor(db);
  return {
    users: users.map(({ id, email, name, role, state, source }) => ({
      user_id: id,
      email,
      name,
      role,
      state,
      source,
      has_second_factor: protectedIds.has(id),
    })),
  };
}

/**
 * Changes the state of an account; a removed account is restored.
 * If the account becomes inactive, its sessions are ended.
 */
export async function setUserState(
  db: Database,
  email: string,
  state: StoredUser["state"],
): Promise<void> {
  const user = await mustFindUser(db, email);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { state, removedAt: null });
    if (state !== "active") await revokeSessionsOf(tx, user.id, Date.now());
    else await deleteFailuresOf(tx, user.id);
  });
}

/** Fields of an account that administrators may change. */
interface UserChange {
  name?: string;
  role?: Role;
  state?: "active" | "suspended" | "waiting";
}

/**
 * Changes fields of an account. A new role applies from the user's next request.
 * If the account becomes inactive, its sessions are ended.
 * @throws {AppError} `entity.not_found`;
 * `user.last_administrator` if no administrator would remain.
 */
export async function changeUser(db: Database, id: number, change: UserChange): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const users = await listUsers(tx),
      user = users.find((each) => each.id === id && each.removedAt === null);
    if (user === undefined) {
      throw new AppError("entity.not_found", "Cannot change the user: no such number");
    }
    const isAdministrator = (each: { role: Role; state: string }) =>
      each.role === "administrator" && each.state === "active";
    const hasOtherAdministrator = users.some((each) =>
      each.id !== id && each.removedAt === null && isAdministrator(each)
    );
    if (
      isAdministrator(user) && !hasOtherAdministrator && !isAdministrator({ ...user, ...change })
    ) {
      throw new AppError(
        "user.last_administrator",
        "Cannot change the user: the only administrator",
      );
    }
    if (Object.values(change).every((value) => value === undefined)) return;
    await updateUser(tx, id, change);
    if (change.state === undefined || change.state === user.state) return;
    if (change.state === "active") await deleteFailuresOf(tx, id);
    else await revokeSessionsOf(tx, id, Date.now());
  });
}

/**
 * Links an account to another way of signing in, and ends its sessions.
 * The next sign-in there with the same e-mail address completes the link.
 */
export async function linkUser(
  db: Database,
  email: string,
  source: StoredUser["source"],
): Promise<void> {
  const user = await mustFindUser(db, email);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { source, subject: null });
    await revokeSessionsOf(tx, user.id, Date.now());
  });
}

/** Removes an account permanently; only its id is kept, because earlier actions refer to it. */
export async function removeUser(db: Database, email: string): Promise<void> {
  const user = await mustFindUser(db, email);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { state: "suspended", removedAt: nowIso() });
    await revokeSessionsOf(tx, user.id, Date.now());
  });
}

/** Sign-in name of a user; `null` for an unknown id. */
export const emailOf = async (db: Database, id: number): Promise<string | null> =>
  (await findUser(db, id))?.email ?? null;
