import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";

/** How long a claim lasts; one that is not renewed is over: its page was closed, or its machine is off. */
export const CLAIM_MS = 120_000;

interface EditClaim {
  userId: number;
  userName: string;
}

/** Who edits a record now. A longer claim than any is from before the clock was set back. */
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
 * Gives a record to a user, whoever had it; one user edits one record. @returns records the user
 * leaves by that.
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

/** @returns whether the user had it. */
export async function deleteClaim(db: Database, pid: number, userId: number): Promise<boolean> {
  const result = await db.deleteFrom("edit_claims").where("pid", "=", pid).where(
    "user_id",
    "=",
    userId,
  )
    .executeTakeFirst();
  return Number(result.numDeletedRows) === 1;
}
