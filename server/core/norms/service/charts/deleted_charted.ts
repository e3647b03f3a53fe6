// Deleted studies that control charts contain, by a keyed hash of the study UID.
import { createHmac, randomBytes } from "node:crypto";
import type { Database } from "@/server/core/database/database.ts";
import {
  chartsKey,
  chartsOfStudy,
  listDeletedCharted,
  putDeletedCharted,
  studyUidsOf,
} from "@/server/core/norms/storage/charted_results.ts";

/** Secret key of the site, created at first use and then constant. */
const siteKey = async (db: Database): Promise<Uint8Array> =>
  Buffer.from(await chartsKey(db, randomBytes(32).toString("hex")), "hex");

const keyOf = (key: Uint8Array, studyUid: string): string =>
  createHmac("sha256", key).update(`charted:${studyUid}`).digest("hex");

/**
 * Records that charts contain a study which is deleted; call it in the transaction that deletes
 * the study, before the deletion. Nothing is recorded of a study that no chart contains.
 */
export async function keepCharted(tx: Database, pid: number): Promise<void> {
  const charts = await chartsOfStudy(tx, pid);
  const studyUid = charts.length > 0 ? (await studyUidsOf(tx, [pid])).get(pid) : undefined;
  if (studyUid === undefined) return;
  const studyKey = keyOf(await siteKey(tx), studyUid);
  for (const { groupId, isCompleted } of charts) {
    await putDeletedCharted(tx, { groupId, studyKey, isCompleted });
  }
}

/**
 * Studies that charts contain because they were there before a deletion, of the given studies; the
 * value is true for a completed result.
 */
export async function chartedBeforeDeletion(
  tx: Database,
  groupId: number,
  pids: readonly number[],
): Promise<Map<number, boolean>> {
  const known = await listDeletedCharted(tx, groupId), charted = new Map<number, boolean>();
  if (known.size === 0) return charted;
  const key = await siteKey(tx);
  for (const [pid, studyUid] of await studyUidsOf(tx, pids)) {
    const isCompleted = known.get(keyOf(key, studyUid));
    if (isCompleted !== undefined) charted.set(pid, isCompleted);
  }
  return charted;
}
