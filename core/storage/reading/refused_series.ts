import type { ErrorDetails } from "@/model/errors.ts";
import type { Database } from "@/core/storage/database/database.ts";

/** A series that was sent with a study and not taken. */
interface RefusedSeries {
  seriesUid: string;
  description: string;
  files: number;
  reason: string;
  details: ErrorDetails;
}

/** Notes series of a study that were not taken, over what was noted of them before. */
export async function noteRefused(
  db: Database,
  pid: number,
  refused: readonly RefusedSeries[],
  now: string,
): Promise<void> {
  for (const { seriesUid, description, files, reason, details } of refused) {
    const values = { description, files, reason, details: JSON.stringify(details), refused_at: now };
    await db.insertInto("refused_series").values({ pid, series_uid: seriesUid, ...values })
      .onConflict((conflict) => conflict.columns(["pid", "series_uid"]).doUpdateSet(values)).execute();
  }
}

/** Series of a study that were not taken, and have not been since. */
export async function listRefused(db: Database, pid: number): Promise<RefusedSeries[]> {
  const rows = await db.selectFrom("refused_series as r").selectAll().where("r.pid", "=", pid)
    .where((e) =>
      e.not(e.exists(
        e.selectFrom("series as s").select("s.id").whereRef("s.pid", "=", "r.pid")
          .whereRef("s.series_uid", "=", "r.series_uid"),
      ))
    )
    .orderBy("r.description").orderBy("r.series_uid").execute();
  return rows.map(({ series_uid, description, files, reason, details }) => ({
    seriesUid: series_uid,
    description,
    files,
    reason,
    details: JSON.parse(details),
  }));
}
