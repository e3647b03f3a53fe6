import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import type { RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { RecordIdentity } from "@/model/patient/record_identity.ts";
import type { ReceivedIdentity } from "@/server/core/studies/storage/patients.ts";

/** Maximum number of rows in one SQL statement. */
const ROWS_PER_STATEMENT = 1000;

/**
 * Writes a patient identity that the hospital's system has sent into studies.
 * @param received Patient identity in the images, stored at the first change.
 */
export async function setIdentity(
  db: Database,
  pids: readonly number[],
  { patientId, patientName, birthDate, sex, age }: RecordIdentity,
  received: ReceivedIdentity,
  at: string,
): Promise<void> {
  await db.updateTable("patients").set({
    patient_id: patientId,
    patient_name: patientName,
    patient_birthdate: birthDate,
    patient_sex: sex,
    patient_age: age,
    received_identity: JSON.stringify(received),
    hospital_at: at,
  }).where(isAmong(db, "pid", numberList(db, pids))).execute();
}

/** Numbers of the studies with a patient ID. */
export async function listPidsOf(db: Database, patientId: string): Promise<number[]> {
  const rows = await db.selectFrom("patients").select("pid").where("patient_id", "=", patientId)
    .orderBy("pid").execute();
  return rows.map(({ pid }) => pid);
}

/** Patient identities of all studies with a patient ID, analysed or not, with study UIDs. */
export async function listRecords(
  db: Database,
  patientId: string,
): Promise<(RecordedIdentity & { pid: number; study_uid: string })[]> {
  if (patientId === "") return [];
  return await db.selectFrom("patients")
    .select(["pid", "study_uid", "patient_id", "patient_name", "patient_birthdate", "patient_sex"])
    .where("patient_id", "=", patientId).orderBy("pid").execute();
}

/**
 * Reason why the hospital's system changed a record; `follow`: images with a merged ID or an
 * outdated identity arrived.
 */
export type IdentityCause = "update" | "merge" | "follow" | "undo";

/** Patient identity of a study before and after a change. */
export interface IdentityChange {
  pid: number;
  before: RecordIdentity;
  after: RecordIdentity;
}

export async function insertIdentityChanges(
  db: Database,
  changes: readonly IdentityChange[],
  { cause, at }: { cause: IdentityCause; at: string },
): Promise<void> {
  for (let from = 0; from < changes.length; from += ROWS_PER_STATEMENT) {
    const rows = changes.slice(from, from + ROWS_PER_STATEMENT).map((change) => ({
      pid: change.pid,
      cause,
      changed_at: at,
      before: JSON.stringify(change.before),
      after: JSON.stringify(change.after),
    }));
    await db.insertInto("identity_changes").values(rows).execute();
  }
}
