import type { SeriesKind } from "@/model/schema/studies/study.ts";
import type { Database } from "@/server/core/database/database.ts";

export interface StoredStroke {
  id: number;
  analysisId: number;
  /** changed voxels as runs: [first voxel, count, first voxel, count …] */
  runs: number[];
  value: number;
  createdAt: string;
  creator: string;
  isUndone: boolean;
}

/** Strokes on the label map of an analysis, in the order in which readers made them. */
export async function listStrokes(db: Database, analysisId: number): Promise<StoredStroke[]> {
  const rows = await db.selectFrom("label_strokes as s").leftJoin(
    "users as u",
    "u.id",
    "s.created_by",
  )
    .select(["s.id", "s.runs", "s.value", "s.created_at", "s.undone_at", "u.name", "u.email"])
    .where("s.analysis_id", "=", analysisId).orderBy("s.id").execute();
  return rows.map((row) => ({
    id: row.id,
    analysisId,
    runs: JSON.parse(row.runs),
    value: row.value,
    createdAt: row.created_at,
    creator: row.name || row.email || "",
    isUndone: row.undone_at !== null,
  }));
}

/** Stores a stroke. @returns its id. */
export async function insertStroke(
  db: Database,
  stroke: Pick<StoredStroke, "analysisId" | "runs" | "value"> & {
    pid: number;
    at: string;
    userId: number;
  },
): Promise<number> {
  const { id } = await db.insertInto("label_strokes").values({
    pid: stroke.pid,
    analysis_id: stroke.analysisId,
    runs: JSON.stringify(stroke.runs),
    value: stroke.value,
    created_at: stroke.at,
    created_by: stroke.userId,
  }).returning("id").executeTakeFirstOrThrow();
  return id;
}

/** Marks strokes as undone; if `at` is `null`, as redone. */
export async function setUndone(
  db: Database,
  ids: readonly number[],
  by: { at: string | null; userId: number },
): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable("label_strokes").set({
    undone_at: by.at,
    undone_by: by.at === null ? null : by.userId,
  })
    .where("id", "in", [...ids]).execute();
}

/** Results of an analysis before corrections; the current results if there are no corrections. */
export async function originalResults(db: Database, analysisId: number): Promise<string | null> {
  const original = await db.selectFrom("original_results").select("results")
    .where("analysis_id", "=", analysisId).executeTakeFirst();
  if (original) return original.results;
  const row = await db.selectFrom("analyses").select("results").where("id", "=", analysisId)
    .executeTakeFirst();
  return row?.results ?? null;
}

/** Stores corrected results with the time; at the first correction also the original results. */
export async function writeCorrectedResults(
  db: Database,
  analysisId: number,
  original: string,
  results: string,
  at: string,
): Promise<void> {
  await db.insertInto("original_results").values({ analysis_id: analysisId, results: original })
    .onConflict((conflict) => conflict.doNothing()).execute();
  await db.updateTable("analyses").set({ results, corrected_at: at }).where("id", "=", analysisId)
    .execute();
}

/** Studies with results that readers corrected, by kind of series (T1w, FLAIR). */
export async function listCorrected(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, Set<SeriesKind>>> {
  const correctedKinds = new Map<number, Set<SeriesKind>>();
  if (pids.length === 0) return correctedKinds;
  const rows = await db.selectFrom("label_strokes as s").innerJoin(
    "analyses as a",
    "a.id",
    "s.analysis_id",
  )
    .innerJoin("patients as p", "p.pid", "s.pid")
    .select(["s.pid", "a.kind"]).distinct().where("s.pid", "in", [...pids]).where(
      "s.undone_at",
      "is",
      null,
    )
    .where((e) =>
      e.or([e("p.t1_analysis_id", "=", e.ref("a.id")), e("p.t2_analysis_id", "=", e.ref("a.id"))])
    )
    .execute();
  for (const { pid, kind } of rows) {
    const kinds = correctedKinds.get(pid) ?? new Set();
    correctedKinds.set(pid, kinds.add(kind));
  }
  return correctedKinds;
}
