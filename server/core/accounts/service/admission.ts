import { AppError } from "@/model/errors.ts";
import type { Role } from "@/model/accounts/roles.ts";
import { withoutHidden } from "@/model/schema/typed_text.ts";
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

/** A person as the hospital's identity provider or directory describes them. */
export interface Person {
  source: Exclude<UserSource, "local">;
  /** permanent identifier of the person at the provider or directory */
  subject: string;
  /** e-mail address; `null` if there is none, or if the provider says that it is not confirmed */
  email: string | null;
  /** false: the provider does not say whether the e-mail address is confirmed */
  isEmailConfirmed: boolean;
  name: string | null;
  /** role at this site by the person's groups; `null`: the groups give no role */
  role: Role | null;
  /** reference with which the person is checked again: name in the directory, or refresh token */
  reference: string | null;
}

/** Stored as password hash of accounts that sign in at the hospital; no password matches it. */
const NO_PASSWORD = "none";

/**
 * Account with the person's e-mail address that an administrator linked to this way of signing in.
 * `null` if there is none.
 * @throws {AppError} `auth.account_exists`; `auth.no_email` for an unconfirmed address:
 * any user of the provider might have entered it.
 */
async function awaited(
  db: Database,
  { source, email, isEmailConfirmed }: Person,
): Promise<StoredUser | null> {
  const user = await findUserByEmail(db, email!);
  if (user === null) return null;
  if (user.source !== source || user.subject !== null) {
    throw new AppError("auth.account_exists", "Cannot sign in: the address is another account's");
  }
  if (isEmailConfirmed) return user;
  throw new AppError("auth.no_email", "Cannot sign in: the provider does not confirm the address");
}

/**
 * Account of a person, created at the first sign-in; role and name are those of the hospital.
 * A person with missing attributes is refused, and no account is created.
 * @throws {AppError} `auth.no_role`, `auth.no_email`; `auth.account_exists` if the address
 * belongs to an account with another way of signing in, which an administrator can link.
 */
export async function admitPerson(
  { db, log }: ServiceContext,
  person: Person,
): Promise<StoredUser> {
  const { source, subject, email, role } = person;
  const name = withoutHidden(person.name ?? "").slice(0, 100) || null;
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
