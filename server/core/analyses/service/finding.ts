// Findings of a study for the worklist. They are stored when a result, the patient or the norms
// change, so that listing studies computes none.
import { isScannerReason } from "@/model/measured/region_data.ts";
import { isInverted } from "@/model/regions/regions.ts";
import { asymmetriesOf, concludeStudy, type MeasuredChange } from "@/model/findings/findings.ts";
import { lesionOrderOf } from "@/model/regions/fazekas.ts";
import type { ListedSides, RegionData, StudyFinding } from "@/model/schema/studies/patients.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { listResults } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { LongitudinalResults } from "@/server/core/analyses/storage/longitudinal.ts";
import { currentLongitudinals } from "@/server/core/analyses/service/comparable_visits.ts";
import { type PlacedFinding, setFindings } from "@/server/core/studies/storage/findings.ts";
import { readPatients, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { atrophyScoreOf, normChangeOf } from "@/server/core/reports/service/report_score.ts";
import { reportVisitsOf } from "@/server/core/reports/service/report_visits.ts";
import { shownRank } from "@/model/norms/rank_format.ts";
import { readAppliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { type MeasuredStudy, measureStudy } from "@/model/measured/measured_study.ts";

/** Number of studies with results in memory at a time. */
const STUDIES_AT_ONCE = 200;

const CHANGE_KEYS = ["hippocampus", "brain"] as const;

interface Deviation {
  found: NonNullable<StudyFinding["deviation"]>;
  /** percentile counted from the abnormal end of the scale: for fluid spaces 100 − percentile */
  fromEnd: number;
}

/**
 * Region with the most abnormal percentile.
 * Regions with a doubted percentile are skipped, because they indicate segmentation errors.
 */
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

/**
 * Volume changes since the latest earlier study with the same protocol, percent per year.
 * Changes within the measurement error are left out.
 */
export function changesOf<Key extends string>(
  results: LongitudinalResults | null,
  pid: number,
  keys: readonly Key[],
): { key: Key; percent: number; since: string; is_acquisition_unknown?: true }[] {
  const at = results?.visits.findIndex((visit) => visit.pid === pid) ?? -1;
  const prior = results?.visits.slice(0, Math.max(0, at)).findLast(({ differences }) =>
    !differences?.length
  );
  if (!results || !prior) return [];
  const visits = [prior, results.visits[at]!], [, visit] = reportVisitsOf({ ...results, visits });
  // a study of unknown protocol counts as the same protocol, and the finding is marked for it
  const isUnknown = visits.some(({ differences }) => differences === null);
  return keys.flatMap((key) => {
    const percent = visit!.annual_change_percent[key] ?? null;
    return percent === null ? [] : {
      key,
      percent,
      since: prior.studyDate,
      ...isUnknown && { is_acquisition_unknown: true as const },
    };
  });
}

/** The largest volume change among the measures that the worklist shows. */
export const changeOf = (
  results: LongitudinalResults | null,
  pid: number,
): StudyFinding["change"] =>
  changesOf(results, pid, CHANGE_KEYS).sort((a, b) =>
    Math.abs(b.percent) - Math.abs(a.percent)
  )[0] ?? null;

/** Measures of `model/norms/annual_change.ts` with changes that can be a finding. */
const FOLLOWED_KEYS = ["hippocampus", "brain", "cortex", "lateral_ventricles"] as const;

/** Volume changes for a study's conclusion, each with the change that the norms expect. */
export function measuredChanges(
  study: MeasuredStudy,
  { visits, pid }: { visits: LongitudinalResults | null; pid: number },
): MeasuredChange[] {
  const ofNorms = normChangeOf(study.normSubject);
  return changesOf(visits, pid, FOLLOWED_KEYS).map((change) => ({
    ...change,
    norm_percent: ofNorms[change.key] ?? null,
  }));
}

const listedRank = (rank: PercentileRank | null | undefined): ListedSides["rank_left"] =>
  rank
    ? { percentile: rank.percentile, low: rank.low, high: rank.high, has_bands: rank.has_bands }
    : null;

/** Volumes of both hippocampi as the report prints them; `null` without a T1w result. */
function hippocampusOf(study: MeasuredStudy): ListedSides | null {
  const row = study.regions.find(({ brain_regions }) => brain_regions === "Hippocampus");
  if (!row || row.volume_left === null || row.volume_right === null) return null;
  const difference = asymmetriesOf(study).find(({ part }) => part === row.brain_regions);
  return {
    left: row.volume_left,
    right: row.volume_right,
    rank_left: listedRank(shownRank(row, "left")),
    rank_right: listedRank(shownRank(row, "right")),
    asymmetry_percent: row.asymmetry_percent ?? null,
    rank_asymmetry: listedRank(difference?.rank),
  };
}

/** Finding of a study for its worklist row. */
export function studyFindingOf(
  study: MeasuredStudy,
  { visits, pid }: { visits: LongitudinalResults | null; pid: number },
): StudyFinding {
  const hippocampus = hippocampusOf(study);
  return {
    deviation: largestDeviation(study.regions)?.found ?? null,
    // a lesion volume of grade C is left out, as in every table without a column for the warning
    wmh: study.lesions?.wmh_detail.is_unreliable ? null : study.lesions?.wmh ?? null,
    fazekas_equivalent: study.fazekasEquivalent,
    change: changeOf(visits, pid),
    ...isScannerReason(study.normReason) && { is_stopped: true },
    ...study.normReason === "scanner_unread" && { is_unread: true },
    ...study.normReason === "scanner_refused" && { is_refused: true },
    ...study.normWarnings.includes("scanner_not_accepted") && { is_provisional: true },
    ...study.isIcvBeyond && { is_icv_beyond: true },
    ...firstFindingOf(study, { visits, pid }),
    ...hippocampus && { hippocampus },
  };
}

/** First finding of a study, and the number of further findings. */
function firstFindingOf(
  study: MeasuredStudy,
  of: { visits: LongitudinalResults | null; pid: number },
): Pick<StudyFinding, "first" | "more"> {
  const score = study.t1 &&
    atrophyScoreOf(study.t1.volumesMm3, study.normSubject, study.thresholds, study.subject.method);
  const { findings } = concludeStudy(study, { changes: measuredChanges(study, of), score });
  const listed = findings.filter(({ certainty }) => certainty !== "possible"), [first] = listed;
  return first ? { first, more: listed.length - 1 } : {};
}

/** Stored results, norms and comparisons that the findings of several studies are made from. */
async function readSources(db: Database, patients: readonly StoredPatient[]) {
  const ids = patients.flatMap(({ analysisId: { t1, t2 } }) => [t1, t2]);
  const done = await listResults(db, ids.filter((id) => id !== null));
  const firstResults = patients.flatMap(({ analysisId: { t1 } }) => done.get(t1 ?? NaN) ?? []);
  const comparisons = new Map<string, Awaited<ReturnType<typeof currentLongitudinals>>>();
  for (const { row: { patient_id }, analysisId: { t1 } } of patients) {
    const isCompared = patient_id !== "" && done.get(t1 ?? NaN)?.results;
    if (!isCompared || comparisons.has(patient_id)) continue;
    comparisons.set(patient_id, await currentLongitudinals(db, patient_id));
  }
  return { done, comparisons, applied: await readAppliedNorms(db, firstResults) };
}

async function findingOf(
  { row, analysisId: { t1, t2 } }: StoredPatient,
  { done, comparisons, applied }: Awaited<ReturnType<typeof readSources>>,
): Promise<PlacedFinding> {
  const of1 = t1 === null ? null : done.get(t1) ?? null, results = of1?.results ?? null;
  const flair = t2 === null ? null : done.get(t2)?.flair ?? null;
  const study = measureStudy({ patient: row, t1: results, flair, method: applied(of1).method });
  // an outdated comparison (changed studies, dates or results) gives no change, as in the report
  const visits = results && await comparisons.get(row.patient_id)?.(row.pid) || null;
  const finding = studyFindingOf(study, { visits, pid: row.pid });
  const deviation = largestDeviation(study.regions);
  // a lesion volume of low confidence is neither shown nor used to sort the worklist
  const { lesions, fazekasEquivalent } = study;
  const lesionOrder = lesions && lesionOrderOf(fazekasEquivalent === null ? 0 : lesions.wmh);
  return {
    pid: row.pid,
    finding,
    order: { deviation: deviation?.fromEnd ?? null, lesions: lesionOrder },
  };
}

/**
 * Recomputes and stores the findings of studies.
 * Call in the transaction that changes results, patient or norms.
 */
export async function refreshFindings(db: Database, pids: readonly number[]): Promise<void> {
  for (let from = 0; from < pids.length; from += STUDIES_AT_ONCE) {
    const patients = await readPatients(db, pids.slice(from, from + STUDIES_AT_ONCE));
    const sources = await readSources(db, patients), computed: PlacedFinding[] = [];
    for (const patient of patients) computed.push(await findingOf(patient, sources));
    await setFindings(db, computed);
  }
}

/**
 * Computes findings of studies without any, or with findings of an older version's rules.
 * One transaction stores the findings of all studies, because every commit waits for the disk.
 * @returns number of studies without current findings before the call.
 */
export async function addMissingFindings(
  db: Database,
  patients: readonly StoredPatient[],
  onUnreadable: (pid: number, error: unknown) => void = () => {},
): Promise<number> {
  const missing = patients.filter(({ isFindingCurrent }) => !isFindingCurrent);
  const computed: PlacedFinding[] = [];
  for (const patient of missing) {
    const { pid } = patient.row;
    try {
      computed.push(await findingOf(patient, await readSources(db, [patient])));
    } catch (error) {
      onUnreadable(pid, error);
    }
  }
  if (computed.length > 0) {
    await db.transaction().execute((tx) => setFindings(tx, computed, true));
  }
  return missing.length;
}
