import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Time in ms after which an edit lock expires: the page with the edit may have been closed. */
export const CLAIM_MS = 120_000;

interface EditClaim {
  userId: number;
  userName: string;
}

/**
 * Finds the user who is editing a study's record.
 * A lock with an implausibly late end dates from before the clock was set back, and is ignored.
 */
export async function findClaim(
  db: Database,
  pid: number,
  nowMs: number,
): Promise<EditClaim | null> {
  const row = await db.selectFrom("edit_claims as e").innerJoin("users as u", "u.id", "e.user_id")
    .select(["u.id", "u.name", "u.email"]).where("e.pid", "=", pid).where(
      "e.expires_ms",
      ">",
      nowMs,
    )
    .where("e.expires_ms", "<=", latestCredible(nowMs, CLAIM_MS))
    .executeTakeFirst();
  return row ? { userId: row.id, userName: row.name ?? row.email } : null;
}

/**
 * Locks a record for a user, replacing any earlier lock; a user edits one record at a time.
 * @returns numbers of the other studies that this user had locked.
 */
export async function setClaim(
  db: Database,
  pid: number,
  userId: number,
  expiresMs: number,
): Promise<number[]> {
  const releasedClaims = await db.deleteFrom("edit_claims").where("user_id", "=", userId).where(
    "pid",
    "!=",
    pid,
  )
    .returning("pid").execute();
  await db.insertInto("edit_claims").values({ pid, user_id: userId, expires_ms: expiresMs })
    .onConflict((conflict) =>
      conflict.column("pid").doUpdateSet({ user_id: userId, expires_ms: expiresMs })
    )
    .execute();
  return releasedClaims.map((row) => row.pid);
}

/** Releases a user's edit lock of a study. @returns whether the user held the lock. */
export async function deleteClaim(db: Database, pid: number, userId: number): Promise<boolean> {
  const result = await db.deleteFrom("edit_claims").where("pid", "=", pid).where(
    "user_id",
    "=",
    userId,
  )
    .executeTakeFirst();
  return Number(result.numDeletedRows) === 1;
}
