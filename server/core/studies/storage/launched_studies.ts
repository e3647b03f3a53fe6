import { sql, type SqlBool } from "kysely";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Criteria in a link of another system, of which only the first given one is used:
 * study UIDs, accession numbers or patient ID, in this order.
 */
export interface LaunchLookup {
  studyUids?: readonly string[];
  accessionNumbers?: readonly string[];
  /** patient IDs, of which a study has one */
  patientIds?: readonly string[];
  /** range of ISO dates, inclusive; with a range, studies without a date do not match */
  from?: string | null;
  until?: string | null;
}

/** Numbers of the studies that match a link, newest first, studies without a date last. */
export async function listLaunched(
  db: Database,
  { studyUids, accessionNumbers, patientIds, from, until }: LaunchLookup,
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
  } else {studies = studies.where("p.patient_id", "in", patientIds ?? []).where(
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

/**
 * Returns those of the given patient IDs that a study or order has, or had before its record was
 * edited or deleted.
 */
export async function storedPatientIds(
  db: Database,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.selectFrom("patients").select("patient_id").where("patient_id", "in", ids)
    .union(
      db.selectFrom("series_headers").select("patient_id").where("patient_id", "in", ids),
    ).union(
      db.selectFrom("hospital_orders").select("patient_id").where("patient_id", "in", ids),
    ).union(db.selectFrom("bin").select("patient_id").where("patient_id", "in", ids)).execute();
  return new Set(rows.map(({ patient_id }) => patient_id));
}

/** Patient IDs of studies, orders and the bin: this ID followed by an assigning authority. */
export async function storedIdsWithAuthority(db: Database, id: string): Promise<string[]> {
  const start = `${id}^^^`, characters = [...start].length;
  const startsSo = sql<SqlBool>`substr(patient_id, 1, ${characters}) = ${start}`;
  const rows = await db.selectFrom("patients").select("patient_id").where(startsSo)
    .union(db.selectFrom("hospital_orders").select("patient_id").where(startsSo))
    .union(db.selectFrom("bin").select("patient_id").where(startsSo)).execute();
  return rows.map(({ patient_id }) => patient_id).sort();
}

/**
 * Returns those of the given accession numbers that other studies than the given ones, or orders of
 * other studies, have. Studies in the bin count, unless they were uploaded again.
 */
export async function accessionsOfOthers(
  db: Database,
  accessionNumbers: readonly string[],
  pids: readonly number[],
): Promise<string[]> {
  if (accessionNumbers.length === 0) return [];
  const rows = await db.selectFrom("hospital_orders").select("accession_number")
    .where("accession_number", "in", accessionNumbers)
    .where((e) => e.or([e("pid", "is", null), e("pid", "not in", pids)]))
    .union(
      db.selectFrom("patients").select("accession_number")
        .where("accession_number", "in", accessionNumbers).where("pid", "not in", pids)
        .$narrowType<{ accession_number: string }>(),
    ).union(
      db.selectFrom("series_headers").select("accession_number")
        .where("accession_number", "in", accessionNumbers).where("pid", "not in", pids),
    ).union(
      db.selectFrom("bin_accessions as a").innerJoin("bin as b", "b.pid", "a.pid")
        .select("a.accession_number").where("a.accession_number", "in", accessionNumbers)
        .where("a.pid", "not in", pids)
        .where(
          "b.study_uid",
          "not in",
          (e) => e.selectFrom("patients").select("patients.study_uid"),
        ),
    ).execute();
  return rows.map(({ accession_number }) => accession_number);
}

/** Distinct IDs of the patients with an order without images and one of these accession numbers. */
export async function orderedPatientIds(
  db: Database,
  accessionNumbers: readonly string[],
  limit: number,
): Promise<string[]> {
  if (accessionNumbers.length === 0) return [];
  const rows = await db.selectFrom("hospital_orders").select("patient_id").distinct()
    .where("accession_number", "in", accessionNumbers).where("state", "=", "ordered")
    .limit(limit).execute();
  return rows.map(({ patient_id }) => patient_id);
}
