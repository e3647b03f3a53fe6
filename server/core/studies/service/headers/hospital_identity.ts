/**
 * Updates study records with patient data from messages of the hospital's system.
 * The hospital's data replace edits made on this site.
 */
import { normalForm } from "@/model/normal_form.ts";
import type { RecordIdentity } from "@/model/patient/record_identity.ts";
import { ageAfterEdit } from "@/model/patient/age.ts";
import { queueChanges } from "@/server/core/connections/service/result_queue.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { comparedStudies } from "@/server/core/analyses/service/comparable_visits.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  type IdentityCause,
  insertIdentityChanges,
  setIdentity,
} from "@/server/core/studies/storage/hospital_identity.ts";
import type { ReceivedIdentity, StoredPatient } from "@/server/core/studies/storage/patients.ts";

const groupsOf = (name: string) =>
  normalForm(name, "NFKC").toLowerCase().split(" / ").map((group) =>
    group.split(/\s+/).filter(Boolean).join(" ")
  ).filter(Boolean);

/** Whether a record contains a name, possibly in more scripts or in capitals. */
export function hasName(record: string, name: string): boolean {
  const groups = groupsOf(record);
  return groupsOf(name).every((group) => groups.includes(group));
}

/** Patient identity in the record of a study. */
export const identityOf = ({ row }: StoredPatient): RecordIdentity => ({
  patientId: row.patient_id,
  patientName: row.patient_name,
  birthDate: row.patient_birthdate,
  sex: row.patient_sex,
  age: row.patient_age,
});

/**
 * A record's patient identity, updated by the values in a message of the hospital's system.
 * @param before Identity after earlier messages.
 */
export function withHospital(
  patient: StoredPatient,
  given: { patientId: string; name: string | null } & Pick<RecordIdentity, "birthDate" | "sex">,
  before = identityOf(patient),
): RecordIdentity {
  const { study_date } = patient.row;
  const birthDate = given.birthDate ?? before.birthDate;
  return {
    patientId: given.patientId,
    patientName: given.name === null || hasName(before.patientName, given.name)
      ? before.patientName
      : given.name,
    birthDate,
    sex: given.sex ?? before.sex,
    age: ageAfterEdit(
      { ...before, studyDate: study_date, stated: patient.statedAge },
      { birthDate, studyDate: study_date },
    ),
  };
}

const receivedOf = (patient: StoredPatient): ReceivedIdentity => {
  const { patientId, patientName, birthDate } = identityOf(patient);
  return patient.received ?? { patientId, patientName, birthDate };
};

/** A study with the patient identity that a message gives it. */
interface Changed {
  patient: StoredPatient;
  before: RecordIdentity;
  after: RecordIdentity;
}

/**
 * Numbers of the studies of which a changed identity may change the finding. Findings depend on
 * results, norms, birth date, sex, age, and the comparison with other studies of the person; on
 * patient ID and name only through this comparison. Findings of earlier rules are computed again.
 */
async function withOtherFindings(tx: Database, changes: readonly Changed[]): Promise<number[]> {
  const ids = changes.flatMap(({ before, after }) => [before.patientId, after.patientId]);
  const compared = await comparedStudies(tx, new Set(ids));
  const isOther = ({ patient, before, after }: Changed) =>
    compared.has(patient.row.pid) || !patient.isFindingCurrent ||
    (["birthDate", "sex", "age"] as const).some((key) => before[key] !== after[key]);
  return changes.filter(isOther).map(({ patient }) => patient.row.pid);
}

/**
 * Changes the patient identity of studies, their findings, and results that were sent.
 * Call this function in the same transaction as the hospital's message.
 * @returns studies with a changed identity, and studies with results to be sent again.
 */
export async function changeIdentities(
  tx: Database,
  studies: readonly { patient: StoredPatient; after: RecordIdentity }[],
  { cause, at }: { cause: IdentityCause; at: string },
): Promise<{ changed: number[]; queued: number[] }> {
  const changes = studies.map(({ patient, after }) => ({
    patient,
    pid: patient.row.pid,
    before: identityOf(patient),
    after,
    received: receivedOf(patient),
  })).filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  // most studies of a patient get the same identity, so they are written in groups
  const groups = Map.groupBy(changes, ({ after, received }) => JSON.stringify([after, received]));
  for (const group of groups.values()) {
    const { after, received } = group[0]!;
    await setIdentity(tx, group.map(({ pid }) => pid), after, received, at);
  }
  await insertIdentityChanges(tx, changes, { cause, at });
  const changed = changes.map(({ pid }) => pid);
  await refreshFindings(tx, await withOtherFindings(tx, changes));
  return { changed, queued: await queueChanges(tx, changed, "patient") };
}
