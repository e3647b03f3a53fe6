import type { Database } from "@/server/core/database/database.ts";

/** Maximum number of scopes of one statement. */
const SCOPES_PER_STATEMENT = 1000;

/** Settings of a scope, parsed from JSON; unset values are absent. */
export async function readSettings(db: Database, scope: string): Promise<Record<string, unknown>> {
  const rows = await db.selectFrom("settings").select(["key", "value"]).where("scope", "=", scope)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.key, JSON.parse(row.value) as unknown]));
}

/** Values of one setting in several scopes; scopes without a value are left out. */
export async function readSetting(
  db: Database,
  key: string,
  scopes: readonly string[],
): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  for (let from = 0; from < scopes.length; from += SCOPES_PER_STATEMENT) {
    const rows = await db.selectFrom("settings").select(["scope", "value"]).where("key", "=", key)
      .where("scope", "in", scopes.slice(from, from + SCOPES_PER_STATEMENT)).execute();
    for (const row of rows) values.set(row.scope, JSON.parse(row.value));
  }
  return values;
}

/** Stores a setting unless a value is stored already. */
export async function addSetting(
  db: Database,
  scope: string,
  key: string,
  value: unknown,
): Promise<void> {
  await db.insertInto("settings").values({ scope, key, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.columns(["scope", "key"]).doNothing()).execute();
}

/**
 * Scope for the settings of one study.
 * Study numbers are never reused, so no other study inherits these settings.
 */
export const studyScope = (pid: number): string => `study:${pid}`;

/** Deletes all settings of a scope (organisation, user or study). */
export async function deleteScope(db: Database, scope: string): Promise<void> {
  await db.deleteFrom("settings").where("scope", "=", scope).execute();
}

/** Deletes one setting of a scope, if a value is stored. */
export async function deleteSetting(db: Database, scope: string, key: string): Promise<void> {
  await db.deleteFrom("settings").where("scope", "=", scope).where("key", "=", key).execute();
}

/** Stores settings of a scope as JSON; other settings are not changed. */
export async function writeSettings(
  db: Database,
  scope: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({
    scope,
    key,
    value: JSON.stringify(value),
  }));
  if (rows.length === 0) return;
  await db.insertInto("settings").values(rows)
    .onConflict((conflict) =>
      conflict.columns(["scope", "key"]).doUpdateSet((e) => ({ value: e.ref("excluded.value") }))
    )
    .execute();
}
