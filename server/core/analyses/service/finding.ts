// Findings of a study for the worklist: computed when a result, the patient or the norms change, never for a list.
import { isInverted } from "@/model/regions/regions.ts";
import { lesionOrderOf } from "@/model/regions/fazekas.ts";
import type { RegionData, StudyFinding } from "@/model/schema/studies/patients.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { listResults } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { CatchUpTask } from "@/server/core/jobs/catch_up.ts";
import { listNorms } from "@/server/core/norms/storage/local_norms.ts";
import { findLongitudinal, type LongitudinalResults } from "@/server/core/analyses/storage/longitudinal.ts";
import {
  listPidsWithoutFinding,
  readPatients,
  setFinding,
  type StoredPatient,
} from "@/server/core/studies/storage/patients.ts";
import { reportVisitsOf } from "@/server/core/reports/service/report_visits.ts";
import { shownRank } from "@/model/norms/rank_format.ts";
import { appliedFrom } from "@/server/core/norms/service/applied_norms.ts";
import { type MeasuredStudy, measureStudy } from "@/model/measured/measured_study.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const AT_ONCE = 10;
const CHANGE_KEYS = ["hippocampus", "brain"] as const;

interface Deviation {
  found: NonNullable<StudyFinding["deviation"]>;
  /** percentile from the conspicuous end: of fluid the upper one */
  fromEnd: number;
}

/** The part nearest to its conspicuous end; values that the norms doubt say more of the segmentation. */
export function largestDeviation(regions: readonly RegionData[]): Deviation | null {
  let largest: Deviation | null = null;
  for (const row of regions) {
    const { brain_regions, part_index } = row;
    const isFluid = isInverted(part_index[0]!), isPair = part_index.length === 2;
    const ranks: [("L" | "R" | ""), PercentileRank | null][] = isPair
      ? [["L", shownRank(row, "left")], ["R", shownRank(row, "right")]]
      : [["", shownRank(row, "total")]];
    for (const [side, rank] of ranks) {
      if (!rank?.has_bands || rank.doubt !== null) continue;
      const { percentile, is_usual } = rank, fromEnd = isFluid ? 100 - percentile : percentile;
      if (largest !== null && fromEnd >= largest.fromEnd) continue;
      largest = { found: { brain_regions, side, percentile, is_usual }, fromEnd };
    }
  }
  return largest;
}

/** The larger of the changes since the latest study before of the same protocol that are beyond the method's error. */
export function changeOf(results: LongitudinalResults | null, pid: number): StudyFinding["change"] {
  const at = results?.visits.findIndex((visit) => visit.pid === pid) ?? -1;
  const prior = results?.visits.slice(0, Math.max(0, at)).findLast(({ differences }) => !differences?.length);
  if (!results || !prior) return null;
  const [, visit] = reportVisitsOf({ ...results, visits: [prior, results.visits[at]!] });
  const changes = CHANGE_KEYS.flatMap((key) => {
    const percent = visit!.annual_change_percent[key] ?? null;
    return percent === null ? [] : { key, percent, since: prior.studyDate };
  });
  return changes.sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent))[0] ?? null;
}

/** What the list of studies says of a study's figures. */
export function studyFindingOf(
  study: MeasuredStudy,
  { visits, pid }: { visits: LongitudinalResults | null; pid: number },
): StudyFinding {
  return {
    deviation: largestDeviation(study.regions)?.found ?? null,
    wmh: study.lesions?.wmh ?? null,
    fazekas_equivalent: study.fazekasEquivalent,
    change: changeOf(visits, pid),
  };
}

async function findingOf(db: Database, { row, analysisId: { t1, t2 } }: StoredPatient) {
  const done = await listResults(db, [t1, t2].filter((id) => id !== null));
  const of1 = t1 === null ? null : done.get(t1) ?? null, results = of1?.results ?? null;
  const flair = t2 === null ? null : done.get(t2)?.flair ?? null;
  const { method } = appliedFrom(of1?.localNormId ? await listNorms(db) : [], of1);
  const study = measureStudy({ patient: row, t1: results, flair, method });
  const visits = results && row.patient_id !== "" ? await findLongitudinal(db, row.patient_id) : null;
  const finding = studyFindingOf(study, { visits: visits?.results ?? null, pid: row.pid });
  const deviation = largestDeviation(study.regions);
  // a load of low confidence neither stands out nor comes last
  const { lesions, fazekasEquivalent } = study;
  const lesionOrder = lesions && lesionOrderOf(fazekasEquivalent === null ? 0 : lesions.wmh);
  return { finding, order: { deviation: deviation?.fromEnd ?? null, lesions: lesionOrder } };
}

/** Updates the findings of studies, in the transaction that changes their results, patient or norms. */
export async function refreshFindings(db: Database, pids: readonly number[]): Promise<void> {
  for (const patient of await readPatients(db, pids)) {
    const { finding, order } = await findingOf(db, patient);
    await setFinding(db, patient.row.pid, finding, order);
  }
}

/** Reads the findings of results of earlier versions, some at a time. */
export const findingsCatchUp = ({ db, log }: ServiceContext): CatchUpTask => ({
  name: "read the findings of studies",
  async run(pace) {
    for (let after = 0;;) {
      const pids = await listPidsWithoutFinding(db, after, AT_ONCE);
      if (pids.length === 0) return;
      // one commit for all, one by one where a result cannot be read
      await db.transaction().execute((tx) => refreshFindings(tx, pids)).catch(async () => {
        for (const pid of pids) {
          await refreshFindings(db, [pid]).catch((error) =>
            log("warn", "Cannot read the finding of a study", { pid, error: String(error) })
          );
        }
      });
      after = pids.at(-1)!;
      await pace.rest();
    }
  },
});
