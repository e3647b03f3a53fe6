/** The patient identity that the hospital's system last gave for a patient ID. */
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import type { GivenIdentity, HospitalPatient } from "@/model/hl7/adt.ts";
import { readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import { headerOf, Hl7Error, readMessage } from "@/model/hl7/message.ts";
import type { Database } from "@/server/core/database/database.ts";
import { lastMessages } from "@/server/core/connections/storage/hl7_messages.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";

/** Maximum number of messages of a patient in which missing values are looked for. */
const MAX_MESSAGES = 20;

/** Patient data of a patient ID, and the message that gave them last. */
export interface NewestIdentity {
  patient: GivenIdentity;
  /** recording time of the newest message, ms since the epoch */
  eventMs: number;
  /** time at which the newest message was applied */
  appliedAt: string;
}

type Encoding = Parameters<typeof readMessage>[1];

/** Patient of a stored message; `null` if the message can no longer be read. */
function patientIn(bytes: Uint8Array, encoding: Encoding): HospitalPatient | null {
  try {
    const hl7 = readMessage(bytes, encoding);
    return readHospitalMessage(hl7, headerOf(hl7)).patient;
  } catch (error) {
    if (error instanceof Hl7Error) return null;
    throw error;
  }
}

/**
 * The newest value of name, birth date and sex in the stored messages of patient administration
 * (A08, A31, A40, A47) about a patient ID. Orders do not count. Messages are kept for 30 days.
 * @returns `null` without such a message.
 */
export async function newestIdentity(
  db: Database,
  patientId: string,
): Promise<NewestIdentity | null> {
  const messages = await lastMessages(db, patientId, MAX_MESSAGES), [newest] = messages;
  if (newest === undefined) return null;
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  const patient: GivenIdentity = { name: null, birthDate: null, sex: null };
  for (const { message } of messages) {
    const older = patientIn(message, encoding);
    patient.name ??= older?.name ?? null;
    patient.birthDate ??= older?.birthDate ?? null;
    patient.sex ??= older?.sex ?? null;
    if (Object.values(patient).every((value) => value !== null)) break;
  }
  return { patient, eventMs: newest.eventMs, appliedAt: newest.endedAt };
}
