/** Applies HL7 messages of the hospital's patient administration, each in one transaction. */
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import {
  type AdtMessage,
  type HospitalPatient,
  type Identifier,
  mayBeOfOneAuthority,
  patientIdOf,
} from "@/model/hl7/adt.ts";
import { type HospitalMessage, readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import { headerOf, Hl7Error, readMessage } from "@/model/hl7/message.ts";
import { mayBeOnePerson, personsAmong } from "@/model/patient/one_person.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { MessageState } from "@/server/core/database/tables.ts";
import { deleteLongitudinal } from "@/server/core/analyses/storage/longitudinal.ts";
import {
  findMessage,
  hasEarlier,
  lastEventMs,
  type StoredMessage,
  writeState,
} from "@/server/core/connections/storage/hl7_messages.ts";
import {
  activeMerge,
  insertMerge,
  mergesFrom,
  supersedeMerges,
  writeMoved,
  writeMovedOrders,
} from "@/server/core/connections/storage/patient_merges.ts";
import { applyOrders } from "@/server/core/connections/service/hl7/apply_order.ts";
import {
  type Applied as AppliedOrders,
  SHARED_REASONS,
} from "@/server/core/connections/service/hl7/order_context.ts";
import { renewMessages } from "@/server/core/connections/service/hl7/renewed_orders.ts";
import { moveOrders, updateOrders } from "@/server/core/connections/service/hl7/patient_orders.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { listPidsOf } from "@/server/core/studies/storage/hospital_identity.ts";
import { readPatients, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import {
  changeIdentities,
  identityOf,
  withHospital,
} from "@/server/core/studies/service/headers/hospital_identity.ts";
import { matchStudies } from "@/server/core/studies/service/orders/match_orders.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
import { ordersOfPatient } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { sharedAccessions } from "@/server/core/studies/storage/hospital/ordered_studies.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";

/** Delay before an HL7 message that waits for a user's edit of the record is tried again. */
const PAUSE_MS = 5000;
/** Maximum delay between two attempts to apply an HL7 message. */
export const LONGEST_PAUSE_MS = PAUSE_MS;

/** Result of applying an HL7 message; texts for the code `reason` are in model/text. */
interface Outcome {
  state: MessageState;
  reason: string | null;
  /** `changed`: pids of changed studies; `queued`: pids of studies with results to send again */
  changed: number[];
  queued: number[];
  /** pids of studies that are now assigned to another order */
  matched?: number[];
  /** whether rows of ordered studies in the worklist may have changed */
  areOrdersChanged?: boolean;
  /** orders after which earlier messages about their order numbers are applied again */
  renewed?: AppliedOrders["renewed"];
  /** id of the patient merge that the message caused */
  merge?: number;
}

const ended = (state: MessageState, reason: string | null = null): Outcome => ({
  state,
  reason,
  changed: [],
  queued: [],
});

/** A stored HL7 message parsed with current settings, which may differ from those on arrival. */
export interface ReadMessage {
  adt: HospitalMessage;
  /** patient ID; empty if ambiguous, or assigned by another authority (HL7 PID-3) */
  patientId: string;
  priorId: string;
  /** reason why `patientId` is empty; `null` with a patient ID */
  reason: "id_uncertain" | "other_authority" | null;
}

/**
 * Parses a stored HL7 message with the current settings of the sending system.
 * @throws {Hl7Error} if the character set in the settings does not match the message text,
 * because the settings have changed since the message was received.
 */
export async function readStored(
  db: Database,
  { system, message }: Pick<StoredMessage, "system" | "message">,
): Promise<ReadMessage> {
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  const hl7 = readMessage(message, encoding), adt = readHospitalMessage(hl7, headerOf(hl7));
  const peer = (await knownPeers(db)).find(({ name }) => name === system);
  const authority = peer?.config.id_authority ?? "";
  if (adt.kind === "ignore") return { adt, patientId: "", priorId: "", reason: null };
  const idOf = (identifiers: readonly Identifier[]) => patientIdOf(identifiers, authority);
  const all = adt.kind === "merge"
    ? [adt.patient.identifiers, adt.prior]
    : [adt.patient.identifiers];
  const isForeign = authority !== "" &&
    all.some((ids) => !ids.some((one) => one.authority === authority));
  const patientId = idOf(adt.patient.identifiers);
  const priorId = adt.kind === "merge" ? idOf(adt.prior) : "";
  const isDoubtful = patientId === null || priorId === null || adt.kind === "merge" &&
      !mayBeOfOneAuthority([patientId, adt.patient.identifiers], [priorId, adt.prior]);
  if (isForeign || isDoubtful) {
    return {
      adt,
      patientId: "",
      priorId: "",
      reason: isForeign ? "other_authority" : "id_uncertain",
    };
  }
  return { adt, patientId, priorId, reason: null };
}

/** Studies with a patient ID; `null` while a user edits the patient record of one of them. */
async function studiesOf(tx: Database, patientId: string): Promise<StoredPatient[] | null> {
  const studies = await readPatients(tx, await listPidsOf(tx, patientId));
  return studies.some(({ row }) => row.editing_uid !== null) ? null : studies;
}

const contradict = (studies: readonly StoredPatient[]): boolean =>
  !personsAmong(studies.map(({ row }) => row)).isOne;

/**
 * Studies with a patient ID that an update message changes: all of them or, if several people share
 * the ID, those of the person in the message. `null`: the message does not identify the person.
 */
function studiesMeant(
  studies: StoredPatient[],
  { birthDate, sex }: HospitalPatient,
): StoredPatient[] | null {
  if (!contradict(studies)) return studies;
  const personOf = personsAmong(studies.map(({ row }) => row)).of;
  const given = { patient_birthdate: birthDate, patient_sex: sex };
  const meant = studies.filter(({ row }) =>
    mayBeOnePerson(row, given) && personOf(row) !== null &&
    (birthDate === null
      ? sex !== null && row.patient_sex === sex
      : row.patient_birthdate === birthDate)
  );
  return new Set(meant.map(({ row }) => personOf(row))).size === 1 ? meant : null;
}

interface Applied {
  adt: AdtMessage;
  patientId: string;
  at: string;
}

/** Writes the patient's identity from an HL7 message into studies. */
async function writeIdentity(
  tx: Database,
  studies: readonly StoredPatient[],
  { adt: { patient, kind }, patientId, at }: Applied,
  /** writes only the patient ID: name and birth date in an older message may be outdated */
  isIdOnly: boolean,
): Promise<Outcome> {
  const name = patient.name === null ? null : displayName(patient.name);
  const given = isIdOnly
    ? { patientId, name: null, birthDate: null, sex: null }
    : { patientId, name, birthDate: patient.birthDate, sex: patient.sex };
  const changes = studies.map((study) => ({ patient: study, after: withHospital(study, given) }));
  const cause = kind === "merge" ? "merge" : "update";
  return { ...ended("applied"), ...await changeIdentities(tx, changes, { cause, at }) };
}

/** Refusal of a message about a patient ID that several people share; `null` for other IDs. */
async function refusalOf(tx: Database, patientId: string): Promise<Outcome | null> {
  const shared = await sharedIdAmong(tx, patientId);
  return shared === null ? null : ended("failed", SHARED_REASONS[shared]);
}

/** Whether any study or order has this patient ID. */
const isUsed = async (tx: Database, patientId: string): Promise<boolean> =>
  (await listPidsOf(tx, patientId)).length > 0 || (await ordersOfPatient(tx, patientId)).length > 0;

const EDITED: Outcome = ended("waiting", "study.being_edited");

async function applyUpdate(
  tx: Database,
  { eventMs, isForced }: StoredMessage,
  applied: Applied,
): Promise<Outcome> {
  const { patientId } = applied;
  if (!isForced && eventMs < await lastEventMs(tx, patientId)) return ended("ignored", "older");
  const refused = await refusalOf(tx, patientId);
  if (refused !== null && await isUsed(tx, patientId)) return refused;
  const studies = await studiesOf(tx, patientId);
  if (studies === null) return EDITED;
  const { patient } = applied.adt;
  if (studies.length > 0) {
    const meant = studiesMeant(studies, patient);
    if (meant === null) return ended("failed", "several_people");
    // orders first: the studies' unchanged records show whether several people share the patient ID
    const count = await updateOrders(tx, { patientId, patient, eventMs });
    return { ...await writeIdentity(tx, meant, applied, false), areOrdersChanged: count > 0 };
  }
  if (await updateOrders(tx, { patientId, patient, eventMs }) > 0) {
    return { ...ended("applied"), areOrdersChanged: true };
  }
  const merge = await activeMerge(tx, patientId);
  if (merge === null) return ended("ignored", "no_study");
  return eventMs <= merge.eventMs ? ended("ignored", "older") : ended("failed", "merged_id");
}

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

/** Patient ID into which a merge leads today, since the target may have been merged later. */
async function targetOf(tx: Database, { eventMs, patientId }: StoredMessage): Promise<string> {
  const chain = await mergesFrom(tx, patientId);
  const isLater = chain.length > 0 && chain[0]!.eventMs > eventMs;
  return isLater ? chain.at(-1)!.patientId : patientId;
}

async function applyMerge(
  tx: Database,
  message: StoredMessage,
  applied: Applied,
): Promise<Outcome> {
  const { priorId, patientId, eventMs, system, controlId } = message;
  if (priorId === patientId) return ended("ignored", "same_id");
  if (await isOverruled(tx, message)) return ended("failed", "older_merge");
  const target = await targetOf(tx, message);
  if (target === priorId) return ended("failed", "older_merge");
  const refused = await refusalOf(tx, priorId) ?? await refusalOf(tx, target);
  if (refused !== null) return refused;
  const moved = await studiesOf(tx, priorId), there = await studiesOf(tx, target);
  if (moved === null || there === null) return EDITED;
  // several people share one of the two patient IDs: the message does not identify the person
  if (contradict(moved) || contradict(there)) return ended("failed", "several_people");
  await supersedeMerges(tx, priorId);
  if (target === patientId) await supersedeMerges(tx, patientId);
  const isIdOnly = target !== patientId || eventMs < await lastEventMs(tx, patientId);
  const outcome = await writeIdentity(
    tx,
    isIdOnly ? moved : [...moved, ...there],
    { ...applied, patientId: target },
    isIdOnly,
  );
  // the comparison over time of the former ID is deleted; that of the new ID is recomputed
  await deleteLongitudinal(tx, priorId);
  const movedStudies = moved.map((study) => ({ pid: study.row.pid, before: identityOf(study) }));
  const movedOrders = await moveOrders(tx, priorId, target);
  if (!isIdOnly) {
    await updateOrders(tx, { patientId: target, patient: applied.adt.patient, eventMs });
  }
  // a later merge also records these studies, so that each merge can be undone separately
  for (const later of target === patientId ? [] : await mergesFrom(tx, patientId)) {
    const before = movedStudies.map((one) => ({
      pid: one.pid,
      before: { ...one.before, patientId: later.priorId },
    }));
    await writeMoved(tx, later.id, [...later.moved, ...before]);
    const ordersBefore = movedOrders.map((one) => ({
      id: one.id,
      before: { ...one.before, patientId: later.priorId },
    }));
    await writeMovedOrders(tx, later.id, [...later.movedOrders, ...ordersBefore]);
  }
  outcome.merge = await insertMerge(tx, {
    priorId,
    patientId,
    eventMs,
    mergedAt: applied.at,
    system,
    controlId,
    moved: movedStudies,
    movedOrders,
  });
  outcome.areOrdersChanged = true;
  return outcome;
}

/** Applies a waiting HL7 message and stores the result. @returns `null` if it was not applied. */
async function applyStored(
  tx: Database,
  id: number,
  isAgain = false,
): Promise<{ message: StoredMessage; outcome: Outcome } | null> {
  const message = await findMessage(tx, id);
  if (message?.state !== "waiting") return null;
  const at = nowIso(), outcome = await outcomeOf(tx, message, { at, isAgain });
  if (outcome === null) return null;
  const isEnd = outcome.state !== "waiting";
  await writeState(tx, id, {
    state: outcome.state,
    reason: outcome.reason,
    notBeforeMs: isEnd ? 0 : Date.now() + PAUSE_MS,
    endedAt: isEnd ? at : null,
  });
  return { message, outcome };
}

/**
 * Applies an HL7 message unless an earlier message about the same patient is waiting. An order may
 * show which order earlier messages are about: these are applied again in the same transaction.
 * @returns `null` if the message was not applied.
 */
export async function applyMessage(tx: Database, id: number): Promise<Outcome | null> {
  const applied = await applyStored(tx, id);
  if (applied === null) return null;
  const { message, outcome } = applied;
  for (const other of await renewMessages(tx, message, outcome.renewed ?? [])) {
    const again = await applyStored(tx, other, true);
    outcome.matched = [...outcome.matched ?? [], ...again?.outcome.matched ?? []];
  }
  return outcome;
}

async function outcomeOf(
  tx: Database,
  message: StoredMessage,
  { at, isAgain }: { at: string; isAgain: boolean },
): Promise<Outcome | null> {
  let read: ReadMessage;
  try {
    read = await readStored(tx, message);
  } catch (error) {
    if (error instanceof Hl7Error) return ended("failed", "unreadable");
    throw error;
  }
  const { adt, reason } = read, { patientId, priorId, id } = message;
  if (adt.kind === "ignore") return ended("ignored", "no_change");
  if (reason === "other_authority") return ended("ignored", reason);
  if (reason !== null || patientId === "") return ended("failed", "id_uncertain");
  const ids = [patientId, priorId].filter((one) => one !== "");
  if (!isAgain && await hasEarlier(tx, id, ids)) return null;
  if (adt.kind === "order") {
    const { changed, ...end } = await applyOrders(tx, message, adt, at);
    return { ...end, changed: [], queued: [], matched: changed, areOrdersChanged: true };
  }
  const applied = { adt, patientId, at };
  const outcome = adt.kind === "merge"
    ? await applyMerge(tx, message, applied)
    : await applyUpdate(tx, message, applied);
  if (outcome.state === "applied") await matchAgain(tx, outcome, patientId);
  return outcome;
}

/** Assigns studies to orders again after a patient's data changed. */
async function matchAgain(tx: Database, outcome: Outcome, patientId: string): Promise<void> {
  const valid = (await mergesFrom(tx, patientId)).at(-1)?.patientId ?? patientId;
  const { changed, isOrderChanged } = await matchStudies(
    tx,
    outcome.changed,
    await sharedAccessions(tx, valid),
  );
  outcome.matched = changed;
  outcome.areOrdersChanged ||= isOrderChanged;
}
