import { soundAge } from "@/model/patient/plausible.ts";
import { AppError } from "@/model/errors.ts";
import { LOCAL_MEASURES } from "@/model/norms/local_norms.ts";
import { isInvertedKey } from "@/model/regions/measures.ts";
import { limitsOf, rankOf } from "@/model/norms/percentile_rank.ts";
import type { NormChange, NormChanges } from "@/model/schema/report/norms.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import {
  type AnalysisResults,
  listResults,
  type NormedAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import {
  findNorm,
  listNorms,
  listResultPlaces,
  type ResultPlace,
  setNorm,
  type StoredNorm,
} from "@/server/core/norms/storage/local_norms.ts";
import { readPatients, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import {
  appliedFrom,
  isForEngine,
  isInForce,
  methodWith,
  normFor,
  readRules,
  type ScannerRules,
} from "@/server/core/norms/service/applied_norms.ts";
import { noteChanges } from "@/server/core/connections/service/result_queue.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { subjectFor, valueOf } from "@/server/core/norms/service/controls.ts";
import { mustFindNorm, publishNormChange } from "@/server/core/norms/service/local_norms.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { personReasonOf } from "@/model/measured/region_data.ts";
import { protocolsOf, scannersOf } from "@/server/core/studies/service/scanners.ts";

/** Number of results that one call examines. */
const PAGE = 50;
const STUDIES_PER_BATCH = 500;
const DEFAULT_LIMITS = limitsOf(DEFAULT_THRESHOLDS);

/** Selects the results to which norms would newly apply. */
async function candidates(
  services: ServiceContext,
  norm: StoredNorm,
  places: readonly ResultPlace[],
): Promise<ResultPlace[]> {
  // proposed norms are treated as if they were accepted
  const otherNorms = (await listNorms(services.db)).filter(({ id }) => id !== norm.id);
  const norms = [...otherNorms, { ...norm, acceptedAt: norm.acceptedAt ?? nowIso() }];
  const measured = places.filter((place) =>
    isForEngine(norm, place.engineVersion) && place.localNormId !== norm.id
  );
  const scanners = await scannersOf(services, measured.map(({ seriesId }) => seriesId));
  const protocols = norms.some(({ protocol }) => protocol !== null)
    ? await protocolsOf(services, measured.map(({ seriesId }) => seriesId))
    : new Map<number, string>();
  return measured.filter(({ seriesId, engineVersion }) =>
    normFor(norms, scanners.get(seriesId) ?? "", protocols.get(seriesId) ?? "", engineVersion)
      ?.id === norm.id
  );
}

const readingOf = ({ percentile, level, possible_level, is_usual }: PercentileRank) => ({
  percentile,
  level,
  possible_level,
  is_usual,
});

/**
 * Measures with bands for which the percentile (in whole points) or the band would change.
 * None while the percentiles of the scanner are withheld: no page shows them, before or after.
 */
function changesOf(
  patient: StoredPatient,
  results: AnalysisResults,
  before: NormedAnalysis,
  norm: StoredNorm,
  { norms, rules }: { norms: readonly StoredNorm[]; rules: ScannerRules },
): NormChange["measures"] {
  const { row } = patient, subject = { age: soundAge(row), sex: row.patient_sex };
  if (personReasonOf({ ...subject, grade: results.quality.grade }) !== null) return [];
  const old = appliedFrom(norms, before, rules).method, next = methodWith(old, norm);
  if (old.isStopped) return [];
  return LOCAL_MEASURES.flatMap(({ measure, key, name }) => {
    const value = valueOf(name, results), is_inverted = measure === "volume" && isInvertedKey(key);
    if (value <= 0) return [];
    const ranks = [old, next].map((method) =>
      rankOf(measure, key, value, subjectFor(name, patient, results), {
        limits: DEFAULT_LIMITS,
        isInverted: is_inverted,
      }, method)
    );
    const [a, b] = ranks;
    if (!a?.has_bands || !b?.has_bands) return [];
    const isSame = Math.round(a.percentile) === Math.round(b.percentile) && a.level === b.level &&
      a.possible_level === b.possible_level && a.is_usual === b.is_usual;
    return isSame ? [] : [{ measure, key, is_inverted, before: readingOf(a), after: readingOf(b) }];
  });
}

/**
 * Stored results that proposed or accepted norms would change, page by page.
 * A page of results may be empty although later pages are not.
 * @throws {AppError} `norm.not_open` for revoked norms, `entity.not_found`, `access.forbidden`.
 */
export async function listChanges(
  services: ServiceContext,
  id: number,
  after: number,
  caller: Caller,
): Promise<NormChanges> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const norm = await mustFindNorm(services, id);
  if (norm.revokedAt !== null) {
    throw new AppError("norm.not_open", "Cannot list changes: the local norms are undone");
  }
  const places = await listResultPlaces(db, after, PAGE),
    found = await candidates(services, norm, places);
  const results = await listResults(db, found.map((place) => place.id)),
    inForce = { norms: await listNorms(db), rules: await readRules(db) };
  const patients = await readPatients(db, found.map(({ pid }) => pid));
  const changes = patients.flatMap((patient): NormChange[] => {
    const { row, analysisId } = patient, analysis = results.get(analysisId.t1 ?? 0);
    if (!analysis?.results) return [];
    const measures = changesOf(patient, analysis.results, analysis, norm, inForce);
    return measures.length === 0
      ? []
      : [{ pid: row.pid, patient_id: row.patient_id, study_date: row.study_date, measures }];
  });
  return {
    changes,
    other_engine: places.filter(({ engineVersion }) => !isForEngine(norm, engineVersion)).length,
    next: places.length < PAGE ? null : places.at(-1)!.id,
  };
}

/**
 * Applies local norms to all stored results of their scanner and engine version, or to none.
 * @returns number of studies with percentiles that changed.
 * @throws {AppError} `norm.not_in_force`, `entity.not_found`, `access.forbidden`.
 */
export async function applyNorm(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<number[]> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const norm = await mustFindNorm(services, id);
  const notInForce = () =>
    new AppError("norm.not_in_force", "Cannot apply local norms: they are not in force");
  if (!isInForce(norm)) throw notInForce();
  const candidatePlaces: ResultPlace[] = [];
  for (let lastId = 0;;) {
    const places = await listResultPlaces(db, lastId, STUDIES_PER_BATCH);
    if (places.length === 0) break;
    candidatePlaces.push(...await candidates(services, norm, places));
    lastId = places.at(-1)!.id;
  }
  const pids = candidatePlaces.map(({ pid }) => pid);
  await db.transaction().execute(async (tx) => {
    const currentNorm = await findNorm(tx, id);
    if (!currentNorm || !isInForce(currentNorm)) throw notInForce();
    await setNorm(tx, candidatePlaces.map((place) => place.id), id, nowIso());
    await noteChanges(tx, pids, "norms");
  });
  await publishNormChange(services, pids, caller);
  return pids;
}
