import {
  isPlaceholder,
  type RecordedIdentity,
  type SharedId,
  sharedIdOf,
} from "@/model/patient/shared_id.ts";
import { mayBeOnePerson } from "@/model/patient/one_person.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  ordersOfPatient,
  personOf,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";

/** Reason why a patient ID does not identify one person; `null` if it does. */
export async function sharedIdAmong(db: Database, patientId: string): Promise<SharedId | null> {
  if (isPlaceholder(patientId)) return "placeholder";
  const orders = await ordersOfPatient(db, patientId);
  return sharedIdOf([...await listRecords(db, patientId), ...orders.map(personOf)]);
}

/**
 * Whether two records with the same patient ID belong to one person, as far as can be known. No two
 * records of an ID that several people share do: with many people, equal entries are chance.
 */
export const areOnePerson = (
  a: RecordedIdentity,
  b: RecordedIdentity,
  shared: SharedId | null,
): boolean => shared === null && mayBeOnePerson(a, b);
