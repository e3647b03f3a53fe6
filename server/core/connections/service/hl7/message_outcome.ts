/** Results of HL7 messages about patients, and access to the studies of these patients. */
import type { AdtMessage, GivenIdentity } from "@/model/hl7/adt.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { MessageState } from "@/server/core/database/tables.ts";
import {
  type Applied as AppliedOrders,
  SHARED_REASONS,
} from "@/server/core/connections/service/hl7/order_context.ts";
import { listPidsOf } from "@/server/core/studies/storage/hospital_identity.ts";
import { readPatients, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import {
  changeIdentities,
  withHospital,
} from "@/server/core/studies/service/headers/hospital_identity.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";

/** Result of applying an HL7 message; texts for the code `reason` are in model/text. */
export interface Outcome {
  state: MessageState;
  reason: string | null;
  /** `changed`: pids of changed studies; `queued`: pids of studies with results to send again */
  changed: number[];
  queued: number[];
  /** pids of studies that are now assigned to another order */
  matched?: number[];
  /** whether rows of ordered studies in the worklist may have changed */
  areOrdersChanged?: boolean;
  /** orders in this message; earlier messages with their order numbers must be re-applied */
  renewed?: AppliedOrders["renewed"];
  /** id of the patient merge that the message caused */
  merge?: number;
  /** patient data in a message of patient administration, for later messages and images */
  identity?: GivenIdentity;
}

/** Result of a message that changes nothing. */
export const ended = (state: MessageState, reason: string | null = null): Outcome => ({
  state,
  reason,
  changed: [],
  queued: [],
});

/** Studies with a patient ID; `null` while a user is editing the record of any of the studies. */
export async function studiesOf(tx: Database, patientId: string): Promise<StoredPatient[] | null> {
  const studies = await readPatients(tx, await listPidsOf(tx, patientId));
  return studies.some(({ row }) => row.editing_uid !== null) ? null : studies;
}

/** A patient administration message that is being applied. */
export interface Applied {
  adt: AdtMessage;
  patientId: string;
  at: string;
}

/**
 * Writes the patient's identity into studies.
 * @param given Patient data of the message, or newer data if the message is outdated.
 */
export async function writeIdentity(
  tx: Database,
  studies: readonly StoredPatient[],
  { adt: { kind }, patientId, at }: Applied,
  { name, birthDate, sex }: GivenIdentity,
): Promise<Outcome> {
  const given = { patientId, name: name === null ? null : displayName(name), birthDate, sex };
  const changes = studies.map((study) => ({ patient: study, after: withHospital(study, given) }));
  const cause = kind === "merge" ? "merge" : "update";
  return { ...ended("applied"), ...await changeIdentities(tx, changes, { cause, at }) };
}

/** Refusal of a message about a patient ID that several people share; `null` for other IDs. */
export async function refusalOf(tx: Database, patientId: string): Promise<Outcome | null> {
  const shared = await sharedIdAmong(tx, patientId);
  return shared === null ? null : ended("failed", SHARED_REASONS[shared]);
}

/** Result of a message about a patient while a user is editing the patient's record. */
export const EDITED: Outcome = ended("waiting", "study.being_edited");
