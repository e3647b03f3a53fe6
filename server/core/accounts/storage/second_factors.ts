import type { Database } from "@/server/core/database/database.ts";

/** Second factor of a user: secret of one-time codes (TOTP). */
interface StoredFactor {
  secret: string;
  confirmedAt: string | null;
  lastStep: number;
}

export async function findFactor(db: Database, userId: number): Promise<StoredFactor | null> {
  const row = await db.selectFrom("second_factors").selectAll().where("user_id", "=", userId)
    .executeTakeFirst();
  return row
    ? { secret: row.secret, confirmedAt: row.confirmed_at, lastStep: row.last_step }
    : null;
}

/** Replaces the secret of a second factor that the user has not confirmed yet. */
export async function putFactor(db: Database, userId: number, secret: string): Promise<void> {
  await db.deleteFrom("second_factors").where("user_id", "=", userId).where(
    "confirmed_at",
    "is",
    null,
  )
    .execute();
  await db.insertInto("second_factors").values({ user_id: userId, secret, confirmed_at: null })
    .execute();
}

export async function confirmFactor(db: Database, userId: number, at: string): Promise<void> {
  await db.updateTable("second_factors").set({ confirmed_at: at }).where("user_id", "=", userId)
    .execute();
}

/**
 * Marks the time step of a one-time code as used, so that the code works only once.
 * @param latest Latest plausible step; a later stored step is from before the clock was set back.
 * @returns false if this or a later step was used before.
 */
export async function takeStep(
  db: Database,
  userId: number,
  step: number,
  latest: number,
): Promise<boolean> {
  const result = await db.updateTable("second_factors").set({ last_step: step }).where(
    "user_id",
    "=",
    userId,
  )
    .where((e) => e.or([e("last_step", "<", step), e("last_step", ">", latest)]))
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Deletes a second factor and the recovery codes. @returns whether the user had one. */
export const deleteFactor = (db: Database, userId: number): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
    const result = await tx.deleteFrom("second_factors").where("user_id", "=", userId)
      .executeTakeFirst();
    return Number(result.numDeletedRows) > 0;
  });

/** Hash of a recovery code. */
export interface StoredRecoveryCode {
  hash: string;
  /** salt of the hash; `null`: stored by an earlier version without salts */
  salt: string | null;
}

/** Replaces the recovery codes of a user. */
export async function putRecoveryCodes(
  db: Database,
  userId: number,
  codes: readonly StoredRecoveryCode[],
): Promise<void> {
  await db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await db.insertInto("recovery_codes").values(
    codes.map(({ hash, salt }) => ({ user_id: userId, hash, salt, used_ms: null })),
  )
    .execute();
}

/** Unused recovery codes of a user. */
export const listRecoveryCodes = (db: Database, userId: number): Promise<StoredRecoveryCode[]> =>
  db.selectFrom("recovery_codes").select(["hash", "salt"]).where("user_id", "=", userId)
    .where("used_ms", "is", null).execute();

/** Deletes a recovery code. @returns false if the user does not have it. */
export async function useRecoveryCode(
  db: Database,
  userId: number,
  hash: string,
  nowMs: number,
): Promise<boolean> {
  const result = await db.updateTable("recovery_codes").set({ used_ms: nowMs }).where(
    "user_id",
    "=",
    userId,
  )
    .where("hash", "=", hash).where("used_ms", "is", null).executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export async function countRecoveryCodes(db: Database, userId: number): Promise<number> {
  const row = await db.selectFrom("recovery_codes").select((e) => e.fn.countAll<number>().as("n"))
    .where("user_id", "=", userId).where("used_ms", "is", null).executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Users with a confirmed second factor, who need a code to sign in. */
export async function usersWithSecondFactor(db: Database): Promise<Set<number>> {
  const rows = await db.selectFrom("second_factors").select("user_id").where(
    "confirmed_at",
    "is not",
    null,
  )
    .execute();
  return new Set(rows.map((row) => row.user_id));
}
