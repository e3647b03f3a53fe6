import type { Database } from "@/server/core/database/database.ts";

/**
 * Criteria in a link of another system, of which only the first given one is used:
 * study UIDs, accession numbers or patient ID, in this order.
 */
export interface LaunchLookup {
  studyUids?: readonly string[];
  accessionNumbers?: readonly string[];
  patientId?: string;
  /** range of ISO dates, inclusive; with a range, studies without a date do not match */
  from?: string | null;
  until?: string | null;
}

/** Numbers of the studies that match a link, newest first, studies without a date last. */
export async function listLaunched(
  db: Database,
  { studyUids, accessionNumbers, patientId, from, until }: LaunchLookup,
  limit: number,
): Promise<number[]> {
  let studies = db.selectFrom("patients as p").select("p.pid");
  if (studyUids) studies = studies.where("p.study_uid", "in", studyUids);
  else if (accessionNumbers) {
    // number in the images or, if these have none, from the modality worklist
    studies = studies.where((e) =>
      e(
        "p.pid",
        "in",
        e.selectFrom("series_headers as h").select("h.pid")
          .where("h.accession_number", "in", accessionNumbers)
          .union(
            e.selectFrom("patients as q").select("q.pid")
              .where("q.accession_number", "in", accessionNumbers),
          ),
      )
    );
  } else {studies = studies.where("p.patient_id", "=", patientId ?? "").where(
      "p.patient_id",
      "<>",
      "",
    );}
  if (from) studies = studies.where("p.study_date", ">=", from);
  if (until) studies = studies.where("p.study_date", "<=", until);
  const rows = await studies
    .orderBy((e) => e.fn.coalesce("p.study_date", e.val("")), "desc")
    .orderBy("p.pid", "desc").limit(limit).execute();
  return rows.map(({ pid }) => pid);
}

/** Studies with a patient ID in the images that their edited record no longer has. */
export async function listByFormerPatientId(
  db: Database,
  patientId: string,
  limit: number,
): Promise<number[]> {
  const rows = await db.selectFrom("series_headers as h").innerJoin(
    "patients as p",
    "p.pid",
    "h.pid",
  )
    .select("p.pid").distinct().where("h.patient_id", "=", patientId)
    .where("p.patient_id", "<>", patientId).where("p.received_identity", "is not", null)
    .orderBy("p.pid", "desc").limit(limit).execute();
  return rows.map(({ pid }) => pid);
}

/** Distinct accession numbers of each study, from its images and its record. */
export async function accessionNumbersOf(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, string[]>> {
  if (pids.length === 0) return new Map();
  const rows = await db.selectFrom("patients as q").select(["q.pid", "q.accession_number"])
    .where("q.pid", "in", pids)
    .union(
      db.selectFrom("series_headers as h").select(["h.pid", "h.accession_number"])
        .where("h.pid", "in", pids),
    ).execute();
  const numbers = new Map<number, string[]>();
  for (const { pid, accession_number } of rows) {
    if (accession_number) numbers.set(pid, [...numbers.get(pid) ?? [], accession_number].sort());
  }
  return numbers;
}

/** Whether the bin contains one of these studies. */
export async function isBinned(db: Database, studyUids: readonly string[]): Promise<boolean> {
  if (studyUids.length === 0) return false;
  const row = await db.selectFrom("bin").select("pid").where("study_uid", "in", studyUids).limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
