import { DEFAULT_HANGING, type Hanging, hanging } from "@/model/schema/reading/hanging.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const KEY = "hanging";
const scopeOf = (userId: number) => `viewer:${userId}`;

/** How the caller's viewer opens; a new user, or one whose choice an earlier version wrote, gets the default. */
export async function getHanging({ db }: ServiceContext, { uid }: Caller): Promise<Hanging> {
  const stored = hanging.safeParse((await readSettings(db, scopeOf(uid)))[KEY]);
  return stored.success ? stored.data : DEFAULT_HANGING;
}

/** Keeps how the caller's viewer opens. */
export async function saveHanging(
  { db }: ServiceContext,
  chosen: Hanging,
  { uid }: Caller,
): Promise<Hanging> {
  await writeSettings(db, scopeOf(uid), { [KEY]: chosen });
  return chosen;
}
