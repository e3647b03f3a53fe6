/** Applies HL7 messages of the hospital's patient administration, each in one transaction. */
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { type Identifier, mayBeOfOneAuthority, patientIdOf } from "@/model/hl7/adt.ts";
import { type HospitalMessage, readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import { headerOf, Hl7Error, readMessage } from "@/model/hl7/message.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  findMessage,
  FUTURE_TIME,
  hasEarlier,
  MERGED_ID,
  type StoredMessage,
  writeState,
} from "@/server/core/connections/storage/hl7_messages.ts";
import { activeMerge, mergesFrom } from "@/server/core/connections/storage/patient_merges.ts";
import { applyMerge } from "@/server/core/connections/service/hl7/apply_merge.ts";
import { applyOrders } from "@/server/core/connections/service/hl7/apply_order.ts";
import {
  type Applied,
  EDITED,
  ended,
  type Outcome,
  refusalOf,
  studiesOf,
  writeIdentity,
} from "@/server/core/connections/service/hl7/message_outcome.ts";
import { withValidConfirmation } from "@/server/core/connections/service/hl7/concerned_records.ts";
import { renewMessages } from "@/server/core/connections/service/hl7/renewed_orders.ts";
import { recordsMeant, recordsOf } from "@/server/core/connections/service/hl7/meant_records.ts";
import { isOutdated } from "@/server/core/connections/service/hl7/newest_identity.ts";
import { writeOrders } from "@/server/core/connections/service/hl7/patient_orders.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { siteTimeZone } from "@/server/core/site/service/license.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { listPidsOf } from "@/server/core/studies/storage/hospital_identity.ts";
import { matchStudies } from "@/server/core/studies/service/orders/match_orders.ts";
import { ordersOfPatient } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { sharedAccessions } from "@/server/core/studies/storage/hospital/ordered_studies.ts";

/** Delay until the next attempt to apply an HL7 message while a user is editing the record, ms. */
const PAUSE_MS = 5000;
/** Maximum delay between two attempts to apply an HL7 message. */
export const LONGEST_PAUSE_MS = PAUSE_MS;

/**
 * Reason code of an applied message that asked to delete the name, birth date or sex of a patient:
 * the recorded value was kept.
 */
const VALUES_KEPT = "values_kept";

const DAY_MS = 86_400_000;

/**
 * Whether the time in a message is an error of the sender's clock: more than a day after the
 * arrival, as the sender's time zone may differ from the site's.
 */
const isFuture = (statedMs: number | null, arrivedMs: number): boolean =>
  statedMs !== null && statedMs > arrivedMs + DAY_MS;

/**
 * Time that determines which of a patient's messages is newer, ms since the epoch. In place of a
 * time in the far future, after which all later messages would count as outdated, it is the time of
 * arrival; such a message is applied only after an administrator has confirmed this.
 */
export const eventTime = (statedMs: number | null, arrivedMs: number): number =>
  statedMs === null || isFuture(statedMs, arrivedMs) ? arrivedMs : statedMs;

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
  const hl7 = readMessage(message, encoding);
  const adt = readHospitalMessage(hl7, headerOf(hl7), siteTimeZone());
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

/** Whether any study or order has this patient ID. */
const isUsed = async (tx: Database, patientId: string): Promise<boolean> =>
  (await listPidsOf(tx, patientId)).length > 0 || (await ordersOfPatient(tx, patientId)).length > 0;

async function applyUpdate(
  tx: Database,
  { eventMs, isForced, isPersonConfirmed }: StoredMessage,
  applied: Applied,
): Promise<Outcome> {
  const { patientId, adt: { patient } } = applied;
  if (!isForced && await isOutdated(tx, { patientId, patient, eventMs })) {
    return ended("ignored", "older");
  }
  const refused = await refusalOf(tx, patientId);
  if (refused !== null && await isUsed(tx, patientId)) return refused;
  const studies = await studiesOf(tx, patientId);
  if (studies === null) return EDITED;
  const records = await recordsOf(tx, patientId, studies);
  if (studies.length > 0 || records.orders.length > 0) {
    const meant = recordsMeant(records, patient, isPersonConfirmed);
    if (typeof meant === "string") return ended("failed", meant);
    await writeOrders(tx, meant.orders, { patient, eventMs });
    const outcome = await writeIdentity(tx, meant.studies, applied, patient);
    return { ...outcome, areOrdersChanged: meant.orders.length > 0 };
  }
  const merge = await activeMerge(tx, patientId);
  if (merge === null) return ended("ignored", "no_study");
  return eventMs <= merge.eventMs ? ended("ignored", "older") : ended("failed", MERGED_ID);
}

/** Applies a waiting HL7 message and stores the result. @returns `null` if it was not applied. */
async function applyStored(
  tx: Database,
  id: number,
  isAgain = false,
): Promise<{ message: StoredMessage; outcome: Outcome } | null> {
  const stored = await findMessage(tx, id);
  if (stored?.state !== "waiting") return null;
  const message = await withValidConfirmation(tx, stored);
  const at = nowIso(), outcome = await outcomeOf(tx, message, { at, isAgain });
  if (outcome === null) return null;
  const isEnd = outcome.state !== "waiting";
  await writeState(tx, id, {
    state: outcome.state,
    reason: outcome.reason,
    notBeforeMs: isEnd ? 0 : Date.now() + PAUSE_MS,
    endedAt: isEnd ? at : null,
    identity: outcome.identity,
  });
  return { message, outcome };
}

/**
 * Applies an HL7 message unless an earlier message about the same patient is waiting. If an order
 * message shows which order earlier messages concern, these are re-applied in the same transaction.
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
  if (!message.isTimeConfirmed && isFuture(adt.eventMs, Date.parse(message.receivedAt))) {
    return ended("failed", FUTURE_TIME);
  }
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
  if (outcome.state === "applied") {
    await matchAgain(tx, outcome, patientId);
    // identity is not deleted unseen: a person can remove a wrong value by hand
    if (adt.asksToDelete) outcome.reason ??= VALUES_KEPT;
  }
  return { ...outcome, identity: adt.patient };
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
