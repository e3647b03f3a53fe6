/** Handles images that arrive under a patient ID that was merged into another patient ID. */
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import { mergesFrom, writeMoved } from "@/server/core/connections/storage/patient_merges.ts";
import { validId } from "@/server/core/connections/service/hl7/valid_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import {
  changeIdentities,
  identityOf,
} from "@/server/core/studies/service/headers/hospital_identity.ts";

/**
 * Files a new study under the currently valid patient ID. The study keeps the former ID, with an
 * entry in the connection log, if the patient's other studies have a different date of birth or if
 * several people share the ID: a hospital may assign an ID to a second person.
 * Call this function in the transaction that stores the study.
 */
export async function followMerges(tx: Database, pid: number): Promise<void> {
  const patient = await findPatient(tx, pid);
  if (!patient || patient.row.patient_id === "") return;
  const chain = await mergesFrom(tx, patient.row.patient_id), last = chain.at(-1);
  if (last === undefined) return;
  const before = identityOf(patient), at = nowIso();
  if (await validId(tx, before.patientId, before.birthDate) === null) {
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
  // each merge of the chain records the study, so that each can be undone separately
  for (const { id, moved, priorId } of chain) {
    await writeMoved(tx, id, [...moved, { pid, before: { ...before, patientId: priorId } }]);
  }
  const after = { ...before, patientId: last.patientId };
  await changeIdentities(tx, [{ patient, after }], { cause: "follow", at });
}
