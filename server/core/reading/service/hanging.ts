import { DEFAULT_HANGING, type Hanging, hanging } from "@/model/schema/reading/hanging.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const KEY = "hanging";
const scopeOf = (userId: number) => `viewer:${userId}`;

/** The calling user's hanging protocol; the default if none or an outdated one is stored. */
export async function getHanging({ db }: ServiceContext, { uid }: Caller): Promise<Hanging> {
  const stored = hanging.safeParse((await readSettings(db, scopeOf(uid)))[KEY]);
  return stored.success ? stored.data : DEFAULT_HANGING;
}

/** Stores the calling user's hanging protocol. */
export async function saveHanging(
  { db }: ServiceContext,
  chosen: Hanging,
  { uid }: Caller,
): Promise<Hanging> {
  await writeSettings(db, scopeOf(uid), { [KEY]: chosen });
  return chosen;
}
