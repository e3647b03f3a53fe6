/** Gives new studies the patient ID and identity that are valid in the hospital's system. */
import type { RecordIdentity } from "@/model/patient/record_identity.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import { mergesFrom, writeMoved } from "@/server/core/connections/storage/patient_merges.ts";
import { newestOfPerson } from "@/server/core/connections/service/hl7/newest_identity.ts";
import { validId } from "@/server/core/connections/service/hl7/valid_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { findPatient, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import {
  changeIdentities,
  identityOf,
  withHospital,
} from "@/server/core/studies/service/headers/hospital_identity.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import { personOf } from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/**
 * Identity of a study after the hospital's last message about its patient ID. Unchanged unless the
 * message is surely about the same person, and if a user edited the study later.
 */
async function withNewest(
  tx: Database,
  patient: StoredPatient,
  before: RecordIdentity,
): Promise<RecordIdentity> {
  const newest = await newestOfPerson(tx, personOf(before), patient.row.pid);
  if (newest === null || (patient.row.edited_at ?? "") > newest.appliedAt) return before;
  const { name, birthDate, sex } = newest.patient, { patientId } = before;
  const given = { patientId, name: name === null ? null : displayName(name), birthDate, sex };
  return withHospital(patient, given, before);
}

/**
 * Files a new study under the currently valid patient ID, with the identity that the hospital's
 * system gave last for the same person. The study keeps a former ID, with an entry in the
 * connection log, if the patient's other studies have a different date of birth or if several
 * people share the ID: a hospital may assign an ID to a second person.
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
  // each merge of the chain records the study as it came, so that each can be undone separately
  for (const { id, moved, priorId } of chain) {
    await writeMoved(tx, id, [...moved, { pid, before: { ...before, patientId: priorId } }]);
  }
  const patientId = last?.patientId ?? before.patientId;
  const after = await withNewest(tx, patient, { ...before, patientId });
  await changeIdentities(tx, [{ patient, after }], { cause: "follow", at });
}
