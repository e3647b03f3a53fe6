import type { Database } from "@/server/core/database/database.ts";

/** Accession number of a study; empty without a number, or before the number is looked up. */
export async function accessionOf(db: Database, pid: number): Promise<string> {
  const row = await db.selectFrom("patients").select("accession_number").where("pid", "=", pid)
    .executeTakeFirst();
  return row?.accession_number ?? "";
}

/** Studies of which the accession number has not been looked up, newest first. */
export async function withoutAccession(
  db: Database,
  most: number,
): Promise<
  {
    pid: number;
    studyUid: string;
    patientId: string;
    studyDate: string | null;
    createdAt: string;
  }[]
> {
  const rows = await db.selectFrom("patients")
    .select(["pid", "study_uid", "patient_id", "study_date", "created_at"])
    .where("accession_number", "is", null).orderBy("pid", "desc").limit(most).execute();
  return rows.map((row) => ({
    pid: row.pid,
    studyUid: row.study_uid,
    patientId: row.patient_id,
    studyDate: row.study_date,
    createdAt: row.created_at,
  }));
}

/** Number of studies with an accession number. */
export async function findByAccession(
  db: Database,
  accessionNumber: string,
  most: number,
): Promise<number[]> {
  const rows = await db.selectFrom("patients").select("pid").where(
    "accession_number",
    "=",
    accessionNumber,
  )
    .orderBy("pid", "desc").limit(most).execute();
  return rows.map(({ pid }) => pid);
}
