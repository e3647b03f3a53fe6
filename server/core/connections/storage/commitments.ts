import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { InstanceName } from "@/model/schema/connections/connections.ts";

/** A remote system's request for storage commitment. */
interface StoredCommitment {
  transactionUid: string;
  /** AE title of the requesting system */
  peer: string;
  instances: InstanceName[];
  attempts: number;
  createdMs: number;
}

/** Stores a storage commitment request; a request that was sent again is ignored. */
export async function insertCommitment(
  db: Database,
  { transactionUid, peer, instances }: Pick<
    StoredCommitment,
    "transactionUid" | "peer" | "instances"
  >,
  nowMs: number,
): Promise<void> {
  await db.insertInto("commitments").values({
    transaction_uid: transactionUid,
    peer,
    instances: JSON.stringify(instances),
    created_ms: nowMs,
  }).onConflict((conflict) => conflict.column("transaction_uid").doNothing()).execute();
}

/**
 * Storage commitment requests that may be answered now, oldest first.
 * @param longestMs Maximum pause; a request that waits longer is due: the clock was set back.
 */
export async function dueCommitments(
  db: Database,
  nowMs: number,
  longestMs: number,
): Promise<StoredCommitment[]> {
  const rows = await db.selectFrom("commitments").selectAll()
    .where((e) =>
      e.or([
        e("not_before_ms", "<=", nowMs),
        e("not_before_ms", ">", latestCredible(nowMs, longestMs)),
      ])
    )
    .orderBy("created_ms").limit(50).execute();
  return rows.map((row) => ({
    transactionUid: row.transaction_uid,
    peer: row.peer,
    instances: JSON.parse(row.instances) as InstanceName[],
    attempts: row.attempts,
    createdMs: Number(row.created_ms),
  }));
}

export async function delayCommitment(
  db: Database,
  transactionUid: string,
  notBeforeMs: number,
): Promise<void> {
  await db.updateTable("commitments").set((e) => ({
    attempts: e("attempts", "+", 1),
    not_before_ms: notBeforeMs,
  }))
    .where("transaction_uid", "=", transactionUid).execute();
}

export async function deleteCommitment(db: Database, transactionUid: string): Promise<void> {
  await db.deleteFrom("commitments").where("transaction_uid", "=", transactionUid).execute();
}

export async function countCommitments(db: Database): Promise<number> {
  const { n } = await db.selectFrom("commitments").select((e) => e.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}
