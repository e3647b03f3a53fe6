import { sql } from "kysely";
import type { RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { studyScope } from "@/server/core/settings/storage/settings.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";

/** Database tables with rows of a study; a table comes after those that its rows refer to. */
export const STUDY_TABLES = [
  "patients",
  "series",
  "series_headers",
  "instances",
  "unreadable_files",
  "analyses",
  "patient_labels",
  "controls",
  "study_views",
  "study_reports",
  "measurements",
  "key_images",
  "report_texts",
  "result_changes",
  "identity_changes",
  "label_strokes",
  "flair_changes",
  "lesion_verdicts",
  "refused_series",
  "analysis_files",
  "display_scales",
  "original_results",
  "charted_results",
] as const;
type StudyTable = typeof STUDY_TABLES[number];
/** Tables with rows that belong to an analysis, and have no column with the study number. */
const OF_ANALYSES: readonly StudyTable[] = ["analysis_files", "display_scales", "original_results"];
/**
 * Tables with rows of a study that are deleted with the study and never restored:
 * edit locks, and pending deliveries.
 */
export const LEFT_BEHIND: readonly string[] = ["edit_claims", "outbox"];
/** Columns of a study's row that refer to rows restored after the study's row. */
const LATER = ["t1_series_id", "t2_series_id", "t1_analysis_id", "t2_analysis_id"];

type Row = Record<string, unknown>;
type Content = Partial<Record<StudyTable | "settings", Row[]>>;

/** A deleted study that is in the bin. */
interface BinnedStudy {
  pid: number;
  patientId: string;
  patientName: string;
  studyDate: string | null;
  deletedAt: string;
  deletedBy: number | null;
  reason: string | null;
}

async function selectRows(db: Database, table: StudyTable, pid: number): Promise<Row[]> {
  const analyses = sql`(SELECT id FROM analyses WHERE pid = ${pid})`, name = sql.table(table);
  const where = OF_ANALYSES.includes(table) ? sql`analysis_id IN ${analyses}` : sql`pid = ${pid}`;
  return (await sql<Row>`SELECT * FROM ${name} WHERE ${where}`.execute(db)).rows.map(withTexts);
}

/** Stores bytes as `{base64}`, since JSON has no bytes. */
const withTexts = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? { base64: Uint8Array.from(value).toBase64() } : value,
    ]),
  );
const withBytes = (_: string, value: unknown) =>
  value !== null && typeof value === "object" && "base64" in value
    ? Uint8Array.fromBase64(String(value.base64))
    : value;

