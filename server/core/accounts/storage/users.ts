import { type Selectable, sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { UserRow, UserSource, UserState } from "@/server/core/database/tables.ts";

export interface StoredUser {
  id: number;
  email: string;
  name: string | null;
  passwordHash: string;
  state: UserState;
  role: Role;
  source: UserSource;
  /** permanent identifier of the person at the hospital's provider or directory */
  subject: string | null;
  createdAt: string;
  removedAt: string | null;
  mustChangePassword: boolean;
}

const userOf = (row: Selectable<UserRow>): StoredUser => ({
  id: row.id,
  email: row.email,
  name: row.name,
  passwordHash: row.password_hash,
  state: row.state,
  role: row.role,
  source: row.source,
  subject: row.subject,
  createdAt: row.created_at,
  removedAt: row.removed_at,
  mustChangePassword: row.must_change_password === 1,
});

/** Inserts an account. @returns its id; `null` if the e-mail address has an account. */
export async function insertUser(
  db: Database,
  user:
    & Omit<StoredUser, "id" | "removedAt" | "mustChangePassword" | "source" | "subject">
    & Partial<Pick<StoredUser, "mustChangePassword" | "source" | "subject">>,
): Promise<number | null> {
  const row = await db.insertInto("users").values({
    email: user.email,
    name: user.name,
    password_hash: user.passwordHash,
    state: user.state,
    role: user.role,
    ...(user.source === undefined ? {} : { source: user.source }),
    ...(user.subject === undefined ? {} : { subject: user.subject }),
    created_at: user.createdAt,
    removed_at: null,
    must_change_password: user.mustChangePassword ? 1 : 0,
  }).onConflict((conflict) => conflict.doNothing()).returning("id").executeTakeFirst();
  return row?.id ?? null;
}

/** Account with an e-mail address, which is compared without regard to case (ASCII). */
export async function findUserByEmail(db: Database, email: string): Promise<StoredUser | null> {
  const lower = email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const row = await db.selectFrom("users").selectAll().where(sql`lower(email)`, "=", lower)
    .executeTakeFirst();
  return row ? userOf(row) : null;
}

const userById = (db: Database, id: number) =>
  db.selectFrom("users").selectAll().where("id", "=", id).execute();

export async function findUser(db: Database, id: number): Promise<StoredUser | null> {
  const [row] = await userById(db, id);
  return row ? userOf(row) : null;
}

/** Account of the person with this identifier at the hospital's provider or directory. */
export async function findUserBySubject(
  db: Database,
  source: UserSource,
  subject: string,
): Promise<StoredUser | null> {
  const row = await db.selectFrom("users").selectAll().where("source", "=", source)
    .where("subject", "=", subject).executeTakeFirst();
  return row ? userOf(row) : null;
}

export async function listUsers(db: Database): Promise<StoredUser[]> {
  return (await db.selectFrom("users").selectAll().orderBy("id").execute()).map(userOf);
}

export async function countUsers(db: Database): Promise<number> {
  const row = await db.selectFrom("users").select((e) => e.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Changes fields of an account. @returns whether the account exists. */
export async function updateUser(
  db: Database,
  id: number,
  change: {
    name?: string;
    passwordHash?: string;
    mustChangePassword?: boolean;
    state?: UserState;
    removedAt?: string | null;
    role?: Role;
    email?: string;
    source?: UserSource;
    subject?: string | null;
  },
): Promise<boolean> {
  const result = await db.updateTable("users").set({
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.passwordHash === undefined ? {} : { password_hash: change.passwordHash }),
    ...(change.mustChangePassword === undefined
      ? {}
      : { must_change_password: change.mustChangePassword ? 1 : 0 }),
    ...(change.state === undefined ? {} : { state: change.state }),
    ...(change.removedAt === undefined ? {} : { removed_at: change.removedAt }),
    ...(change.role === undefined ? {} : { role: change.role }),
    ...(change.email === undefined ? {} : { email: change.email }),
    ...(change.source === undefined ? {} : { source: change.source }),
    ...(change.subject === undefined ? {} : { subject: change.subject }),
  }).where("id", "=", id).executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}
