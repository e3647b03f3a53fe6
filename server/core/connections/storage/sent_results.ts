/** Objects with results of a study that have been sent to remote systems. */
import type { Database } from "@/server/core/database/database.ts";
import {
  changedAtOf,
  type OutboxKey,
  type SentInstance,
} from "@/server/core/connections/storage/outbox.ts";

/** Objects of a kind of result that any of these systems last received for another run (state). */
export async function sentEarlier(
  db: Database,
  pid: number,
  run: string,
  kind: string,
  peerIds: readonly number[],
): Promise<SentInstance[]> {
  if (peerIds.length === 0) return [];
  const row = await db.selectFrom("outbox").select("instances").where("pid", "=", pid)
    .where("kind", "=", kind).where("peer_id", "in", [...peerIds])
    .where("run", "!=", run).where("instances", "!=", "[]").orderBy("id", "desc").limit(1)
    .executeTakeFirst();
  const instances = row ? JSON.parse(row.instances) as SentInstance[] : [];
  // a new object cannot refer to a rejected object as its predecessor
  return instances.filter(({ isNote }) => !isNote);
}

/** Objects of a kind of result that a system received and that were not rejected since. */
export async function sentUnrejected(
  db: Database,
  { peerId, pid, kind }: Omit<OutboxKey, "run">,
): Promise<SentInstance[]> {
  const rows = await db.selectFrom("outbox").select("instances").where("pid", "=", pid)
    .where("peer_id", "=", peerId).where("kind", "=", kind).where("instances", "!=", "[]")
    .orderBy("sent_at").orderBy("id").execute();
  let sent = new Map<string, SentInstance>();
  for (const { instances } of rows) {
    for (const instance of JSON.parse(instances) as SentInstance[]) {
      if (instance.isNote) sent = new Map();
      else sent.set(instance.sopInstanceUid, instance);
    }
  }
  return [...sent.values()];
}

/**
 * Time of the last signed results that a system received in another run (state), ISO 8601; empty
 * if an earlier version of this program sent unsigned results as final; `null` if it received none.
 */
export async function lastFinal(
  db: Database,
  { peerId, pid, run, kind }: OutboxKey,
): Promise<string | null> {
  const row = await db.selectFrom("outbox").select("run").where("peer_id", "=", peerId)
    .where("pid", "=", pid).where("kind", "=", kind).where("run", "!=", run)
    .where("is_final", "=", 1).orderBy("id", "desc").limit(1).executeTakeFirst();
  return row ? changedAtOf(row.run) ?? "" : null;
}
