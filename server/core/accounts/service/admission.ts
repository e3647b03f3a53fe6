import { AppError } from "@/model/errors.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { UserSource } from "@/server/core/database/tables.ts";
import {
  findUser,
  findUserByEmail,
  findUserBySubject,
  insertUser,
  type StoredUser,
  updateUser,
} from "@/server/core/accounts/storage/users.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/** A person as described by the hospital's sign-in. */
export interface Person {
  source: Exclude<UserSource, "local">;
  /** identifier that never changes */
  subject: string;
  /** confirmed; `null`: there is none */
  email: string | null;
  name: string | null;
  /** by the person's groups; `null`: they give none */
  role: Role | null;
  /** reference for later checks: the name in the directory, or the provider's refresh token */
  reference: string | null;
}

/** No password fits: it is the hospital's. */
const NO_PASSWORD = "none";

/**
 * An account that was made for this address, or handed over to this sign-in, and has not been used
 * since.
 */
async function awaited(db: Database, { source, email }: Person): Promise<StoredUser | null> {
  const user = await findUserByEmail(db, email!);
  if (user === null || (user.source === source && user.subject === null)) return user;
  throw new AppError("auth.account_exists", "Cannot sign in: the address is another account's");
}

/**
 * The account of a person, made at the first sign-in; role and name follow the hospital. Missing
 * attributes refuse the person, and nothing is made.
 * @throws {AppError} `auth.no_role`, `auth.no_email`; `auth.account_exists` when the address
 *   belongs to an account with another sign-in, which an administrator may hand over.
 */
export async function admitPerson(
  { db, log }: ServiceContext,
  person: Person,
): Promise<StoredUser> {
  const { source, subject, email, role } = person, name = person.name?.slice(0, 100) || null;
  if (role === null) {
    throw new AppError("auth.no_role", "Cannot sign in: no group of the person gives a role");
  }
  if (email === null || !/^[^\s@]{1,190}@[^\s@]{1,60}$/.test(email)) {
    throw new AppError("auth.no_email", "Cannot sign in: the person has no confirmed address");
  }
  return await db.transaction().execute(async (tx) => {
    const existingUser = await findUserBySubject(tx, source, subject) ?? await awaited(tx, person);
    if (existingUser !== null) {
      await updateUser(tx, existingUser.id, { role, subject, ...(name === null ? {} : { name }) });
      return (await findUser(tx, existingUser.id))!;
    }
    const id = await insertUser(tx, {
      email,
      name,
      passwordHash: NO_PASSWORD,
      state: "active",
      role,
      source,
      subject,
      createdAt: nowIso(),
    });
    if (id === null) {
      throw new AppError("auth.account_exists", "Cannot sign in: the address was taken meanwhile");
    }
    log("info", "Added a user of the hospital's sign-in", { uid: id, source, role });
    return (await findUser(tx, id))!;
  });
}
