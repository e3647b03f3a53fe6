import { sql } from "kysely";
import type { Database } from "@/core/storage/database/database.ts";
import { studyScope } from "@/core/storage/settings.ts";

/** Tables whose rows belong to a study, parents first. Only the last one is not found by the study's number. */
export const STUDY_TABLES = [
  "patients",
  "series",
  "instances",
  "analyses",
  "patient_labels",
  "controls",
  "study_views",
  "study_reports",
  "analysis_files",
] as const;
/** Rows that go with a study and do not come back: who edits it at the moment. */
export const LEFT_BEHIND: readonly string[] = ["edit_claims"];
/** What a study's row names of tables that come after it. */
const LATER = ["t1_series_id", "t2_series_id", "t1_analysis_id", "t2_analysis_id"];

type Row = Record<string, unknown>;
type Content = Partial<Record<typeof STUDY_TABLES[number] | "settings", Row[]>>;

/** A deleted study, as the bin shows it. */
export interface BinnedStudy {
  pid: number;
  patientId: string;
  patientName: string;
  studyDate: string | null;
  deletedAt: string;
  deletedBy: number | null;
  reason: string | null;
}

const selectRows = async (db: Database, table: string, pid: number): Promise<Row[]> =>
  (table === "analysis_files"
    ? await sql<Row>`SELECT f.* FROM analysis_files AS f JOIN analyses AS a ON a.id = f.analysis_id
        WHERE a.pid = ${pid}`.execute(db)
    : await sql<Row>`SELECT * FROM ${sql.table(table)} WHERE pid = ${pid}`.execute(db)).rows;

/** Copies every row of a study into the bin, before they are deleted. */
export async function insertBinned(
  db: Database,
  pid: number,
  deletion: { at: string; userId: number; reason: string | null },
  blobs: readonly string[],
): Promise<void> {
  const content: Content = {};
  for (const table of STUDY_TABLES) content[table] = await selectRows(db, table, pid);
  content.settings = await db.selectFrom("settings").selectAll().where("scope", "=", studyScope(pid))
    .execute() as unknown as Row[];
  const [patient] = content.patients!, text = (name: string) => String(patient![name] ?? "");
  await db.insertInto("bin").values({
    pid,
    study_uid: text("study_uid"),
    patient_id: text("patient_id"),
    patient_name: text("patient_name"),
    study_date: patient!.study_date === null ? null : text("study_date"),
    deleted_at: deletion.at,
    deleted_by: deletion.userId,
    reason: deletion.reason,
    content: JSON.stringify(content),
  }).execute();
  const named = [...new Set(blobs)];
  for (let i = 0; i < named.length; i += 2000) {
    await db.insertInto("bin_blobs").values(named.slice(i, i + 2000).map((blob) => ({ pid, blob })))
      .execute();
  }
}

const binned = (db: Database) =>
  db.selectFrom("bin").select([
    "pid",
    "patient_id as patientId",
    "patient_name as patientName",
    "study_date as studyDate",
    "deleted_at as deletedAt",
    "deleted_by as deletedBy",
    "reason",
  ]);

/** What is in the bin, the latest first; of one person or of all. */
export async function listBinned(
  db: Database,
  userId: number | null,
  limit: number,
): Promise<{ studies: BinnedStudy[]; total: number }> {
  const ofUser = userId === null ? sql<boolean>`1 = 1` : sql<boolean>`deleted_by = ${userId}`;
  const studies = await binned(db).where(ofUser).orderBy("deleted_at", "desc").orderBy("pid", "desc")
    .limit(limit).execute();
  const { n } = await db.selectFrom("bin").select((e) => e.fn.countAll<number>().as("n")).where(ofUser)
    .executeTakeFirstOrThrow();
  return { studies, total: Number(n) };
}

export async function findBinned(db: Database, pid: number): Promise<BinnedStudy | null> {
  return await binned(db).where("pid", "=", pid).executeTakeFirst() ?? null;
}

/** Studies that were deleted before an instant. */
export async function binnedBefore(db: Database, at: string): Promise<number[]> {
  return (await db.selectFrom("bin").select("pid").where("deleted_at", "<", at).execute())
    .map(({ pid }) => pid);
}

async function insertRow(db: Database, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row), names = sql.join(columns.map((each) => sql.ref(each)));
  await sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${sql.join(columns.map((each) => row[each]))})`
    .execute(db);
}

/**
 * Puts every row of a study back where it was, under its old numbers, and takes it out of the bin.
 * @returns false when the same study was uploaded again: then nothing is changed.
 */
export async function restoreBinned(db: Database, pid: number): Promise<boolean> {
  const { content: text, study_uid } = await db.selectFrom("bin").select(["content", "study_uid"])
    .where("pid", "=", pid).executeTakeFirstOrThrow();
  const again = await db.selectFrom("patients").select("pid").where("study_uid", "=", study_uid)
    .executeTakeFirst();
  if (again !== undefined) return false;
  const content = JSON.parse(text) as Content;
  const labels = new Set((await db.selectFrom("labels").select("id").execute()).map(({ id }) => id));
  const [patient] = content.patients!;
  await insertRow(db, "patients", { ...patient!, ...Object.fromEntries(LATER.map((name) => [name, null])) });
  for (const table of STUDY_TABLES) {
    if (table === "patients") continue;
    for (const { id, ...row } of content[table] ?? []) {
      if (table === "patient_labels" && !labels.has(Number(row.label_id))) continue;
      // numbers of instances are given again, and nothing names them
      await insertRow(db, table, id === undefined || table === "instances" ? row : { id, ...row });
    }
  }
  for (const row of content.settings ?? []) await insertRow(db, "settings", row);
  await db.updateTable("patients").set(Object.fromEntries(LATER.map((name) => [name, patient![name]])))
    .where("pid", "=", pid).execute();
  await db.deleteFrom("deleted_patients").where("pid", "=", pid).execute();
  await db.deleteFrom("bin").where("pid", "=", pid).execute();
  return true;
}

/** Takes a study out of the bin for good. @returns its blobs; `null`: it was not there. */
export async function deleteBinned(db: Database, pid: number): Promise<string[] | null> {
  const blobs = await db.selectFrom("bin_blobs").select("blob").where("pid", "=", pid).execute();
  const result = await db.deleteFrom("bin").where("pid", "=", pid).executeTakeFirst();
  return Number(result.numDeletedRows) === 0 ? null : blobs.map(({ blob }) => blob);
}
