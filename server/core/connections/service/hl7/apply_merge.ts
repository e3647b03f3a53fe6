/** Applies HL7 merges of patients (A40, A47). */
import type { GivenIdentity } from "@/model/hl7/adt.ts";
import type { Database } from "@/server/core/database/database.ts";
import { deleteLongitudinal } from "@/server/core/analyses/storage/longitudinal.ts";
import {
  lastEventMs,
  MERGE_UNDONE,
  MERGED_ID,
  OLDER_MERGE,
  OTHER_PERSON,
  type StoredMessage,
} from "@/server/core/connections/storage/hl7_messages.ts";
import {
  activeMerge,
  insertMerge,
  mergesFrom,
  supersedeMerges,
  undoneMerge,
  writeMoved,
  writeMovedOrders,
} from "@/server/core/connections/storage/patient_merges.ts";
import {
  type Applied,
  EDITED,
  ended,
  type Outcome,
  refusalOf,
  studiesOf,
  writeIdentity,
} from "@/server/core/connections/service/hl7/message_outcome.ts";
import { newestIdentity } from "@/server/core/connections/service/hl7/newest_identity.ts";
import {
  areSeveral,
  areSurelyOf,
  completedBy,
  joinedIdentity,
  type PatientRecords,
  recordsOf,
} from "@/server/core/connections/service/hl7/meant_records.ts";
import { moveOrders, writeOrders } from "@/server/core/connections/service/hl7/patient_orders.ts";
import { validId } from "@/server/core/connections/service/hl7/valid_id.ts";
import { identityOf } from "@/server/core/studies/service/headers/hospital_identity.ts";

/**
 * Whether later messages contradict a merge: the former ID stayed in use or was merged elsewhere.
 */
async function isOverruled(
  tx: Database,
  { eventMs, isForced, priorId }: StoredMessage,
): Promise<boolean> {
  if (isForced) return false;
  const other = await activeMerge(tx, priorId);
  return (other !== null && other.eventMs > eventMs) || await lastEventMs(tx, priorId) > eventMs;
}

/**
 * Whether a user has undone the last merge of the two IDs. Every later message that merges them,
 * with whatever time, then waits for a confirmation: the hospital may send the old one again.
 */
const isUndone = async (
  tx: Database,
  { isForced, priorId, patientId }: StoredMessage,
): Promise<boolean> => !isForced && await undoneMerge(tx, [priorId, patientId]) !== null;

/**
 * Resolves the surviving patient ID of a merge. If the message merges into a former ID, the merges
 * of this ID are followed to the end regardless of message times, as for new images. A former ID
 * becomes valid again only through a newer merge in the opposite direction, or if an administrator
 * applies the message again.
 * @returns the patient ID, or a reason code if the merge cannot be applied.
 */
async function targetOf(
  tx: Database,
  { eventMs, isForced, priorId, patientId }: StoredMessage,
  { birthDate }: GivenIdentity,
): Promise<{ target: string } | { reason: typeof OLDER_MERGE | typeof MERGED_ID }> {
  const later = await mergesFrom(tx, patientId), earlier = await mergesFrom(tx, priorId);
  const isFormer = earlier.length > 0 && !isForced;
  if (later.some((merge) => merge.patientId === priorId)) {
    if (later[0]!.eventMs > eventMs) return { reason: OLDER_MERGE };
    return isFormer ? { reason: MERGED_ID } : { target: patientId };
  }
  // the former ID has already been merged into a different patient
  const isOther = earlier.at(-1)?.patientId !== (later.at(-1)?.patientId ?? patientId);
  if (isFormer && isOther) return { reason: MERGED_ID };
  const target = await validId(tx, patientId, birthDate);
  if (target === null) return isForced ? { target: patientId } : { reason: MERGED_ID };
  return { target };
}

const NOTHING_GIVEN: GivenIdentity = { name: null, birthDate: null, sex: null };

/** Records with both IDs of a merge, and the identity that the merge writes. */
interface Merged {
  /** studies and orders with the former ID, and with the surviving ID */
  moved: PatientRecords;
  there: PatientRecords;
  /** whether the records with the surviving ID keep their identity */
  isThereKept: boolean;
  /** whether an administrator has confirmed, against the records, that both IDs are one person's */
  isConfirmed: boolean;
  /** identity to write; `null` if only the ID changes and no newer message gave an identity */
  given: { patient: GivenIdentity; eventMs: number } | null;
}

/**
 * Reads the records that a merge changes. Refuses the merge if a record with one of the two IDs
 * may belong to a different person: a hospital may have reassigned an ID.
 */
