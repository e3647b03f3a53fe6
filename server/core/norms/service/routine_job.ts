// Counts routine studies and estimates their healthy part, each month and on demand.
import { latestCredible } from "@/model/time/stored_time.ts";
import type { IndirectNorm } from "@/model/norms/indirect/indirect_norm.ts";
import { isSameBias, type SparseHistogram } from "@/model/norms/indirect/pooling.ts";
import { priorOf } from "@/model/norms/indirect/prior.ts";
import { LOCAL_MEASURES, type MeasureName } from "@/model/norms/local_norms.ts";
import {
  deleteRoutine,
  listPools,
  listRoutine,
  type MeasureCounts,
  putRoutine,
  routineState,
  setComputed,
  type StoredPool,
  type StoredRoutine,
} from "@/server/core/norms/storage/routine_norms.ts";
import { Computations } from "@/server/core/norms/service/computations.ts";
import { isSameGroup, refreshDrift } from "@/server/core/norms/service/routine_drift.ts";
import { fitInWorker, type FitTask } from "@/server/core/norms/service/routine_fit.ts";
import { type CountedGroup, countRoutine } from "@/server/core/norms/service/routine_studies.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/** Interval between checks, and age at which an estimate is computed again (a month), ms. */
const INTERVAL_MS = 3_600_000, MONTH_MS = 30 * 24 * INTERVAL_MS;

/**
 * Pooled files of other sites that were made with the same engine version as this site's studies.
 */
export const fittingPools = (
  { id, engineVersion, counts }: Pick<StoredRoutine, "id" | "engineVersion" | "counts">,
  pools: readonly StoredPool[],
): StoredPool[] =>
  pools.filter(({ routineId, file }) =>
    routineId === id && file.engine_version === engineVersion &&
    file.has_opinion === counts.hasOpinion
  );

/** Counts of a measure in other sites' files, made with the same bias as this site's counts. */
export const countsOfOthers = (
  pools: readonly StoredPool[],
  name: MeasureName,
  { bias }: Pick<MeasureCounts, "bias">,
): SparseHistogram[] =>
  pools.flatMap(({ file }) =>
    file.measures.filter((each) => each.name === name && isSameBias(each.bias, bias))
  );

async function estimate(
  group: CountedGroup,
  pools: readonly StoredPool[],
  signal: AbortSignal,
): Promise<Partial<Record<MeasureName, IndirectNorm>>> {
  const { hasOpinion, measures } = group.counts;
  const tasks = LOCAL_MEASURES.flatMap(({ measure, key, name }): FitTask[] => {
    const counts = measures[name], prior = priorOf(measure, key, hasOpinion);
    if (!counts || !prior) return [];
    return [{ name, counts, others: countsOfOthers(pools, name, counts), prior }];
  });
  return Object.fromEntries(await fitInWorker(tasks, signal));
}

async function compute(services: ServiceContext, signal: AbortSignal): Promise<void> {
  const { db } = services;
  await routineState(db);
  const groups = await countRoutine(services), stored = await listRoutine(db);
  for (const group of groups) {
    signal.throwIfAborted();
    const older = stored.find((routine) => isSameGroup(routine, group));
    const pools = older ? fittingPools({ ...group, id: older.id }, await listPools(db)) : [];
    const estimates = await estimate(group, pools, signal);
    // the key is in lower case, but the scanner's name is stored as in the header
    const scanner = older?.scanner ?? group.scanner;
    await putRoutine(db, { ...group, scanner, estimates, computedAt: nowIso() });
  }
  for (const routine of stored) {
    if (!groups.some((group) => isSameGroup(routine, group))) await deleteRoutine(db, routine.id);
  }
  await refreshDrift(services);
  await setComputed(db, nowIso());
}

const computations = new Computations(compute, "Cannot estimate norms of routine studies");

export const isComputing = (services: ServiceContext): boolean => computations.isRunning(services);

/** Starts a computation of routine norms; if one is running, another is started when it ends. */
export const startComputing = (services: ServiceContext): void => computations.start(services);

/** Waits until the running computation has ended. */
export const computed = (services: ServiceContext): Promise<void> => computations.ended(services);

/**
 * Starts a computation of routine norms if there is none yet, if the newest is a month old,
 * or if the newest is dated in the future, because the clock was set back.
 */
export async function computeWhenDue(services: ServiceContext, nowMs = Date.now()): Promise<void> {
  const { computedAt } = await routineState(services.db);
  const atMs = computedAt === null ? -Infinity : Date.parse(computedAt);
  if (nowMs - atMs >= MONTH_MS || atMs > latestCredible(nowMs)) startComputing(services);
}

/** Calls {@link computeWhenDue} every hour until closed. */
export function watchRoutineNorms(services: ServiceContext): { close(): Promise<void> } {
  const look = () =>
    computeWhenDue(services).catch((error) =>
      services.log("error", "Cannot look whether norms are due", { error: String(error) })
    );
  const timer = setInterval(() => void look(), INTERVAL_MS);
  Deno.unrefTimer(timer as unknown as number);
  return {
    async close() {
      clearInterval(timer);
      await computations.stop(services);
    },
  };
}
