import { AppError } from "@/model/errors.ts";
import {
  AGE_BANDS,
  BIN_WIDTH,
  BINS,
  middleOf,
  sizeOf,
  Z_MIN,
} from "@/model/norms/indirect/histogram.ts";
import { type IndirectNorm, MIN_ROUTINE } from "@/model/norms/indirect/indirect_norm.ts";
import { histogramFrom, isSameBias, pooled } from "@/model/norms/indirect/pooling.ts";
import {
  LOCAL_MEASURES,
  type MeasureName,
  type NormValues,
  SCALE_MAX,
  SCALE_MIN,
} from "@/model/norms/local_norms.ts";
import {
  MAX_POOLS,
  PLOT_COUNT,
  PLOT_MIN,
  PLOT_STEP,
  type PoolProblem,
  type RoutineDetails,
  type RoutineFile,
  type RoutineGroup,
  type RoutineGroups,
  type RoutineRegion,
} from "@/model/schema/report/routine_norms.ts";
import { insertNorm } from "@/server/core/norms/storage/local_norms.ts";
import {
  deletePools,
  listPools,
  listRoutine,
  putPool,
  routineState,
  type StoredPool,
  type StoredRoutine,
} from "@/server/core/norms/storage/routine_norms.ts";
import {
  countsOfOthers,
  fittingPools,
  isComputing,
  startComputing,
} from "@/server/core/norms/service/routine_job.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

/** Minimum number of studies in a file for other sites: fewer counts might identify individuals. */
const MIN_EXPORTED = 20;

function groupOf(routine: StoredRoutine, pools: readonly StoredPool[]): RoutineGroup {
  const others = fittingPools(routine, pools);
  const estimates = Object.values(routine.estimates as Record<string, IndirectNorm>);
  return {
    id: routine.id,
    scanner: routine.scanner,
    protocol: routine.protocol,
    engine_version: routine.engineVersion,
    computed_at: routine.computedAt,
    studies: routine.studies,
    other_studies: others.reduce((sum, { studies }) => sum + studies, 0),
    sites: 1 + others.length,
    estimated: estimates.filter(({ refusal }) => refusal === null).length,
    refused: estimates.filter(({ refusal }) => refusal !== null).length,
    moved: routine.moved,
    is_alarm: routine.isAlarm,
  };
}

/** Newest estimates of all scanners and protocols. @throws {AppError} `access.forbidden`. */
export async function getRoutine(
  services: ServiceContext,
  caller: Caller,
): Promise<RoutineGroups> {
  const { db } = services;
  await checkMaintenance(db, caller);
  // before the results: if a computation ends meanwhile, they would look complete but be old
  const is_computing = isComputing(services);
  const pools = await listPools(db);
  return {
    groups: (await listRoutine(db)).map((routine) => groupOf(routine, pools)),
    computed_at: (await routineState(db)).computedAt,
    is_computing,
  };
}

async function mustFindRoutine({ db }: ServiceContext, id: number): Promise<StoredRoutine> {
  const routine = (await listRoutine(db)).find((each) => each.id === id);
  if (!routine) {
    throw new AppError("entity.not_found", `Cannot find routine studies ${id}: no such number`);
  }
  return routine;
}

function regionOf(
  routine: StoredRoutine,
  pools: readonly StoredPool[],
  name: MeasureName,
  norm: IndirectNorm,
): Omit<RoutineRegion, "measure" | "key"> {
  const own = routine.counts.measures[name]!;
  const others = countsOfOthers(pools, name, own).map(histogramFrom);
  const { histogram } = pooled(histogramFrom(own), others);
  const counts = Array<number>(PLOT_COUNT).fill(0);
  for (const band of histogram.counts) {
    for (let bin = 0; bin < BINS; bin++) {
      const step = Math.floor((middleOf(bin) - PLOT_MIN) / PLOT_STEP);
      if (step >= 0 && step < PLOT_COUNT) counts[step]! += band[bin]!;
    }
  }
  const { refusal, part } = norm;
  return {
    refusal,
    n: sizeOf(histogram),
    part: part && {
      offset: part.offset,
      offset_low: part.offsetLow,
      offset_high: part.offsetHigh,
      scale: part.scale,
      scale_low: part.scaleLow,
      scale_high: part.scaleHigh,
      healthy_share: part.healthyShare,
    },
    counts,
  };
}

/**
 * Estimates for one scanner and protocol by region, with the counts to be plotted.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export async function getRoutineDetails(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<RoutineDetails> {
  await checkMaintenance(services.db, caller);
  const routine = await mustFindRoutine(services, id), pools = await listPools(services.db);
  const fitting = fittingPools(routine, pools);
  return {
    group: groupOf(routine, pools),
    regions: LOCAL_MEASURES.flatMap(({ measure, key, name }) => {
      const norm = routine.estimates[name];
      return norm && routine.counts.measures[name]
        ? [{ measure, key, ...regionOf(routine, fitting, name, norm) }]
        : [];
    }),
  };
}

/** Starts counting and estimating again for all scanners. @throws {AppError} `access.forbidden`. */
export async function computeRoutine(services: ServiceContext, caller: Caller): Promise<void> {
  await checkMaintenance(services.db, caller);
  startComputing(services);
}

