import { AppError } from "@/model/errors.ts";
import { MAINTENANCE } from "@/model/schema/user.ts";
import type { Database } from "@/core/storage/database/database.ts";
import { revokeSessionsOf } from "@/core/storage/sessions.ts";
import { deleteFailuresOf, deleteKnownPlaces } from "@/core/storage/sign_in_failures.ts";
import {
  countUsers,
  findUserByEmail,
  insertUser,
  listUsers,
  type StoredUser,
  updateUser,
} from "@/core/storage/users.ts";
import { checkNewPassword, generatePassword, hashPassword } from "@/core/services/accounts/password.ts";
import { nowIso } from "@/core/services/context.ts";

const DEFAULT_ADMIN_EMAIL = "admin@localhost";

/** What the operator sees of an account. */
interface UserSummary {
  id: number;
  email: string;
  name: string | null;
  state: StoredUser["state"] | "removed";
  permissions: string[];
}

const summaryOf = (user: StoredUser): UserSummary => ({
  id: user.id,
  email: user.email,
  name: user.name,
  state: user.removedAt === null ? user.state : "removed",
  permissions: user.permissions,
});

function checkEmail(email: string): string {
  const trimmed = email.trim();
  if (trimmed.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(trimmed)) {
    throw new AppError("input.invalid", "Cannot add the user: not an e-mail address", { field: "email" });
  }
  return trimmed;
}

/** The password of an account: the one that was wished for, or a random one. */
function chosen(wished: string | undefined): string {
  if (wished === undefined) return generatePassword();
  checkNewPassword(wished);
  return wished;
}

/**
 * Adds a user.
 * @returns the password if one was generated: show it once.
 * @throws {AppError} `input.invalid` when the address is taken or no address, `password.policy`,
 *   `password.common`.
 */
export async function addUser(
  db: Database,
  user: {
    email: string;
    name?: string;
    password?: string;
    isMaintenance?: boolean;
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
    permissions: user.isMaintenance ? [MAINTENANCE] : [],
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
 * Creates the administrator when there is no user at all.
 * @returns the e-mail address and, if it was generated, the password; `null` when there are users.
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
    isMaintenance: true,
  });
  return { email, password };
}

export const allUsers = async (db: Database): Promise<UserSummary[]> => (await listUsers(db)).map(summaryOf);

async function mustFind(db: Database, email: string): Promise<StoredUser> {
  const user = await findUserByEmail(db, email.trim());
  if (!user) throw new AppError("entity.not_found", "Cannot find the user: no such e-mail address");
  return user;
}

/**
 * Sets a new password and ends the user's sessions. @returns the password if it was generated.
 * @throws {AppError} `entity.not_found`, `password.policy`, `password.common`.
 */
export async function resetPassword(db: Database, email: string, password?: string): Promise<string | null> {
  const user = await mustFind(db, email);
  const next = chosen(password);
  const passwordHash = await hashPassword(next);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { passwordHash, mustChangePassword: password === undefined });
    await deleteKnownPlaces(tx, user.id);
    await revokeSessionsOf(tx, user.id, Date.now());
    await deleteFailuresOf(tx, user.id);
  });
  return password === undefined ? next : null;
}

/** Changes what an account is; one that is not active has no sessions. Brings a removed account back. */
export async function setUserState(
  db: Database,
  email: string,
  state: StoredUser["state"],
): Promise<void> {
  const user = await mustFind(db, email);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { state, removedAt: null });
    if (state !== "active") await revokeSessionsOf(tx, user.id, Date.now());
    else await deleteFailuresOf(tx, user.id);
  });
}

/** Removes an account for good but for its number, which what it did still names. */
export async function removeUser(db: Database, email: string): Promise<void> {
  const user = await mustFind(db, email);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { state: "suspended", removedAt: nowIso() });
    await revokeSessionsOf(tx, user.id, Date.now());
  });
}
