import type { Database } from "@/server/core/database/database.ts";
import type { FailureKind } from "@/server/core/database/tables.ts";

/** Counter of failed sign-ins of an account, address or place. `lastMs`: ms since 1970. */
export interface StoredFailures {
  id: string;
  kind: FailureKind;
  userId: number | null;
  address: string | null;
  failures: number;
  lastMs: number;
}

const COLUMNS = [
  "id",
  "kind",
  "user_id as userId",
  "address",
  "failures",
  "last_ms as lastMs",
] as const;

export async function findFailures(db: Database, id: string): Promise<StoredFailures | null> {
  return await db.selectFrom("sign_in_failures").select(COLUMNS).where("id", "=", id)
    .executeTakeFirst() ??
    null;
}

/** Counters with a failure since an instant, newest first. */
export const listFailures = (db: Database, sinceMs: number): Promise<StoredFailures[]> =>
  db.selectFrom("sign_in_failures").select(COLUMNS).where("last_ms", ">", sinceMs)
    .orderBy("last_ms", "desc").limit(500).execute();

export async function putFailures(db: Database, row: StoredFailures): Promise<void> {
  const { id, kind, userId, address, failures, lastMs } = row;
  await db.insertInto("sign_in_failures")
    .values({ id, kind, user_id: userId, address, failures, last_ms: lastMs })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ failures, last_ms: lastMs }))
    .execute();
}

/** Deletes a counter of failed sign-ins. @returns whether it existed. */
export async function deleteFailures(db: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("sign_in_failures").where("id", "=", id)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}

export async function deleteFailuresOf(db: Database, userId: number): Promise<void> {
  await db.deleteFrom("sign_in_failures").where("user_id", "=", userId).execute();
}

export async function deleteOldFailures(db: Database, beforeMs: number): Promise<void> {
  await db.deleteFrom("sign_in_failures").where("last_ms", "<", beforeMs).execute();
}

/** Selects the given devices and addresses at which the account signed in since an instant. */
export async function knownPlacesOf(
  db: Database,
  userId: number,
  places: readonly string[],
  sinceMs: number,
): Promise<Set<string>> {
  if (places.length === 0) return new Set();
  const rows = await db.selectFrom("known_places").select("place").where("user_id", "=", userId)
    .where("place", "in", [...places]).where("used_ms", ">", sinceMs).execute();
  return new Set(rows.map(({ place }) => place));
}

/** Adds a trusted device or address of a user, or updates its time; keeps the newest `most`. */
export async function putKnownPlace(
  db: Database,
  userId: number,
  place: string,
  nowMs: number,
  most: number,
): Promise<void> {
  await db.insertInto("known_places").values({ user_id: userId, place, used_ms: nowMs })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "place"]).doUpdateSet({ used_ms: nowMs })
    )
    .execute();
  const old = await db.selectFrom("known_places").select("place").where("user_id", "=", userId)
    .orderBy("used_ms", "desc").orderBy("place").limit(1000).offset(most).execute();
  if (old.length === 0) return;
  await db.deleteFrom("known_places").where("user_id", "=", userId)
    .where("place", "in", old.map(({ place }) => place)).execute();
}

export async function deleteKnownPlaces(db: Database, userId: number): Promise<void> {
  await db.deleteFrom("known_places").where("user_id", "=", userId).execute();
}
