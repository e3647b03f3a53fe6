import type { NormValues } from "@/model/norms/local_norms.ts";
import type { NormTable } from "@/model/norms/imported/table.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** Local norms of the site, from controls, routine studies or an imported table. */
export interface StoredNorm {
  id: number;
  /** scanner: manufacturer, model and serial number; `null`: all scanners of the site */
  scanner: string | null;
  /** acquisition protocol; `null`: all protocols of the scanner */
  protocol: string | null;
  /** source: control studies, the healthy part of routine studies, or an imported table */
  source: "controls" | "routine" | "table";
  /** number of sites with studies in the norms */
  sites: number;
  /** engine version for which the norms were made; empty: any version */
  engineVersion: string;
  /** number of studies from which the norms were made */
  controls: number;
  norms: NormValues;
  /** title of the imported table */
  title: string | null;
  /** the imported table; `null` for other sources, and after it was revoked */
  table: NormTable | null;
  proposedAt: string;
  proposedBy: number | null;
  acceptedAt: string | null;
  acceptedBy: number | null;
  revokedAt: string | null;
  revokedBy: number | null;
}

/** Marks studies as controls; studies that are deleted or already marked are ignored. */
export async function insertControls(
  db: Database,
  pids: readonly number[],
  by: { userId: number; at: string },
): Promise<void> {
  for (const pid of pids) {
    await db.insertInto("controls").columns(["pid", "marked_at", "marked_by"]).expression((e) =>
      e.selectFrom("patients").select((p) => [
        "patients.pid",
        p.val(by.at).as("marked_at"),
        p.lit(by.userId).as("marked_by"),
      ]).where("patients.pid", "=", pid)
    ).onConflict((conflict) => conflict.doNothing()).execute();
  }
}

/** Removes a study from the controls. @returns whether it was a control. */
export async function deleteControl(db: Database, pid: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("controls").where("pid", "=", pid)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}

/** Ids of all control studies, ascending. */
export async function listControls(db: Database): Promise<number[]> {
  const rows = await db.selectFrom("controls").select("pid").orderBy("pid").execute();
  return rows.map(({ pid }) => pid);
}

/** Stores proposed local norms. @returns id of the norms. */
export async function insertNorm(
  db: Database,
  norm:
    & Pick<
      StoredNorm,
      "scanner" | "engineVersion" | "controls" | "norms" | "proposedAt" | "proposedBy"
    >
    & Partial<Pick<StoredNorm, "protocol" | "source" | "sites" | "table">>,
): Promise<number> {
  const row = await db.insertInto("local_norms").values({
    scanner: norm.scanner,
    protocol: norm.protocol ?? null,
    source: norm.source ?? "controls",
    sites: norm.sites ?? 1,
    engine_version: norm.engineVersion,
    controls: norm.controls,
    norms: JSON.stringify(norm.norms),
    title: norm.table?.title ?? null,
    content: norm.table ? JSON.stringify(norm.table) : null,
    proposed_at: norm.proposedAt,
    proposed_by: norm.proposedBy,
    accepted_at: null,
    accepted_by: null,
    revoked_at: null,
    revoked_by: null,
  }).returning("id").executeTakeFirstOrThrow();
  return row.id;
}

const COLUMNS = [
  "id",
  "scanner",
  "protocol",
  "source",
  "sites",
  "engine_version",
  "controls",
  "norms",
  "title",
  "proposed_at",
  "proposed_by",
  "accepted_at",
  "accepted_by",
  "revoked_at",
  "revoked_by",
] as const;

