import { type ChangeLimits, limitsFromRepeats } from "@/model/norms/change_limits.ts";
import { trackedValues, yearsBetween } from "@/model/norms/annual_change.ts";
import { listControls } from "@/server/core/norms/storage/local_norms.ts";
import {
  findLongitudinal,
  listLongitudinals,
} from "@/server/core/analyses/storage/longitudinal.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Maximum time between two studies of a volunteer in which no change is assumed. */
const REPEAT_YEARS = 0.25;

/**
 * Smallest detectable change by the site's repeated scans: volunteers who were scanned twice in a
 * quarter of a year with the same protocol, if both scans were measured together.
 * `null` with fewer than three such pairs of studies.
 */
export async function siteLimits(db: Database): Promise<ChangeLimits | null> {
  const controls = new Set(await listControls(db));
  if (controls.size < 2) return null;
  const ids = new Set((await readPatients(db, [...controls])).map(({ row }) => row.patient_id));
  ids.delete("");
  const compared = [], pairs = [];
  for (const patientId of ids) {
    for (const { firstPid } of await listLongitudinals(db, patientId)) {
      compared.push((await findLongitudinal(db, patientId, firstPid))?.visits ?? []);
    }
  }
  for (const visits of compared) {
    const [first, ...others] = visits.filter(({ pid, differences }) =>
      controls.has(pid) && differences?.length === 0
    );
    const repeat = others.find((visit) =>
      yearsBetween(first!.studyDate, visit.studyDate) <= REPEAT_YEARS
    );
    if (!first || !repeat) continue;
    pairs.push(
      [
        trackedValues(first.volumesMm3, first.sideMm),
        trackedValues(repeat.volumesMm3, repeat.sideMm),
      ] as const,
    );
  }
  return limitsFromRepeats(pairs);
}
