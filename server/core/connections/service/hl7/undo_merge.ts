import { AppError } from "@/model/errors.ts";
import { queueLongitudinalIn } from "@/server/core/analyses/service/queue_visits.ts";
import {
  activeMerge,
  findMerge,
  type PatientMerge,
  setUndone,
} from "@/server/core/connections/storage/patient_merges.ts";
import { newestIdentity } from "@/server/core/connections/service/hl7/newest_identity.ts";
import { moveOrdersBack } from "@/server/core/connections/service/hl7/patient_orders.ts";
import type { Database } from "@/server/core/database/database.ts";
import { noteAudit } from "@/server/core/site/service/audit/audit.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";
import { matchStudies } from "@/server/core/studies/service/orders/match_orders.ts";
import { changeIdentities } from "@/server/core/studies/service/headers/hospital_identity.ts";

/** Days after a merge of patient IDs during which the merge can be undone. */
export const UNDO_DAYS = 30;
const DAY_MS = 86_400_000;

/** Reason why a merge of patient IDs cannot be undone; `null` if an undo is possible. */
export async function undoRefusal(
  db: Database,
  { state, mergedAt, patientId, id }: PatientMerge,
): Promise<"undone" | "superseded" | "too_old" | "merged_later" | null> {
  if (state !== "active") return state;
  if (Date.parse(mergedAt) < Date.now() - UNDO_DAYS * DAY_MS) return "too_old";
  const later = await activeMerge(db, patientId);
  return later !== null && later.id !== id ? "merged_later" : null;
}

/**
 * The merge without those records of the surviving ID that the undo leaves unchanged, because a
 * newer message or a user has changed their identity since the merge.
 */
async function withoutKept(tx: Database, merge: PatientMerge): Promise<PatientMerge> {
  const newest = await newestIdentity(tx, merge.patientId);
  const isNewer = newest !== null && newest.appliedAt > merge.mergedAt;
  const isMoved = ({ before }: { before: { patientId: string } }) =>
    before.patientId !== merge.patientId;
  const edited = new Set(
    (await readPatients(tx, merge.moved.map(({ pid }) => pid)))
      .filter(({ row }) => (row.edited_at ?? "") > merge.mergedAt).map(({ row }) => row.pid),
  );
  return {
    ...merge,
    moved: merge.moved.filter((one) => isMoved(one) || !(isNewer || edited.has(one.pid))),
    movedOrders: merge.movedOrders.filter((one) => isMoved(one) || !isNewer),
  };
}

/** Moves studies back to the patient before a merge. @returns pids of the changed studies. */
async function moveBack(tx: Database, stored: PatientMerge, at: string) {
  const merge = await withoutKept(tx, stored);
  const before = new Map(merge.moved.map((one) => [one.pid, one.before]));
  // other studies of the merge were deleted, or moved to another patient in the meantime
  const patients = (await readPatients(tx, [...before.keys()]))
    .filter(({ row }) => row.patient_id === merge.patientId);
  const edited = patients.find(({ row }) => row.editing_uid !== null);
  if (edited) {
    throw new AppError("study.being_edited", `Cannot undo merge ${merge.id}: a study is edited`, {
      pid: edited.row.pid,
    });
  }
  const changes = patients.map((patient) => ({ patient, after: before.get(patient.row.pid)! }));
  const { changed, queued } = await changeIdentities(tx, changes, { cause: "undo", at });
  // the remaining studies were compared with the studies that are moved back
  await queueLongitudinalIn(tx, merge.patientId);
  const accessionNumbers = await moveOrdersBack(tx, merge);
  const matched = (await matchStudies(tx, changed, accessionNumbers)).changed;
  return { changed, queued, matched };
}

/**
 * Undoes a merge of patient IDs: the studies return to the previous patient.
 * @throws {AppError} `access.forbidden`, `entity.not_found`, `study.being_edited`,
 * `merge.not_undoable` with the reason.
 */
export async function undoMerge(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<{ details: Record<string, string | number>; studies: readonly number[] }> {
  const { db, publish, log } = services;
  await checkMaintenance(db, caller);
  const { changed, queued, matched, controlId } = await db.transaction().execute(async (tx) => {
    const merge = await findMerge(tx, id);
    if (!merge) throw new AppError("entity.not_found", "Cannot undo a merge: there is none");
    const reason = await undoRefusal(tx, merge);
    if (reason !== null) {
      throw new AppError("merge.not_undoable", `Cannot undo merge ${id}: ${reason}`, { reason });
    }
    const at = nowIso();
    await setUndone(tx, id, { at, userId: caller.uid });
    return { ...await moveBack(tx, merge, at), controlId: merge.controlId };
  });
  for (const pid of new Set([...changed, ...matched])) {
    publish({ event: "study_update", pid, uid: caller.uid });
  }
  publish({ event: "study_orders" });
  for (const pid of queued) publish({ event: "study_sent", pid });
  if (changed.length > 0) {
    const entry = { event: "patient.separate", userId: caller.uid, details: { merge: id } };
    await noteAudit(services, entry, changed);
  }
  log("info", "Undid a merge", { merge: id, studies: changed.length, uid: caller.uid });
  return { details: { merge: id, control_id: controlId }, studies: changed };
}
