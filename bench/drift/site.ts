// Control charts of a simulated site, computed as in the product: each hour, new results are
// appended to charts in a database.
import { openDatabase } from "@/server/core/database/database.ts";
import type { ChartedStudy } from "@/model/drift/charts.ts";
import { appendStudies } from "@/server/core/norms/service/charts/drift_job.ts";
import { listDrift } from "@/server/core/norms/storage/drift.ts";

/** Number of results per scanner between two hourly computations. */
export const AN_HOUR = 10;

/**
 * Charts the studies of several scanners, {@link AN_HOUR} of each per computation.
 *
 * @param scanners  Studies of each scanner, in order; the same number for each.
 * @returns For each scanner, the number of studies after which a chart had signalled a change;
 * Infinity: none has.
 */
export async function chartSite(scanners: readonly (readonly ChartedStudy[])[]): Promise<number[]> {
  const db = openDatabase(":memory:"), moved = scanners.map(() => Infinity);
  const services = { db, log: () => {} }, count = scanners[0]!.length;
  const pids = scanners.length * count;
  for (let pid = 1; pid <= pids; pid++) {
    await db.insertInto("patients").values({
      study_uid: `1.2.${pid}`,
      patient_id: "",
      patient_name: "",
      created_at: "2026-01-01T00:00:00Z",
    }).execute();
  }
  for (let from = 0; from < count; from += AN_HOUR) {
    for (const [n, studies] of scanners.entries()) {
      const key = { scanner: `S ${n}`, protocol: "", coil: "", engineVersion: "1" };
      const some = studies.slice(from, from + AN_HOUR).map((study, place) => {
        const id = 1 + n + scanners.length * (from + place);
        return { ...study, analysisId: id, pid: id, isCompleted: true, date: null };
      });
      await appendStudies(services, key, some);
    }
    for (const { scanner, moved: charts } of await listDrift(db)) {
      const n = Number(scanner.slice(2));
      if (charts.length > 0) moved[n] = Math.min(moved[n]!, from + AN_HOUR);
    }
  }
  await db.destroy();
  return moved;
}