/** All local norms, newest first. */
export async function listNorms(db: Database): Promise<StoredNorm[]> {
  const rows = await db.selectFrom("local_norms").select(COLUMNS).orderBy("id", "desc").execute();
  const open = rows.filter(({ source, revoked_at }) => source === "table" && revoked_at === null);
  const contents = open.length === 0 ? [] : await db.selectFrom("local_norms")
    .select(["id", "content"]).where(isAmong(db, "id", numberList(db, open.map(({ id }) => id))))
    .execute();
  const tables = new Map(
    contents.flatMap(({ id, content }): [number, NormTable][] =>
      content === null ? [] : [[id, JSON.parse(content)]]
    ),
  );
  return rows.map((row) => ({
    id: row.id,
    scanner: row.scanner,
    protocol: row.protocol,
    source: row.source,
    sites: row.sites,
    engineVersion: row.engine_version,
    controls: row.controls,
    norms: JSON.parse(row.norms),
    title: row.title,
    table: tables.get(row.id) ?? null,
    proposedAt: row.proposed_at,
    proposedBy: row.proposed_by,
    acceptedAt: row.accepted_at,
    acceptedBy: row.accepted_by,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
  }));
}

export const findNorm = async (db: Database, id: number): Promise<StoredNorm | null> =>
  (await listNorms(db)).find((norm) => norm.id === id) ?? null;

interface By {
  userId: number;
  at: string;
}

/** Accepts local norms. @returns false if they are not proposed, or by the same person. */
export async function acceptNorm(db: Database, id: number, { userId, at }: By): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("local_norms").set({
    accepted_at: at,
    accepted_by: userId,
  })
    .where("id", "=", id).where("accepted_at", "is", null).where("revoked_at", "is", null)
    .where((e) => e.or([e("proposed_by", "is", null), e("proposed_by", "!=", userId)]))
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Revokes local norms. @returns false if they are already revoked. */
export async function revokeNorm(db: Database, id: number, { userId, at }: By): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("local_norms").set({
    revoked_at: at,
    revoked_by: userId,
  })
    .where("id", "=", id).where("revoked_at", "is", null).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** A completed T1w analysis that is suitable for norms, without its results. */
export interface ResultPlace {
  id: number;
  pid: number;
  seriesId: number;
  engineVersion: string | null;
  localNormId: number | null;
}

/**
 * Completed T1w analyses that are suitable for norms, with an id above the given one, ascending.
 */
export async function listResultPlaces(
  db: Database,
  after: number,
  limit: number,
): Promise<ResultPlace[]> {
  const rows = await db.selectFrom("analyses as a")
    .innerJoin(
      "patients as p",
      (join) => join.onRef("p.pid", "=", "a.pid").onRef("p.t1_analysis_id", "=", "a.id"),
    )
    .select(["a.id", "a.pid", "a.series_id", "a.engine_version", "a.local_norm_id"])
    .where("a.status", "=", "completed").where("a.id", ">", after).orderBy("a.id").limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    pid: row.pid,
    seriesId: row.series_id,
    engineVersion: row.engine_version,
    localNormId: row.local_norm_id,
  }));
}

/** Assigns local norms to analyses, and the time at which this changed. */
export async function setNorm(
  db: Database,
  analysisIds: readonly number[],
  normId: number,
  at: string,
): Promise<void> {
  await db.updateTable("analyses").set({ local_norm_id: normId, local_norm_at: at })
    .where(isAmong(db, "id", numberList(db, analysisIds))).execute();
}

/** Studies with a result to which the given local norms are applied. */
export async function listPidsWith(db: Database, normId: number): Promise<number[]> {
  const rows = await db.selectFrom("analyses").select("pid").distinct().where(
    "local_norm_id",
    "=",
    normId,
  )
    .execute();
  return rows.map(({ pid }) => pid);
}

/** Names (scanner, protocol, coil) read from a series' header and stored with the series. */
export type HeaderName = "scanner" | "protocol" | "coil";

/** Stored names by series id; a series is missing until its header has been read. */
export async function listHeaderNames(
  db: Database,
  of: HeaderName,
  seriesIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.selectFrom("series").select(["id", `${of} as name`])
    .where(isAmong(db, "id", numberList(db, seriesIds))).execute();
  return new Map(rows.flatMap(({ id, name }) => name === null ? [] : [[id, name]]));
}

export async function setHeaderName(
  db: Database,
  of: HeaderName,
  seriesId: number,
  name: string,
): Promise<void> {
  await db.updateTable("series").set({ [of]: name }).where("id", "=", seriesId).execute();
}
