// Control charts of all scanners, to which new results are appended.
import {
  appendStudy,
  CHART_NAMES,
  type ChartedStudy,
  type ChartName,
  type ChartPoint,
  type ChartStates,
  learntOf,
  limitOf,
  newCharts,
  USED_MEASURES,
} from "@/model/drift/charts.ts";
import type { DriftChart, DriftGroup } from "@/model/schema/report/drift.ts";
import { soundAge } from "@/model/patient/plausible.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import { qualityOf } from "@/model/measured/measured_study.ts";
import { type AnalysisResults, listResults } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import { Computations } from "@/server/core/norms/service/computations.ts";
import { problemOf, publishedZ } from "@/server/core/norms/service/controls.ts";
import { chartedBeforeDeletion } from "@/server/core/norms/service/charts/deleted_charted.ts";
import {
  type ChartedResult,
  chartedStudies,
  engineVersionAt,
  idRanges,
  listUncharted,
  markCharted,
  readUncharted,
} from "@/server/core/norms/storage/charted_results.ts";
import {
  type ChartSums,
  driftComputedAt,
  type DriftKey,
  listDrift,
  lockDrift,
  putDrift,
  readDriftState,
  setDriftComputedAt,
} from "@/server/core/norms/storage/drift.ts";
import { stopMoved } from "@/server/core/norms/service/stops.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import {
  coilsOf,
  isSameScanner,
  protocolsOf,
  scannersOf,
} from "@/server/core/studies/service/scanners.ts";
import { readPatients, type StoredPatient } from "@/server/core/studies/storage/patients.ts";

/**
 * Number of results read in one batch, in some ten milliseconds; requests are handled between two
 * batches.
 */
const SLICE = 25;
/**
 * Number of studies of one scanner that are appended at once. Fewer take longer in all: charts are
 * read and stored as a whole, with a commit, which waits for the disk.
 */
const APPENDED_AT_ONCE = 50;
/** Number of read studies that are kept at most; a computation that ends early reads them again. */
const MAX_KEPT = 3000;
/** Maximum number of points of a chart that are kept for its plot: the newest. */
const MAX_POINTS = 1000;
/** Interval between checks for new results, ms. */
const INTERVAL_MS = 3_600_000;

/** A study that is appended to charts. */
export interface DatedStudy extends ChartedStudy, ChartedResult {
  /** study date, ISO 8601; `null`: unknown */
  date: string | null;
}

type Uncharted = Awaited<ReturnType<typeof readUncharted>>[number];
type Groups = Map<string, { key: DriftKey; studies: DatedStudy[] }>;

/** Key of a scanner's control charts: the case of scanner and coil names is ignored. */
const keyOf = ({ scanner, protocol, coil, engineVersion }: DriftKey) =>
  `${scanner.toLowerCase()}\n${protocol}\n${coil.toLowerCase()}\n${engineVersion}`;

/** Values of a failed or refused analysis, which the charts count as not usable. */
const WITHOUT_RESULT: Pick<ChartedStudy, "isUnreliable" | "age" | "z"> = {
  isUnreliable: true,
  age: null,
  z: new Map(),
};

/**
 * Reads finished analyses for the control charts. Analyses with an unreadable DICOM header, or
 * without an engine version, are retried by the next computation.
 * @returns analyses with their charts, and those that no chart can contain: without a name of the
 * scanner, or without a stored result.
 */
async function readSlice(
  services: ServiceContext,
  ended: readonly Uncharted[],
): Promise<{ charted: (DriftKey & { study: DatedStudy })[]; leftOut: ChartedResult[] }> {
  const seriesIds = ended.map(({ seriesId }) => seriesId);
  const scanners = await scannersOf(services, seriesIds);
  const protocols = await protocolsOf(services, seriesIds);
  const coils = await coilsOf(services, seriesIds);
  const results = await listResults(services.db, ended.map(({ id }) => id));
  const patients = new Map(
    (await readPatients(services.db, ended.map(({ pid }) => pid)))
      .map((patient) => [patient.row.pid, patient]),
  );
  const charted: (DriftKey & { study: DatedStudy })[] = [], leftOut: ChartedResult[] = [];
  for (const { id, pid, seriesId, isCompleted, date, ...each } of ended) {
    const scanner = scanners.get(seriesId), protocol = protocols.get(seriesId);
    const coil = coils.get(seriesId), patient = patients.get(pid);
    if (scanner === undefined || protocol === undefined || coil === undefined || !patient) continue;
    const result = results.get(id)?.results ?? null, of = { analysisId: id, pid, isCompleted };
    const engineVersion = each.engineVersion ??
      (isCompleted ? null : await engineVersionAt(services.db, id));
    if (scanner === "" || (isCompleted && (!result || engineVersion === null))) leftOut.push(of);
    else if (engineVersion !== null) {
      const values = result && isCompleted ? chartedOf(patient, result) : WITHOUT_RESULT;
      charted.push({ scanner, protocol, coil, engineVersion, study: { ...of, date, ...values } });
    }
  }
  return { charted, leftOut };
}

