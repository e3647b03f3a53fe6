import type { Database } from "@/server/core/database/database.ts";

export async function insertFlow(db: Database, hash: string, data: string, expiresMs: number): Promise<void> {
  await db.insertInto("oidc_flows").values({ hash, data, expires_ms: expiresMs }).execute();
}

/** Takes a sign-in that has begun, once. @returns `null`: there is none such, or its time is over. */
export async function takeFlow(db: Database, hash: string, nowMs: number): Promise<string | null> {
  const row = await db.deleteFrom("oidc_flows").where("hash", "=", hash).where("expires_ms", ">", nowMs)
    .returning("data").executeTakeFirst();
  return row?.data ?? null;
}

/** @returns how many sign-ins are under way, after those whose time is over were deleted. */
export async function pruneFlows(db: Database, nowMs: number): Promise<number> {
  await db.deleteFrom("oidc_flows").where("expires_ms", "<=", nowMs).execute();
  const row = await db.selectFrom("oidc_flows").select((e) => e.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}
