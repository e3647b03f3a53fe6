// Reads the columns that identify the results which a text was signed for (see results_key.ts), for
// many studies at once, without reading the long results themselves.
import { sql } from "kysely";
import type { Sex } from "@/model/norms/norms.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import type { Database } from "@/server/core/database/database.ts";
import { imageDateColumn, isoImageDate } from "@/server/core/database/image_date.ts";
import { isAmong, isPostgres, numberList } from "@/server/core/database/postgres.ts";

/** Columns of a completed analysis that contribute to the results key (results_key.ts). */
export interface NamedAnalysis {
  id: number;
  kind: SeriesKind;
  finishedAt: string | null;
  correctedAt: string | null;
  /** results as JSON if an earlier release recorded a correction in them; otherwise `null` */
  noted: string | null;
  engineVersion: string | null;
  localNormId: number | null;
  localNormAt: string | null;
  /** acquisition of the analysed images; a value is `null` if unknown or not read yet */
  acquisition: {
    scanner: string | null;
    protocol: string | null;
    /** study date by the images */
    imageDate: string | null;
    receivedAt: string | null;
  };
}

/** A study with the columns of its completed analyses, T1w before FLAIR. */
export interface NamedStudy {
  birth: string | null;
  sex: Sex | null;
  date: string | null;
  analyses: NamedAnalysis[];
  /** time of the latest lesion verdict or MTA grade by a reader; `null` without any */
  judgedAt: string | null;
}

/** Reads studies by study number; a study without a completed analysis has an empty list. */
export async function readNamedStudies(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, NamedStudy>> {
  const requested = numberList(db, pids);
  const [rows, judged] = await Promise.all([
    db.selectFrom("patients as p")
      .leftJoin(
        "analyses as a",
        (join) =>
          join.on((e) =>
            e.or([
              e("a.id", "=", e.ref("p.t1_analysis_id")),
              e("a.id", "=", e.ref("p.t2_analysis_id")),
            ])
          ).on("a.status", "=", "completed").on("a.results", "is not", null),
      )
      .leftJoin("series as s", "s.id", "a.series_id")
      .leftJoin("series_headers as h", "h.series_id", "a.series_id")
      .select([
        "p.pid",
        "p.patient_birthdate as birth",
        "p.patient_sex as sex",
        "p.study_date as date",
        "p.created_at as received_at",
        imageDateColumn.as("image_date"),
        "a.id",
        "a.kind",
        "a.finished_at",
        "a.corrected_at",
        "a.engine_version",
        "a.local_norm_id",
        "a.local_norm_at",
        "s.scanner",
        "s.protocol",
        // results are long: they are read only if an earlier release recorded a correction in them
        sql<string | null>`CASE WHEN a.corrected_at IS NULL AND ${
          sql.raw(isPostgres(db) ? "strpos" : "instr")
        }(a.results, '"corrected":{') > 0 THEN a.results END`
          .as("noted"),
      ])
      .where(isAmong(db, "p.pid", requested)).execute(),
    db.selectFrom("result_changes").select((e) => ["pid", e.fn.max("changed_at").as("at")])
      .where(isAmong(db, "pid", requested)).where("cause", "in", ["verdicts", "grade"])
      .groupBy("pid").execute(),
  ]);
  const judgedAt = new Map(judged.map(({ pid, at }) => [pid, at]));
  const studies = new Map<number, NamedStudy>();
  for (const row of rows.sort((a, b) => (a.kind ?? "") < (b.kind ?? "") ? -1 : 1)) {
    const { pid, birth, sex, date } = row;
    const study = studies.get(pid) ??
      { birth, sex, date, analyses: [], judgedAt: judgedAt.get(pid) ?? null };
    studies.set(pid, study);
    if (row.id === null || row.kind === null) continue;
    study.analyses.push({
      id: row.id,
      kind: row.kind,
      finishedAt: row.finished_at,
      correctedAt: row.corrected_at,
      noted: row.noted,
      engineVersion: row.engine_version,
      localNormId: row.local_norm_id,
      localNormAt: row.local_norm_at,
      acquisition: {
        scanner: row.scanner,
        protocol: row.protocol,
        imageDate: isoImageDate(row.image_date),
        receivedAt: row.received_at,
      },
    });
  }
  return studies;
}
