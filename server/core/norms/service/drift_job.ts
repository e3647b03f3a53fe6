// Control charts of every scanner, computed when new results have come.
import { type ChartedStudy, chartsOf, limitOf, type NamedChart } from "@/model/drift/charts.ts";
import type { DriftChart, DriftGroup } from "@/model/schema/report/drift.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import { qualityOf } from "@/model/measured/measured_study.ts";
import { listResults } from "@/server/core/analyses/storage/analyses.ts";
import { Computations } from "@/server/core/norms/service/computations.ts";
import { problemOf, publishedZ } from "@/server/core/norms/service/controls.ts";
import {
  type DriftKey,
  driftStateOf,
  listDrift,
  newestResultPlaces,
  putDrift,
  setDriftState,
  type StoredDrift,
} from "@/server/core/norms/storage/drift.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { isSameScanner, protocolsOf, scannersOf } from "@/server/core/studies/service/scanners.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";

/** Results read at once; between two slices requests are answered. */
const SLICE = 100;
/** Newest results of the site that the charts consist of. */
const MAX_RESULTS = 2000;
/** Between two looks whether there are new results. */
const INTERVAL_MS = 3_600_000;

interface DatedStudy extends ChartedStudy {
  analysisId: number;
  /** ISO date; `null`: unknown */
  date: string | null;
}

type Place = Awaited<ReturnType<typeof newestResultPlaces>>[number];

/** Names of scanners may differ in case: one key for all of them. */
const keyOf = ({ scanner, protocol, engineVersion }: DriftKey) =>
  `${scanner.toLowerCase()}\n${protocol}\n${engineVersion}`;

async function readSlice(
  services: ServiceContext,
  places: readonly Place[],
): Promise<(DriftKey & { study: DatedStudy })[]> {
  const seriesIds = places.map(({ seriesId }) => seriesId);
  const scanners = await scannersOf(services, seriesIds);
  const protocols = await protocolsOf(services, seriesIds);
  const results = await listResults(services.db, places.map(({ id }) => id));
  const patients = new Map(
    (await readPatients(services.db, places.map(({ pid }) => pid)))
      .map((patient) => [patient.row.pid, patient]),
  );
  return places.flatMap(({ id, pid, seriesId, engineVersion }) => {
    const patient = patients.get(pid), result = results.get(id)?.results ?? null;
    const scanner = scanners.get(seriesId) ?? "";
    if (!patient || !result || engineVersion === null || scanner === "") return [];
    const { grade } = qualityOf(result);
    const study: DatedStudy = {
      analysisId: id,
      date: patient.row.study_date,
      isUnreliable: grade !== "A" && grade !== "B",
      z: problemOf(patient, result) === null ? publishedZ(patient, result) : new Map(),
    };
    return [{ scanner, protocol: protocols.get(seriesId) ?? "", engineVersion, study }];
  });
}

/** In the order in which they were measured; studies without a date come first. */
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

/** Charts that have moved, those that had moved before with them: only a restart takes them off. */
function movedOf(charts: readonly DriftChart[], before: DriftGroup["moved"]): DriftGroup["moved"] {
  const now = charts.flatMap(({ name, dates, began_at, direction }) =>
    began_at === null || direction === null ? [] : [{ name, direction, date: dates[began_at]! }]
  );
  return [...before, ...now.filter(({ name }) => !before.some((chart) => chart.name === name))];
}

async function putCharts(
  { db, log }: ServiceContext,
  group: DriftKey,
  older: StoredDrift | undefined,
  all: readonly DatedStudy[],
): Promise<void> {
  const afterAnalysis = older?.afterAnalysis ?? 0;
  const studies = inOrder(all.filter(({ analysisId }) => analysisId > afterAnalysis));
  const charts = chartsOf(studies).map((chart) => storedChart(chart, studies));
  const moved = movedOf(charts, older?.moved ?? []);
  await putDrift(db, older ?? group, {
    computedAt: nowIso(),
    studies: studies.length,
    moved,
    charts,
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
  const places = await newestResultPlaces(db, MAX_RESULTS);
  const groups = new Map<string, { key: DriftKey; studies: DatedStudy[] }>();
  for (let at = 0; at < places.length; at += SLICE) {
    signal.throwIfAborted();
    for (const { study, ...key } of await readSlice(services, places.slice(at, at + SLICE))) {
      const group = groups.get(keyOf(key)) ?? { key, studies: [] };
      groups.set(keyOf(key), group);
      group.studies.push(study);
    }
    // requests come first
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const stored = await listDrift(db);
  for (const { key, studies } of groups.values()) {
    const older = stored.find((each) =>
      isSameScanner(each.scanner, key.scanner) && each.protocol === key.protocol &&
      each.engineVersion === key.engineVersion
    );
    await putCharts(services, key, older, studies);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await setDriftState(db, places[0]?.id ?? 0, nowIso());
}

const computations = new Computations(compute, "Cannot compute the charts of the scanners");

export const isComputingDrift = (services: ServiceContext): boolean =>
  computations.isRunning(services);

/** Begins to compute the charts; a computation that runs already is followed by another. */
export const startDrift = (services: ServiceContext): void => computations.start(services);

/**
 * Begins to compute the charts when there are results that they do not know, at most once an hour.
 * After a clock was set back the age of the charts is unknown.
 */
export async function computeDriftWhenDue(
  services: ServiceContext,
  nowMs = Date.now(),
): Promise<void> {
  const { lastAnalysis, computedAt } = await driftStateOf(services.db);
  const atMs = computedAt === null ? -Infinity : Date.parse(computedAt);
  if (nowMs - atMs < INTERVAL_MS && atMs <= latestCredible(nowMs)) return;
  const [newest] = await newestResultPlaces(services.db, 1);
  if ((newest?.id ?? 0) !== lastAnalysis) startDrift(services);
}

/** {@link computeDriftWhenDue} every hour, until it is closed. */
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