function chartedOf(patient: StoredPatient, result: AnalysisResults): ChartedStudy {
  const { grade } = qualityOf(result);
  return {
    isUnreliable: grade !== "A" && grade !== "B",
    age: soundAge(patient.row),
    z: problemOf(patient, result) === null ? publishedZ(patient, result, USED_MEASURES) : new Map(),
  };
}

const round2 = (value: number) => Math.round(100 * value) / 100;

/** Appends a point to the plot of a chart, which keeps the newest {@link MAX_POINTS}. */
function addPoint(chart: DriftChart, { value, higher, lower }: ChartPoint, date: string | null) {
  chart.dates.push(date);
  chart.values.push(round2(value));
  chart.higher.push(round2(higher));
  chart.lower.push(round2(lower));
  if (chart.dates.length <= MAX_POINTS) return;
  chart.before++;
  for (const list of [chart.dates, chart.values, chart.higher, chart.lower]) list.shift();
}

/** Plot of a chart without points. */
const emptyPlot = (name: ChartName): DriftChart => ({
  name,
  limit: limitOf(name),
  before: 0,
  dates: [],
  values: [],
  higher: [],
  lower: [],
  moved_at: null,
  began_at: null,
  direction: null,
});

/** Place of a value in the plot of a chart; `null`: before its first point. */
const placeOf = (at: number | null, { before }: DriftChart): number | null =>
  at === null || at < before ? null : at - before;

/**
 * Earliest study date since the estimated start of a change, because studies may arrive late;
 * `null`: unknown, so that every study may be affected.
 */
function sinceOf(chart: DriftChart, beganAt: number): string | null {
  const place = placeOf(beganAt, chart), dates = place === null ? [null] : chart.dates.slice(place);
  return dates[0] === null ? null : dates.flatMap((date) => date ?? []).sort()[0] ?? null;
}

const sumsOf = ({ name, limit, higher, lower }: DriftChart): ChartSums => ({
  name,
  part: Math.max(higher.at(-1) ?? 0, lower.at(-1) ?? 0) / limit,
});

const isSameGroup = (a: DriftKey, b: DriftKey): boolean =>
  isSameScanner(a.scanner, b.scanner) && a.protocol === b.protocol &&
  isSameScanner(a.coil, b.coil) && a.engineVersion === b.engineVersion;

/**
 * Appends studies to charts and plots; earlier ones are not judged again.
 * @param states Is changed. @param charts Is changed.
 * @returns charts that signal a change for the first time.
 */
function appendAll(
  states: ChartStates,
  charts: ReadonlyMap<string, DriftChart>,
  studies: readonly DatedStudy[],
): DriftGroup["moved"] {
  const moved: DriftGroup["moved"] = [];
  for (const study of studies) {
    for (const point of appendStudy(states, study)) {
      const { name } = point, state = states.get(name)!, chart = charts.get(name)!;
      addPoint(chart, point, study.date);
      if (state.movedAt !== state.count - 1) continue;
      moved.push({ name, direction: state.direction!, date: sinceOf(chart, state.beganAt!) });
    }
  }
  return moved;
}

/** Sorts studies by date; studies without a date come first. */
const inOrder = (studies: readonly DatedStudy[]): DatedStudy[] =>
  [...studies].sort((a, b) =>
    (a.date ?? "").localeCompare(b.date ?? "") || a.analysisId - b.analysisId
  );

/**
 * Appends studies to the control charts of one scanner, protocol, coil and engine version, in the
 * order of their dates. Studies that arrive late come after those that were appended before. A
 * study has one place in its charts, also if it was deleted and sent again; results from before a
 * restart have none.
 */
export function appendStudies(
  { db, log }: Pick<ServiceContext, "db" | "log">,
  key: DriftKey,
  studies: readonly DatedStudy[],
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const stored = await listDrift(tx), older = stored.find((each) => isSameGroup(each, key));
    // charts of earlier versions mixed the coils: their restart applies to the charts of each coil
    const mixed = stored.find((each) => isSameGroup(each, { ...key, coil: "" }));
    const begin = { computedAt: nowIso(), afterAnalysis: (older ?? mixed)?.afterAnalysis ?? 0 };
    const id = await lockDrift(tx, older ?? key, begin);
    const { states: known, charts: plots, moved: before, afterAnalysis } = await readDriftState(
      tx,
      id,
    );
    const pids = studies.map(({ pid }) => pid), charted = await chartedBeforeDeletion(tx, id, pids);
    for (const [pid, has] of await chartedStudies(tx, id, pids)) {
      charted.set(pid, has || charted.get(pid) === true);
    }
    const unrecorded = await markCharted(tx, studies, id);
    const added = studies.filter(({ analysisId, pid, isCompleted }) =>
      unrecorded.has(analysisId) && analysisId > afterAnalysis &&
      (!charted.has(pid) || isCompleted && charted.get(pid) === false)
    );
    const states = newCharts(known);
    const charts = new Map(
      CHART_NAMES.map((name) => [
        name as string,
        plots.find((plot) => plot.name === name) ?? emptyPlot(name),
      ]),
    );
    const now = appendAll(states, charts, inOrder(added));
    // a signal ends only by a restart
    const fresh = now.filter(({ name }) => !before.some((chart) => chart.name === name));
    const drawn = [...charts.values()].map((chart) => {
      const { movedAt, beganAt, direction } = states.get(chart.name as ChartName)!;
      const moved_at = placeOf(movedAt, chart), began_at = placeOf(beganAt, chart);
      return { ...chart, moved_at, began_at, direction };
    });
    await putDrift(tx, id, {
      added: added.length,
      learnt: learntOf(states),
      moved: [...before, ...fresh],
      hasMoved: fresh.length > 0,
      states,
      charts: drawn,
      sums: drawn.map(sumsOf),
    });
    if (fresh.length > 0) {
      log("warn", "The results of a scanner have changed", {
        scanner: key.scanner,
        charts: fresh.map(({ name }) => name).join(" "),
      });
    }
  });
}

