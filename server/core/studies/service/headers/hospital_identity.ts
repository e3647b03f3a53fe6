/**
 * Updates study records from the hospital's system.
 * The hospital's data take precedence over edits made on this site.
 */
import type { RecordIdentity } from "@/model/patient/record_identity.ts";
import { ageInYears } from "@/model/patient/age.ts";
import { queueChange } from "@/server/core/connections/service/result_queue.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  type IdentityCause,
  insertIdentityChange,
  setIdentity,
} from "@/server/core/studies/storage/hospital_identity.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";

const groupsOf = (name: string) =>
  name.normalize("NFKC").toLowerCase().split(" / ").map((group) =>
    group.split(/\s+/).filter(Boolean).join(" ")
  ).filter(Boolean);

/** Whether a record already contains a name, possibly with more scripts or in capitals. */
export function hasName(record: string, name: string): boolean {
  const groups = groupsOf(record);
  return groupsOf(name).every((group) => groups.includes(group));
}

/** Patient identity in a record. */
export const identityOf = ({ row }: StoredPatient): RecordIdentity => ({
  patientId: row.patient_id,
  patientName: row.patient_name,
  birthDate: row.patient_birthdate,
  sex: row.patient_sex,
  age: row.patient_age,
});

/** A record's identity with the values that the hospital's system has given. */
export function withHospital(
  patient: StoredPatient,
  given: { patientId: string; name: string | null } & Pick<RecordIdentity, "birthDate" | "sex">,
): RecordIdentity {
  const before = identityOf(patient), { study_date } = patient.row;
  const birthDate = given.birthDate ?? before.birthDate;
  const isOther = birthDate !== before.birthDate && birthDate !== null && study_date !== null;
  return {
    patientId: given.patientId,
    patientName: given.name === null || hasName(before.patientName, given.name)
      ? before.patientName
      : given.name,
    birthDate,
    sex: given.sex ?? before.sex,
    age: isOther ? ageInYears(birthDate, study_date) : before.age,
  };
}

/**
 * Changes the patient identity of a study and all dependent data: the finding and the results that
 * were sent. Call this function in the transaction of the message.
 * @returns whether the identity changed, and whether results must be sent again.
 */
export async function changeIdentity(
  tx: Database,
  patient: StoredPatient,
  after: RecordIdentity,
  { cause, at }: { cause: IdentityCause; at: string },
): Promise<{ isChanged: boolean; isQueued: boolean }> {
  const before = identityOf(patient), { pid } = patient.row;
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return { isChanged: false, isQueued: false };
  }
  const received = patient.received ?? {
    patientId: before.patientId,
    patientName: before.patientName,
    birthDate: before.birthDate,
  };
  await setIdentity(tx, pid, after, received, at);
  await insertIdentityChange(tx, pid, cause, { before, after, at });
  await refreshFindings(tx, [pid]);
  return { isChanged: true, isQueued: await queueChange(tx, pid, "patient") };
}