async function mergedRecords(
  tx: Database,
  { priorId, patientId, eventMs, isPersonConfirmed }: StoredMessage,
  { target, patient }: { target: string; patient: GivenIdentity },
): Promise<Merged | Outcome> {
  const refused = await refusalOf(tx, priorId) ?? await refusalOf(tx, target);
  if (refused !== null) return refused;
  const studies = await studiesOf(tx, priorId), others = await studiesOf(tx, target);
  if (studies === null || others === null) return EDITED;
  const moved = await recordsOf(tx, priorId, studies), there = await recordsOf(tx, target, others);
  // several people share one of the two patient IDs: the message does not identify the person
  if (areSeveral(moved) || areSeveral(there)) return ended("failed", "several_people");
  const isIdOnly = target !== patientId || eventMs < await lastEventMs(tx, patientId);
  // name, birth date and sex in a message that is outdated or has a former ID may be obsolete
  const given = isIdOnly ? await newestIdentity(tx, target) : { patient, eventMs };
  const isSure = areSurelyOf(moved, completedBy(patient, there)) &&
    (given === null || areSurelyOf(moved, given.patient)) &&
    (isIdOnly || areSurelyOf(there, patient));
  if (isSure) return { moved, there, isThereKept: isIdOnly, isConfirmed: false, given };
  if (!isPersonConfirmed) return ended("failed", OTHER_PERSON);
  // otherwise one ID would have two birth dates, as if two people shared it
  const newest = given ?? { patient: NOTHING_GIVEN, eventMs };
  const joined = { ...newest, patient: joinedIdentity(newest.patient, [there, moved]) };
  return { moved, there, isThereKept: false, isConfirmed: true, given: joined };
}

/** Records with their present identity, for the undo. @param patientId Their patient ID. */
const recordedBefore = ({ studies, orders }: PatientRecords, patientId: string) => ({
  studies: studies.map((study) => ({ pid: study.row.pid, before: identityOf(study) })),
  orders: orders.map(({ id, patientName, birthDate, sex }) => ({
    id,
    before: { patientId, patientName, birthDate, sex },
  })),
});

/** Applies a merge: moves studies and orders of the former patient ID to the surviving ID. */
export async function applyMerge(
  tx: Database,
  message: StoredMessage,
  applied: Applied,
): Promise<Outcome> {
  const { priorId, patientId, eventMs, system, controlId } = message;
  if (priorId === patientId) return ended("ignored", "same_id");
  if (await isUndone(tx, message)) return ended("failed", MERGE_UNDONE);
  if (await isOverruled(tx, message)) return ended("failed", OLDER_MERGE);
  const leads = await targetOf(tx, message, applied.adt.patient);
  if ("reason" in leads) return ended("failed", leads.reason);
  const { target } = leads;
  const merged = await mergedRecords(tx, message, { target, patient: applied.adt.patient });
  if ("state" in merged) return merged;
  const { moved, there, isThereKept, isConfirmed, given } = merged;
  const written = isThereKept ? moved : {
    studies: [...moved.studies, ...there.studies],
    orders: [...moved.orders, ...there.orders],
  };
  const before = recordedBefore(moved, priorId);
  const beforeThere = isConfirmed ? recordedBefore(there, target) : { studies: [], orders: [] };
  // if the same merge was sent again, the new entry takes over the studies, for the undo
  const repeated = await activeMerge(tx, priorId);
  const former = repeated?.patientId === patientId ? repeated : null;
  await supersedeMerges(tx, priorId);
  if (target === patientId) await supersedeMerges(tx, patientId);
  const outcome = await writeIdentity(
    tx,
    written.studies,
    { ...applied, patientId: target },
    given?.patient ?? NOTHING_GIVEN,
  );
  // the longitudinal comparison of the former ID is deleted; that of the new ID is recomputed
  await deleteLongitudinal(tx, priorId);
  await moveOrders(tx, before.orders, { priorId, patientId: target });
  if (given !== null) await writeOrders(tx, written.orders, given);
  // the later merges of `patientId` record these studies, too, so that each merge can be undone
  for (const later of target === patientId ? [] : await mergesFrom(tx, patientId)) {
    const as = { patientId: later.priorId };
    const studies = before.studies.map((one) => ({ ...one, before: { ...one.before, ...as } }));
    await writeMoved(tx, later.id, [...later.moved, ...studies]);
    const orders = before.orders.map((one) => ({ ...one, before: { ...one.before, ...as } }));
    await writeMovedOrders(tx, later.id, [...later.movedOrders, ...orders]);
  }
  outcome.merge = await insertMerge(tx, {
    priorId,
    patientId,
    eventMs,
    mergedAt: applied.at,
    system,
    controlId,
    // of several entries of a study, the last one counts: the one with its former ID
    moved: [...beforeThere.studies, ...former?.moved ?? [], ...before.studies],
    movedOrders: [...beforeThere.orders, ...former?.movedOrders ?? [], ...before.orders],
  });
  outcome.areOrdersChanged = true;
  return outcome;
}