/** Handles pending requests first. */
const yieldToRequests = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

/**
 * Ids of analyses that are not in the charts, in the order of the study dates and of the ids;
 * studies without a date come first.
 */
async function listInOrder({ db }: ServiceContext, signal: AbortSignal): Promise<number[]> {
  const byDate = new Map<string, number[]>();
  for (const range of await idRanges(db)) {
    signal.throwIfAborted();
    for (const { id, date } of await listUncharted(db, range)) {
      const ids = byDate.get(date ?? "");
      if (ids) ids.push(id);
      else byDate.set(date ?? "", [id]);
    }
    await yieldToRequests();
  }
  return [...byDate.keys()].sort().flatMap((date) => byDate.get(date)!);
}

/** Appends the studies of the groups, and removes them from `groups`. */
async function store(services: ServiceContext, groups: Groups, fromSize: number): Promise<void> {
  for (const [name, { key, studies }] of groups) {
    if (studies.length < fromSize) continue;
    groups.delete(name);
    for (let at = 0; at < studies.length; at += APPENDED_AT_ONCE) {
      await appendStudies(services, key, studies.slice(at, at + APPENDED_AT_ONCE));
      await yieldToRequests();
    }
  }
}

/** Appends all results that are not in the charts. */
async function compute(services: ServiceContext, signal: AbortSignal): Promise<void> {
  const { db } = services, ids = await listInOrder(services, signal), groups: Groups = new Map();
  for (let at = 0; at < ids.length; at += SLICE) {
    signal.throwIfAborted();
    const ended = await readUncharted(db, ids.slice(at, at + SLICE));
    const { charted, leftOut } = await readSlice(services, ended);
    if (leftOut.length > 0) await db.transaction().execute((tx) => markCharted(tx, leftOut, null));
    for (const { study, ...key } of charted) {
      const group = groups.get(keyOf(key)) ?? { key, studies: [] };
      groups.set(keyOf(key), group);
      group.studies.push(study);
    }
    await yieldToRequests();
    const kept = [...groups.values()].reduce((sum, { studies }) => sum + studies.length, 0);
    await store(services, groups, kept > MAX_KEPT ? 1 : APPENDED_AT_ONCE);
  }
  await store(services, groups, 1);
  await stopMoved(services);
  await setDriftComputedAt(db, nowIso());
}

const computations = new Computations(compute, "Cannot compute the charts of the scanners");

export const isComputingDrift = (services: ServiceContext): boolean =>
  computations.isRunning(services);

/** Starts computing the charts; if a computation is running, another is started when it ends. */
export const startDrift = (services: ServiceContext): void => computations.start(services);

async function hasUncharted(db: Database): Promise<boolean> {
  // new results have the highest ids
  for (const range of (await idRanges(db)).reverse()) {
    if ((await listUncharted(db, range)).length > 0) return true;
    await yieldToRequests();
  }
  return false;
}

/**
 * Starts computing the charts when there are new results, at most once an hour; also if the last
 * computation is dated in the future, because the clock was set back.
 */
export async function computeDriftWhenDue(
  services: ServiceContext,
  nowMs = Date.now(),
): Promise<void> {
  const computedAt = await driftComputedAt(services.db);
  const atMs = computedAt === null ? -Infinity : Date.parse(computedAt);
  if (nowMs - atMs < INTERVAL_MS && atMs <= latestCredible(nowMs)) return;
  if (await hasUncharted(services.db)) startDrift(services);
}

/** Calls {@link computeDriftWhenDue} every hour until closed. */
export function watchDrift(services: ServiceContext): { close(): Promise<void> } {
  const look = () =>
    computeDriftWhenDue(services).catch((error) =>
      services.log("error", "Cannot look for new results of the scanners", {
        error: String(error),
      })
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
