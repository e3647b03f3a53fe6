import type { DisplayScale } from "@/model/schema/reading/series.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Stored display scale of an analysis' images; `null`: the images allow no estimate;
 * `undefined`: nothing is stored yet.
 */
export async function findDisplayScale(
  db: Database,
  analysisId: number,
): Promise<DisplayScale | null | undefined> {
  const row = await db.selectFrom("display_scales").select("scale").where(
    "analysis_id",
    "=",
    analysisId,
  )
    .executeTakeFirst();
  return row && JSON.parse(row.scale);
}

/** Stores a display scale unless one is stored: another process may have estimated it first. */
export async function saveDisplayScale(
  db: Database,
  analysisId: number,
  scale: DisplayScale | null,
): Promise<void> {
  await db.insertInto("display_scales").values({
    analysis_id: analysisId,
    scale: JSON.stringify(scale),
  })
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** Series of a study with the number of their files, in the order of arrival. */
export async function listSeriesFiles(
  db: Database,
  pid: number,
): Promise<
  { id: number; kind: "t1" | "t2"; description: string; volumeBlob: string; files: number }[]
> {
  const rows = await db.selectFrom("series as s").leftJoin("instances as i", "i.series_id", "s.id")
    .select(["s.id", "s.kind", "s.description", "s.volume_blob"])
    .select((e) => e.fn.count("i.id").as("files"))
    .where("s.pid", "=", pid).groupBy(["s.id", "s.kind", "s.description", "s.volume_blob"]).orderBy(
      "s.id",
    )
    .execute();
  return rows.map(({ volume_blob, files, ...row }) => ({
    ...row,
    volumeBlob: volume_blob,
    files: Number(files),
  }));
}
