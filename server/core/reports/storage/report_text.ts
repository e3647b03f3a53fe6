import type { TextVersion } from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import type { ReportTextRow } from "@/server/core/database/tables.ts";

/** A version of a study's text, with the key of the results about which it was written. */
export interface StoredText extends TextVersion {
  results: string;
}

const versionOf = (row: Omit<ReportTextRow, "id" | "pid" | "created_by">): StoredText => ({
  version: row.version,
  state: row.state,
  language: row.language as Language,
  text: row.text,
  author: row.author,
  created_at: row.created_at,
  results: row.results,
});
const COLUMNS = [
  "version",
  "state",
  "language",
  "text",
  "author",
  "created_at",
  "results",
] as const;

/** All versions of a study's text, newest first. */
export async function listTexts(db: Database, pid: number): Promise<StoredText[]> {
  const rows = await db.selectFrom("report_texts").select(COLUMNS).where("pid", "=", pid)
    .orderBy("version", "desc").execute();
  return rows.map(versionOf);
}

/** The last version that was signed or withdrawn; `null` if the text was never signed. */
export async function lastSignature(db: Database, pid: number): Promise<StoredText | null> {
  const row = await db.selectFrom("report_texts").select(COLUMNS).where("pid", "=", pid)
    .where("state", "!=", "draft").orderBy("version", "desc").limit(1).executeTakeFirst();
  return row ? versionOf(row) : null;
}

/** State and time of the last signature or withdrawal of several studies, without the texts. */
export async function lastSignatures(
  db: Database,
  pids: readonly number[],
): Promise<(Pick<ReportTextRow, "pid" | "state" | "results" | "created_at">)[]> {
  if (pids.length === 0) return [];
  return await db.selectFrom("report_texts as t").select(["pid", "state", "results", "created_at"])
    .where(isAmong(db, "t.pid", numberList(db, pids)))
    .where(
      "version",
      "=",
      (e) =>
        e.selectFrom("report_texts as last").select(({ fn }) =>
          fn.max("last.version").as("version")
        )
          .whereRef("last.pid", "=", "t.pid").where("last.state", "!=", "draft"),
    )
    .execute();
}

/** Times of all signatures of a study's text, also of withdrawn ones, ascending, ISO 8601. */
export async function listSignatureTimes(db: Database, pid: number): Promise<string[]> {
  const rows = await db.selectFrom("report_texts").select("created_at").where("pid", "=", pid)
    .where("state", "=", "signed").orderBy("version").execute();
  return rows.map(({ created_at }) => created_at);
}

/** Numbers of those of the given studies for which a text was ever signed. */
export async function listSigned(db: Database, pids: readonly number[]): Promise<number[]> {
  if (pids.length === 0) return [];
  const rows = await db.selectFrom("report_texts").select("pid").distinct().where("pid", "in", [
    ...pids,
  ])
    .where("state", "=", "signed").execute();
  return rows.map(({ pid }) => pid);
}

/** The newest version of a study's text; `null` without any. */
export async function newestText(db: Database, pid: number): Promise<StoredText | null> {
  const row = await db.selectFrom("report_texts").select(COLUMNS).where("pid", "=", pid)
    .orderBy("version", "desc").limit(1).executeTakeFirst();
  return row ? versionOf(row) : null;
}

export async function insertText(
  db: Database,
  pid: number,
  { created_at, ...text }: StoredText,
  userId: number,
): Promise<void> {
  await db.insertInto("report_texts").values({ pid, ...text, created_at, created_by: userId })
    .execute();
}
