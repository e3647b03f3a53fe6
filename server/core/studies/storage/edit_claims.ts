import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Duration of an edit lock that is not renewed: the editing page may have been closed. */
export const CLAIM_MS = 120_000;

interface EditClaim {
  userId: number;
  userName: string;
}

/**
 * The user who is editing a record.
 * A lock that ends implausibly late was stored before the clock was set back.
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
 * Locks a record for a user, replacing any other lock; a user edits one record at a time.
 * @returns the user's other records, which are released.
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

/** Releases an edit lock. @returns whether the user held the lock. */
export async function deleteClaim(db: Database, pid: number, userId: number): Promise<boolean> {
  const result = await db.deleteFrom("edit_claims").where("pid", "=", pid).where(
    "user_id",
    "=",
    userId,
  )
    .executeTakeFirst();
  return Number(result.numDeletedRows) === 1;
}