/** Copies all database rows of a study into the bin, before the rows are deleted. */
export async function insertBinned(
  db: Database,
  pid: number,
  deletion: { at: string; userId: number; reason: string | null },
  blobs: readonly string[],
): Promise<void> {
  const content: Content = {};
  for (const table of STUDY_TABLES) content[table] = await selectRows(db, table, pid);
  content.settings = await db.selectFrom("settings").selectAll().where(
    "scope",
    "=",
    studyScope(pid),
  )
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
  const numbers = [...content.patients!, ...content.series_headers ?? []]
    .map(({ accession_number }) => String(accession_number ?? "")).filter((one) => one !== "");
  for (const accession_number of new Set(numbers)) {
    await db.insertInto("bin_accessions").values({ pid, accession_number }).execute();
  }
  const blobHashes = [...new Set(blobs)];
  for (let i = 0; i < blobHashes.length; i += 2000) {
    await db.insertInto("bin_blobs").values(
      blobHashes.slice(i, i + 2000).map((blob) => ({ pid, blob })),
    )
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

/** Studies in the bin, last deleted first; of one user, or of all users with `null`. */
export async function listBinned(
  db: Database,
  userId: number | null,
  limit: number,
): Promise<{ studies: BinnedStudy[]; total: number }> {
  const ofUser = userId === null ? sql<boolean>`1 = 1` : sql<boolean>`deleted_by = ${userId}`;
  const studies = await binned(db).where(ofUser).orderBy("deleted_at", "desc").orderBy(
    "pid",
    "desc",
  )
    .limit(limit).execute();
  const { n } = await db.selectFrom("bin").select((e) => e.fn.countAll<number>().as("n")).where(
    ofUser,
  )
    .executeTakeFirstOrThrow();
  return { studies, total: Number(n) };
}

export async function findBinned(db: Database, pid: number): Promise<BinnedStudy | null> {
  return await binned(db).where("pid", "=", pid).executeTakeFirst() ?? null;
}

type StudyRecord = RecordedIdentity & { study_uid: string };

/** Patient identity of a study in the bin. */
const recordIn = (content: string): StudyRecord => {
  const [row] = (JSON.parse(content) as { patients: StudyRecord[] }).patients;
  const { study_uid, patient_id, patient_name, patient_birthdate, patient_sex } = row!;
  return { study_uid, patient_id, patient_name, patient_birthdate, patient_sex };
};

/** Patient identity of a study in the bin; `null` if the study is not in the bin. */
export async function findBinnedRecord(
  db: Database,
  pid: number,
): Promise<StudyRecord | null> {
  const row = await db.selectFrom("bin").select("content").where("pid", "=", pid)
    .executeTakeFirst();
  return row ? recordIn(row.content) : null;
}

/** Patient identities of the studies in the bin that have this patient ID. */
export async function listBinnedRecords(
  db: Database,
  patientId: string,
): Promise<StudyRecord[]> {
  const rows = await db.selectFrom("bin").select("content").where("patient_id", "=", patientId)
    .orderBy("pid").execute();
  return rows.map(({ content }) => recordIn(content));
}

/** A study in the bin that a link names. */
export interface LinkedBinned {
  pid: number;
  studyDate: string | null;
  record: StudyRecord;
  accessionNumbers: string[];
}

/**
 * Studies in the bin with one of these study UIDs, accession numbers, patient IDs or study numbers.
 * A study that was uploaded again is left out.
 */
export async function listLinkedBinned(
  db: Database,
  { studyUids = [], accessionNumbers = [], patientIds = [], pids = [] }: {
    studyUids?: readonly string[];
    accessionNumbers?: readonly string[];
    patientIds?: readonly string[];
    pids?: readonly number[];
  },
  limit: number,
): Promise<LinkedBinned[]> {
  const rows = await db.selectFrom("bin").select(["pid", "study_date", "content"])
    .where((e) =>
      e.or([
        ...studyUids.length > 0 ? [e("study_uid", "in", studyUids)] : [],
        ...patientIds.length > 0 ? [e("patient_id", "in", patientIds)] : [],
        ...pids.length > 0 ? [e("pid", "in", pids)] : [],
        ...accessionNumbers.length > 0
          ? [e(
            "pid",
            "in",
            e.selectFrom("bin_accessions").select("bin_accessions.pid")
              .where("accession_number", "in", accessionNumbers),
          )]
          : [],
      ])
    )
    .where("study_uid", "not in", (e) => e.selectFrom("patients").select("patients.study_uid"))
    .orderBy("pid", "desc").limit(limit).execute();
  if (rows.length === 0) return [];
  const numbers = await db.selectFrom("bin_accessions").selectAll()
    .where("pid", "in", rows.map(({ pid }) => pid)).orderBy("accession_number").execute();
  return rows.map(({ pid, study_date, content }) => ({
    pid,
    studyDate: study_date,
    record: recordIn(content),
    accessionNumbers: numbers.filter((one) => one.pid === pid).map((one) => one.accession_number),
  }));
}

/** Numbers of the studies in the bin that were deleted before an instant. */
export async function binnedBefore(db: Database, at: string): Promise<number[]> {
  return (await db.selectFrom("bin").select("pid").where("deleted_at", "<", at).execute())
    .map(({ pid }) => pid);
}

const idsOf = async (db: Database, table: "users" | "labels"): Promise<Set<number>> =>
  new Set(
    (await sql<{ id: number }>`SELECT id FROM ${sql.table(table)}`.execute(db)).rows.map(({ id }) =>
      Number(id)
    ),
  );

/**
 * Returns a function that prepares a row for restoring: `null` if its label or user was deleted.
 * In columns such as `deleted_by`, a deleted user becomes `null`.
 */
async function remainingRows(db: Database): Promise<(table: StudyTable, row: Row) => Row | null> {
  const users = await idsOf(db, "users"), labels = await idsOf(db, "labels");
  return (table, row) => {
    if (table === "patient_labels" && !labels.has(Number(row.label_id))) return null;
    if (row.user_id !== undefined && !users.has(Number(row.user_id))) return null;
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        name.endsWith("_by") && value !== null && !users.has(Number(value)) ? null : value,
      ]),
    );
  };
}

