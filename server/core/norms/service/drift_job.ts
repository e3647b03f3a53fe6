// Control charts of all scanners, computed when there are new results.
import { type ChartedStudy, chartsOf, limitOf, type NamedChart } from "@/model/drift/charts.ts";
import type { DriftChart, DriftGroup } from "@/model/schema/report/drift.ts";
import { soundAge } from "@/model/patient/plausible.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import { qualityOf } from "@/model/measured/measured_study.ts";
import { type AnalysisResults, listResults } from "@/server/core/analyses/storage/analyses.ts";
import { Computations } from "@/server/core/norms/service/computations.ts";
import { problemOf, publishedZ } from "@/server/core/norms/service/controls.ts";
import {
  type ChartSums,
  type DriftKey,
  driftStateOf,
  listDrift,
  newestEnded,
  putDrift,
  setDriftState,
  type StoredDrift,
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

/** Number of results read in one batch; requests are handled between two batches. */
const SLICE = 100;
/** Maximum number of results in the charts: the newest results of the site. */
const MAX_RESULTS = 2000;
/** Interval between checks for new results, ms. */
const INTERVAL_MS = 3_600_000;

interface DatedStudy extends ChartedStudy {
  analysisId: number;
  /** study date, ISO 8601; `null`: unknown */
  date: string | null;
}

type Ended = Awaited<ReturnType<typeof newestEnded>>[number];

/**
 * Analyses with engine versions. A failed analysis has none, so it gets that of the newest result
 * before it, or of the first result after it. Results without a version are left out.
 * @param ended Analyses that have ended, newest first.
 */
function withVersions(ended: readonly Ended[]): (Ended & { engineVersion: string })[] {
  let engineVersion = ended.findLast((each) => each.engineVersion !== null)?.engineVersion ?? null;
  return ended.toReversed().flatMap((each) => {
    engineVersion = each.engineVersion ?? engineVersion;
    const isWithout = engineVersion === null || (each.isCompleted && each.engineVersion === null);
    return isWithout ? [] : [{ ...each, engineVersion: engineVersion! }];
  }).reverse();
}

/** Key of a scanner's control charts: the case of scanner and coil names is ignored. */
const keyOf = ({ scanner, protocol, coil, engineVersion }: DriftKey) =>
  `${scanner.toLowerCase()}\n${protocol}\n${coil.toLowerCase()}\n${engineVersion}`;

/** Values of a failed or refused analysis, which the charts count as not usable. */
const WITHOUT_RESULT: Pick<ChartedStudy, "isUnreliable" | "age" | "z"> = {
  isUnreliable: true,
  age: null,
  z: new Map(),
};

async function readSlice(
  services: ServiceContext,
  ended: readonly (Ended & { engineVersion: string })[],
): Promise<(DriftKey & { study: DatedStudy })[]> {
  const seriesIds = ended.map(({ seriesId }) => seriesId);
  const scanners = await scannersOf(services, seriesIds);
  const protocols = await protocolsOf(services, seriesIds);
  const coils = await coilsOf(services, seriesIds);
  const results = await listResults(services.db, ended.map(({ id }) => id));
  const patients = new Map(
    (await readPatients(services.db, ended.map(({ pid }) => pid)))
      .map((patient) => [patient.row.pid, patient]),
  );
  return ended.flatMap(({ id, pid, seriesId, isCompleted, engineVersion }) => {
    const patient = patients.get(pid), result = results.get(id)?.results ?? null;
    const scanner = scanners.get(seriesId) ?? "";
    if (!patient || scanner === "" || (isCompleted && !result)) return [];
    const study: DatedStudy = {
      analysisId: id,
      date: patient.row.study_date,
      ...result ? chartedOf(patient, result) : WITHOUT_RESULT,
    };
    const protocol = protocols.get(seriesId) ?? "", coil = coils.get(seriesId) ?? "";
    return [{ scanner, protocol, coil, engineVersion, study }];
  });
}

function chartedOf(patient: StoredPatient, result: AnalysisResults): ChartedStudy {
  const { grade } = qualityOf(result);
  return {
    isUnreliable: grade !== "A" && grade !== "B",
    age: soundAge(patient.row),
    z: problemOf(patient, result) === null ? publishedZ(patient, result) : new Map(),
  };
}

/** Sorts studies in the order of measurement; studies without a date come first. */
const inOrder = (studies: readonly DatedStudy[]): DatedStudy[] =>
  [...studies].sort((a, b) =>
    (a.date ?? "").localeCompare(b.date ?? "") || a.analysisId - b.analysisId
  );

const rounded = (values: readonly number[]) => values.map((value) => Math.round(100 * value) / 100);

const storedChart = (chart: NamedChart, studies: readonly DatedStudy[]): DriftChart => ({
  name: chart.name,
  limit: limitOf(chart.name),
  dates: chart.studies.map((at) => studies[at]!.date),
  values: rounded(chart.values),
  higher: rounded(chart.higher),
  lower: rounded(chart.lower),
  moved_at: chart.movedAt,
  began_at: chart.beganAt,
  direction: chart.direction,
});

const sumsOf = ({ name, limit, higher, lower }: DriftChart): ChartSums => ({
  name,
  part: Math.max(higher.at(-1) ?? 0, lower.at(-1) ?? 0) / limit,
});

/** Charts that signal a change now or signalled one before: a signal ends only by a restart. */
function movedOf(charts: readonly DriftChart[], before: DriftGroup["moved"]): DriftGroup["moved"] {
  const now = charts.flatMap(({ name, dates, began_at, direction }) =>
    began_at === null || direction === null ? [] : [{ name, direction, date: dates[began_at]! }]
  );
  return [...before, ...now.filter(({ name }) => !before.some((chart) => chart.name === name))];
}

const isSameGroup = (a: DriftKey, b: DriftKey): boolean =>
  isSameScanner(a.scanner, b.scanner) && a.protocol === b.protocol &&
  isSameScanner(a.coil, b.coil) && a.engineVersion === b.engineVersion;

async function putCharts(
  { db, log }: ServiceContext,
  group: DriftKey,
  stored: readonly StoredDrift[],
  all: readonly DatedStudy[],
): Promise<void> {
  const older = stored.find((each) => isSameGroup(each, group));
  // charts of earlier versions mixed the coils, so their restart applies to the charts of each coil
  const mixed = stored.find((each) => isSameGroup(each, { ...group, coil: "" }));
  const afterAnalysis = (older ?? mixed)?.afterAnalysis ?? 0;
  const studies = inOrder(all.filter(({ analysisId }) => analysisId > afterAnalysis));
  const charts = chartsOf(studies).map((chart) => storedChart(chart, studies));
  const moved = movedOf(charts, older?.moved ?? []);
  await putDrift(db, older ?? group, {
    computedAt: nowIso(),
    studies: studies.length,
    moved,
    charts,
    sums: charts.map(sumsOf),
    afterAnalysis,
  });
  const fresh = moved.filter(({ name }) => !older?.moved.some((chart) => chart.name === name));
  if (fresh.length > 0) {
    log("warn", "The results of a scanner have changed", {
      scanner: group.scanner,
      charts: fresh.map(({ name }) => name).join(" "),
    });
  }
}

async function compute(services: ServiceContext, signal: AbortSignal): Promise<void> {
  const { db } = services;
  const newest = await newestEnded(db, MAX_RESULTS), newestId = newest[0]?.id ?? 0;
  const ended = withVersions(newest);
  const groups = new Map<string, { key: DriftKey; studies: DatedStudy[] }>();
  for (let at = 0; at < ended.length; at += SLICE) {
    signal.throwIfAborted();
    for (const { study, ...key } of await readSlice(services, ended.slice(at, at + SLICE))) {
      const group = groups.get(keyOf(key)) ?? { key, studies: [] };
      groups.set(keyOf(key), group);
      group.studies.push(study);
    }
    // pending requests are handled first
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const stored = await listDrift(db);
  for (const { key, studies } of groups.values()) {
    await putCharts(services, key, stored, studies);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await stopMoved(services);
  await setDriftState(db, newestId, nowIso());
}

const computations = new Computations(compute, "Cannot compute the charts of the scanners");

export const isComputingDrift = (services: ServiceContext): boolean =>
  computations.isRunning(services);

/** Starts computing the charts; if a computation is running, another is started when it ends. */
export const startDrift = (services: ServiceContext): void => computations.start(services);

/**
 * Starts computing the charts when there are new results, at most once an hour; also if the last
 * computation is dated in the future, because the clock was set back.
 */
export async function computeDriftWhenDue(
  services: ServiceContext,
  nowMs = Date.now(),
): Promise<void> {
  const { lastAnalysis, computedAt } = await driftStateOf(services.db);
  const atMs = computedAt === null ? -Infinity : Date.parse(computedAt);
  if (nowMs - atMs < INTERVAL_MS && atMs <= latestCredible(nowMs)) return;
  const [newest] = await newestEnded(services.db, 1);
  if ((newest?.id ?? 0) !== lastAnalysis) startDrift(services);
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
