import type { Database } from "@/server/core/database/database.ts";

/** A remote system (PACS, worklist, HL7 or FHIR server) as stored. */
export interface StoredPeer {
  id: number;
  name: string;
  kind: "dicom" | "dicomweb" | "hl7" | "fhir";
  /** settings, not validated: JSON as in model/schema/connections/connections.ts */
  config: unknown;
  secret: string | null;
  failures: number;
  notBeforeMs: number;
  lastError: string | null;
  lastOkAt: string | null;
  /** whether the system has a key with which it may read from this site */
  hasKey: boolean;
}

export async function listPeers(db: Database): Promise<StoredPeer[]> {
  const rows = await db.selectFrom("peers").selectAll().orderBy("name").execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    kind: row.kind,
    config: JSON.parse(row.config) as unknown,
    secret: row.secret,
    failures: row.failures,
    notBeforeMs: Number(row.not_before_ms),
    lastError: row.last_error,
    lastOkAt: row.last_ok_at,
    hasKey: row.key_hash !== null,
  }));
}

/**
 * Adds or changes a remote system. @param secret `undefined` keeps the stored secret.
 * @returns id of the remote system; `null` for a deleted system.
 */
export async function writePeer(
  db: Database,
  id: number | null,
  { name, kind, config, secret }: {
    name: string;
    kind: StoredPeer["kind"];
    config: unknown;
    secret: string | null | undefined;
  },
  now: string,
): Promise<number | null> {
  const values = {
    name,
    kind,
    config: JSON.stringify(config),
    ...(secret === undefined ? {} : { secret }),
  };
  if (id === null) {
    const row = await db.insertInto("peers").values({
      secret: null,
      key_hash: null,
      ...values,
      last_error: null,
      last_ok_at: null,
      created_at: now,
    })
      .returning("id").executeTakeFirstOrThrow();
    return row.id;
  }
  // the change of settings may have fixed the cause of earlier failures
  const row = await db.updateTable("peers").set({ ...values, failures: 0, not_before_ms: 0 })
    .where("id", "=", id).returning("id").executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Replaces the key with which a remote system reads results from this site.
 * @returns false for an unknown system.
 */
export async function setPeerKey(db: Database, id: number, keyHash: string): Promise<boolean> {
  const result = await db.updateTable("peers").set({ key_hash: keyHash }).where("id", "=", id)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Remote system of the key with this SHA-256; `null` for an unknown key. */
export async function findPeerByKey(db: Database, keyHash: string): Promise<number | null> {
  const row = await db.selectFrom("peers").select("id").where("key_hash", "=", keyHash)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Deletes a remote system. @returns false when the system does not exist. */
export async function deletePeer(db: Database, id: number): Promise<boolean> {
  const result = await db.deleteFrom("peers").where("id", "=", id).executeTakeFirst();
  return Number(result.numDeletedRows) === 1;
}

/** Records a successful call of a remote system. */
export async function notePeerOk(db: Database, id: number, now: string): Promise<void> {
  await db.updateTable("peers").set({
    failures: 0,
    not_before_ms: 0,
    last_error: null,
    last_ok_at: now,
  })
    .where("id", "=", id).execute();
}

/** Records a failed call of a remote system, which is not called before `notBeforeMs`. */
export async function notePeerFailure(
  db: Database,
  id: number,
  error: string,
  notBeforeMs: number | null,
): Promise<void> {
  await db.updateTable("peers").set((e) => ({
    last_error: error,
    ...(notBeforeMs === null
      ? {}
      : { failures: e("failures", "+", 1), not_before_ms: notBeforeMs }),
  })).where("id", "=", id).execute();
}
