/** Gives new studies the patient ID and identity that are valid in the hospital's system. */
import { mayBeOnePerson, personsAmong } from "@/model/patient/one_person.ts";
import type { RecordIdentity } from "@/model/patient/record_identity.ts";
import { isPlaceholder } from "@/model/patient/shared_id.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import { mergesFrom, writeMoved } from "@/server/core/connections/storage/patient_merges.ts";
import { newestIdentity } from "@/server/core/connections/service/hl7/newest_identity.ts";
import { validId } from "@/server/core/connections/service/hl7/valid_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";
import { findPatient, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import {
  changeIdentities,
  identityOf,
  withHospital,
} from "@/server/core/studies/service/headers/hospital_identity.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  ordersOfPatient,
  personOf,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/**
 * Identity of a study after the hospital's last messages about its patient ID. Unchanged if the study
 * may be of another person with this ID, or if a user edited it later.
 */
async function withNewest(
  tx: Database,
  patient: StoredPatient,
  before: RecordIdentity,
): Promise<RecordIdentity> {
  const { patientId } = before, newest = await newestIdentity(tx, patientId);
  const isEdited = newest !== null && (patient.row.edited_at ?? "") > newest.appliedAt;
  if (newest === null || isEdited || isPlaceholder(patientId)) return before;
  const { name, birthDate, sex } = newest.patient, { pid } = patient.row;
  const self = personOf(before), orders = await ordersOfPatient(tx, patientId);
  const others = (await listRecords(tx, patientId)).filter((record) => record.pid !== pid);
  const isOne = personsAmong([...others, ...orders.map(personOf), self]).isOne &&
    mayBeOnePerson(self, { patient_birthdate: birthDate, patient_sex: sex });
  if (!isOne) return before;
  const given = { patientId, name: name === null ? null : displayName(name), birthDate, sex };
  return withHospital(patient, given, before);
}

/**
 * Files a new study under the currently valid patient ID, with the identity that the hospital's
 * system gave last. The study keeps a former ID, with an entry in the connection log, if the
 * patient's other studies have a different date of birth or if several people share the ID: a
 * hospital may assign an ID to a second person.
 * Call this function in the transaction that stores the study.
 */
export async function followMerges(tx: Database, pid: number): Promise<void> {
  const patient = await findPatient(tx, pid);
  if (!patient || patient.row.patient_id === "") return;
  const before = identityOf(patient), at = nowIso();
  const chain = await mergesFrom(tx, before.patientId), last = chain.at(-1);
  if (last && await validId(tx, before.patientId, before.birthDate) === null) {
    await logConnection(tx, {
      at,
      peer: last.system,
      address: "",
      event: "merge_doubted",
      isError: true,
      details: { pid, merge: last.id },
    });
    return;
  }
  let after = await withNewest(tx, patient, before);
  // each merge of the chain records the study, so that each can be undone separately
  for (const { id, moved, patientId } of chain) {
    await writeMoved(tx, id, [...moved, { pid, before: after }]);
    after = await withNewest(tx, patient, { ...after, patientId });
  }
  await changeIdentities(tx, [{ patient, after }], { cause: "follow", at });
}