async function insertRow(db: Database, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row), names = sql.join(columns.map((each) => sql.ref(each)));
  await sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${
    sql.join(columns.map((each) => row[each]))
  })`
    .execute(db);
}

/**
 * Restores all database rows of a study with their original ids, and removes it from the bin.
 * @returns false, with nothing restored, if the same study was uploaded again.
 */
export async function restoreBinned(db: Database, pid: number): Promise<boolean> {
  const { content: text, study_uid } = await db.selectFrom("bin").select(["content", "study_uid"])
    .where("pid", "=", pid).executeTakeFirstOrThrow();
  const again = await db.selectFrom("patients").select("pid").where("study_uid", "=", study_uid)
    .executeTakeFirst();
  if (again !== undefined) return false;
  const content = JSON.parse(text, withBytes) as Content;
  const remaining = await remainingRows(db), [patient] = content.patients!;
  const later = Object.fromEntries(LATER.map((name) => [name, null]));
  for (const table of STUDY_TABLES) {
    for (const { id, ...row } of content[table] ?? []) {
      // instances get new ids, because no other table refers to them
      const numbered = id === undefined || table === "instances" ? row : { id, ...row };
      const remainingRow = remaining(
        table,
        table === "patients" ? { ...numbered, ...later } : numbered,
      );
      if (remainingRow) await insertRow(db, table, remainingRow);
    }
  }
  for (const row of content.settings ?? []) await insertRow(db, "settings", row);
  await db.updateTable("patients").set(
    Object.fromEntries(LATER.map((name) => [name, patient![name]])),
  )
    .where("pid", "=", pid).execute();
  await db.deleteFrom("deleted_patients").where("pid", "=", pid).execute();
  await db.deleteFrom("bin").where("pid", "=", pid).execute();
  return true;
}

/** Deletes a study in the bin permanently. @returns its files' hashes; `null`: no such study. */
export async function deleteBinned(db: Database, pid: number): Promise<string[] | null> {
  const blobs = await db.selectFrom("bin_blobs").select("blob").where("pid", "=", pid).execute();
  const result = await db.deleteFrom("bin").where("pid", "=", pid).executeTakeFirst();
  return Number(result.numDeletedRows) === 0 ? null : blobs.map(({ blob }) => blob);
}

/** Patient identities of all studies with a patient ID, including studies in the bin. */
export const studyRecords = async (db: Database, patientId: string): Promise<StudyRecord[]> => [
  ...await listRecords(db, patientId),
  ...await listBinnedRecords(db, patientId),
];

/** Patient identity of a study by study UID, also from the bin; `null` for an unknown study. */
export async function studyRecord(db: Database, studyUid: string): Promise<StudyRecord | null> {
  const stored = await db.selectFrom("patients")
    .select(["study_uid", "patient_id", "patient_name", "patient_birthdate", "patient_sex"])
    .where("study_uid", "=", studyUid).executeTakeFirst();
  if (stored) return stored;
  const row = await db.selectFrom("bin").select("content").where("study_uid", "=", studyUid)
    .limit(1).executeTakeFirst();
  return row ? recordIn(row.content) : null;
}
