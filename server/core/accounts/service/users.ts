import { AppError } from "@/model/errors.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { AccountList } from "@/model/schema/accounts/users.ts";
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

/** An account as listed on the command line. */
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

/** Password of a new account: the requested one, or a random one. */
function chosen(wished: string | undefined): string {
  if (wished === undefined) return generatePassword();
  checkNewPassword(wished);
  return wished;
}

/**
 * Adds a user.
 * @returns the generated password, if any; show the password only once.
 * @throws {AppError} `password.policy`, `password.common`; `input.invalid` for a used address.
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
    name: user.name ?? null,
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
 * Creates the administrator on a site without users.
 * @returns the e-mail address and the generated password, if any; `null` when users exist.
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

/** Removes a user. @throws {AppError} `entity.not_found`. */
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
 * {@link resetPassword} by an administrator, to a random password.
 * @throws {AppError} `entity.not_found`.
 */
export async function resetPasswordOf(db: Database, id: number): Promise<string> {
  const user = await findUser(db, id);
  if (user === null || user.removedAt !== null || user.source !== "local") {
    throw new AppError("entity.not_found", "Cannot reset the password: no such account with one");
  }
  return (await resetPassword(db, user.email))!;
}

/** All accounts except removed ones, for administrators. */
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
 * Changes the state of an account, or restores a removed one.
 * Sessions of an inactive account are ended.
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

/** Fields of an account that an administrator may change. */
interface UserChange {
  name?: string;
  role?: Role;
  state?: "active" | "suspended" | "waiting";
}

/**
 * Changes an account. A new role applies from the next call.
 * Sessions of an account that becomes inactive are ended.
 * @throws {AppError} `entity.not_found`, `user.last_administrator` for the only administrator.
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
 * Links an account to another way of signing in, and ends the sessions of the account.
 * The next sign-in with the account's e-mail address completes the link.
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

/** Removes an account permanently; only the id is kept, because earlier actions refer to the id. */
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
