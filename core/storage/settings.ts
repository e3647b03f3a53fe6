import type { Database } from "@/core/storage/database.ts";

/** Settings of a scope, parsed from JSON; what has not been set is absent. */
export async function readSettings(db: Database, scope: string): Promise<Record<string, unknown>> {
  const rows = await db.selectFrom("settings").select(["key", "value"]).where("scope", "=", scope).execute();
  return Object.fromEntries(rows.map((row) => [row.key, JSON.parse(row.value) as unknown]));
}
