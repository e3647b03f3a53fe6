/** The patient identity that the hospital's system last gave for a patient ID. */
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import type { GivenIdentity } from "@/model/hl7/adt.ts";
import { readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import { headerOf, Hl7Error, readMessage } from "@/model/hl7/message.ts";
import { isSurelyOf, mayBeOnePerson, personsAmong } from "@/model/patient/one_person.ts";
import { isPlaceholder, type RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  type IdentityMessage,
  lastMessages,
} from "@/server/core/connections/storage/hl7_messages.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";
import {
  ordersOfPatient,
  personOf,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/** Maximum number of messages of a patient in which a birth date is looked for. */
const MAX_MESSAGES = 20;
/** Maximum number of newer messages that are compared with an update. */
const MAX_NEWER = 1000;

/** Newest patient data of a patient ID, and the times of the newest message about this ID. */
export interface NewestIdentity {
  patient: GivenIdentity;
  /** recording time of the newest message, ms since the epoch */
  eventMs: number;
  /** time at which the newest message was applied */
  appliedAt: string;
}

/**
 * Patient of a stored message, as it was applied: with another character set in the settings, the
 * message may be read differently without an error.
 * @returns `null` if a message that an earlier version applied can no longer be read.
 */
async function patientIn(
  db: Database,
  { identity, message }: IdentityMessage,
): Promise<GivenIdentity | null> {
  if (identity !== null) return identity;
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  try {
    const hl7 = readMessage(message, encoding);
    return readHospitalMessage(hl7, headerOf(hl7)).patient;
  } catch (error) {
    if (error instanceof Hl7Error) return null;
    throw error;
  }
}

/**
 * Name, birth date and sex in the newest stored message of patient administration (A08, A31, A40,
 * A47) about a patient ID. Orders do not count. Older messages complete nothing: they may be about
 * another person. Messages are kept for 30 days.
 * @returns `null` without such a message, or if it can no longer be read.
 */
export async function newestIdentity(
  db: Database,
  patientId: string,
): Promise<NewestIdentity | null> {
  const [newest] = await lastMessages(db, patientId, 1);
  if (newest === undefined) return null;
  const patient = await patientIn(db, newest);
  return patient && { patient, eventMs: newest.eventMs, appliedAt: newest.endedAt };
}

/**
 * The newest identity of the patient ID of a study or order, if it is surely of the same person:
 * the birth dates are present and equal, the sexes do not contradict, and one person has the ID.
 * @param pid The study, which may be stored under this ID already.
 */
export async function newestOfPerson(
  tx: Database,
  self: RecordedIdentity,
  pid: number | null = null,
): Promise<NewestIdentity | null> {
  const id = self.patient_id, newest = isPlaceholder(id) ? null : await newestIdentity(tx, id);
  if (newest === null) return null;
  const { birthDate, sex } = newest.patient;
  const isSame = birthDate !== null && birthDate === self.patient_birthdate &&
    mayBeOnePerson(self, { patient_birthdate: birthDate, patient_sex: sex });
  if (!isSame) return null;
  const records = (await listRecords(tx, id)).filter((record) => record.pid !== pid);
  const orders = (await ordersOfPatient(tx, id)).map(personOf);
  return personsAmong([...records, ...orders, self]).isOne ? newest : null;
}

const recordedOf = ({ name, birthDate, sex }: GivenIdentity): RecordedIdentity => ({
  patient_id: "",
  patient_name: name === null ? "" : displayName(name),
  patient_birthdate: birthDate,
  patient_sex: sex,
});

/**
 * Whether a newer message about the person in an update has been applied. A newer message about
 * another person with the same patient ID does not count.
 */
export async function isOutdated(
  tx: Database,
  { patientId, patient, eventMs }: { patientId: string; patient: GivenIdentity; eventMs: number },
): Promise<boolean> {
  for (const newer of await lastMessages(tx, patientId, MAX_NEWER, eventMs)) {
    const other = await patientIn(tx, newer);
    if (other === null || isSurelyOf(recordedOf(other), recordedOf(patient))) return true;
  }
  return false;
}

/** The last birth date in the messages of patient administration about a patient ID. */
export async function lastBirthDate(db: Database, patientId: string): Promise<string | null> {
  for (const message of await lastMessages(db, patientId, MAX_MESSAGES)) {
    const patient = await patientIn(db, message);
    if (patient && patient.birthDate !== null) return patient.birthDate;
  }
  return null;
}