/**
 * Proposes local norms from a scanner's routine studies.
 * The norms take effect when another user accepts them.
 * @throws {AppError} `norm.too_few_routine`, `norm.not_separable`, `entity.not_found`,
 * `access.forbidden`.
 */
export async function proposeRoutine(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<{ id: number }> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const routine = await mustFindRoutine(services, id);
  const others = fittingPools(routine, await listPools(db));
  const n = others.reduce((sum, { studies }) => sum + studies, routine.studies);
  if (n < MIN_ROUTINE) {
    throw new AppError("norm.too_few_routine", "Cannot propose norms: too few routine studies", {
      n,
      needed: MIN_ROUTINE,
    });
  }
  const norms: Record<string, NormValues[string]> = {};
  for (const { name } of LOCAL_MEASURES) {
    const norm = routine.estimates[name], counts = routine.counts.measures[name];
    if (!norm || norm.refusal !== null || !counts) continue;
    const { offset, offsetSd, scale } = norm.part;
    norms[name] = {
      offset,
      offsetSd,
      scale: Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale)),
      n: norm.part.n,
      bias: counts.bias,
      isIndirect: true,
    };
  }
  if (Object.keys(norms).length === 0) {
    throw new AppError(
      "norm.not_separable",
      "Cannot propose norms: no healthy part in any measure",
    );
  }
  return {
    id: await insertNorm(db, {
      scanner: routine.scanner,
      protocol: routine.protocol,
      source: "routine",
      sites: 1 + others.length,
      engineVersion: routine.engineVersion,
      controls: n,
      norms,
      proposedAt: nowIso(),
      proposedBy: caller.uid,
    }),
  };
}

/**
 * File of this site's counts for other sites; no studies, patients, dates, scanner or hospital.
 * @throws {AppError} `norm.too_few_routine`, `entity.not_found`, `access.forbidden`.
 */
export async function exportRoutine(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<RoutineFile> {
  await checkMaintenance(services.db, caller);
  const routine = await mustFindRoutine(services, id), { measures } = routine.counts;
  if (routine.studies < MIN_EXPORTED) {
    throw new AppError("norm.too_few_routine", "Cannot export counts: too few routine studies", {
      n: routine.studies,
      needed: MIN_EXPORTED,
    });
  }
  return {
    format: "sulcus-routine-norms",
    version: 1,
    site: (await routineState(services.db)).site,
    engine_version: routine.engineVersion,
    has_opinion: routine.counts.hasOpinion,
    protocol: routine.protocol,
    z_min: Z_MIN,
    bin_width: BIN_WIDTH,
    bins: BINS,
    age_bands: [...AGE_BANDS],
    studies: routine.studies,
    measures: LOCAL_MEASURES.flatMap(({ name }) => {
      const counts = measures[name];
      return counts ? [{ name, ...counts }] : [];
    }),
  };
}

function poolProblemOf(
  routine: StoredRoutine,
  file: RoutineFile,
  site: string,
): PoolProblem | null {
  if (file.site === site) return "own";
  if (file.engine_version !== routine.engineVersion) return "engine";
  if (file.has_opinion !== routine.counts.hasOpinion) return "opinion";
  if (file.protocol !== routine.protocol) return "protocol";
  const names = new Set(file.measures.map(({ name }) => name));
  if (names.size !== file.measures.length) return "counts";
  for (const measure of file.measures) {
    if (!LOCAL_MEASURES.some(({ name }) => name === measure.name)) return "counts";
    try {
      if (sizeOf(histogramFrom(measure)) > file.studies) return "counts";
    } catch (error) {
      if (error instanceof RangeError) return "counts";
      throw error;
    }
    const ours = routine.counts.measures[measure.name as MeasureName];
    if (ours && !isSameBias(ours.bias, measure.bias)) return "bias";
  }
  return null;
}

/**
 * Adds another site's counts to those of a scanner, and starts a new estimate.
 * @returns number of studies counted by the other site.
 * @throws {AppError} `norm.pool_unsuitable` with the reason, `entity.not_found`, `access.forbidden`.
 */
export async function importRoutine(
  services: ServiceContext,
  id: number,
  file: RoutineFile,
  caller: Caller,
): Promise<number> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const routine = await mustFindRoutine(services, id), { site } = await routineState(db);
  const pools = (await listPools(db)).filter(({ routineId }) => routineId === id);
  const isFull = pools.length >= MAX_POOLS && !pools.some((pool) => pool.file.site === file.site);
  const reason = isFull ? "too_many" : poolProblemOf(routine, file, site);
  if (reason !== null) {
    throw new AppError("norm.pool_unsuitable", "Cannot pool counts: the file does not fit", {
      reason,
    });
  }
  await putPool(db, id, file, { userId: caller.uid, at: nowIso() });
  startComputing(services);
  return file.studies;
}

/**
 * Removes the counts of other sites from a scanner, and starts a new estimate.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export async function removePools(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(services.db, caller);
  await mustFindRoutine(services, id);
  if (await deletePools(services.db, id) > 0) startComputing(services);
}
