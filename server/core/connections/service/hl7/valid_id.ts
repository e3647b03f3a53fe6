import { isPlaceholder } from "@/model/patient/shared_id.ts";
import { lastBirthDate } from "@/server/core/connections/service/hl7/newest_identity.ts";
import { mergesFrom } from "@/server/core/connections/storage/patient_merges.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";

/**
 * Surviving patient ID for the ID in a message or in images, after all merges. `null` if
 * several people share the ID, or if the birth date differs from that of records with the valid ID
 * or of the hospital's system: a hospital may assign an ID again to a second person.
 */
export async function validId(
  tx: Database,
  patientId: string,
  birthDate: string | null,
): Promise<string | null> {
  const last = (await mergesFrom(tx, patientId)).at(-1)?.patientId;
  if (last === undefined) return patientId;
  if (isPlaceholder(patientId) || await sharedIdAmong(tx, last) !== null) return null;
  if (birthDate === null) return last;
  const records = await listRecords(tx, last), given = await lastBirthDate(tx, last);
  const all = [given, ...records.map((record) => record.patient_birthdate)];
  return all.some((date) => date && date !== birthDate) ? null : last;
}
