import { AppError } from "@/model/errors.ts";
import { LEARNING } from "@/model/drift/cusum.ts";
import type {
  DriftDetails,
  DriftGroup,
  DriftGroups,
  DriftState,
} from "@/model/schema/report/drift.ts";
import { isComputingDrift, startDrift } from "@/server/core/norms/service/drift_job.ts";
import {
  countMovedScanners,
  driftStateOf,
  listChartSums,
  listDrift,
  readDriftCharts,
  restartDrift,
  type StoredDrift,
} from "@/server/core/norms/storage/drift.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { type Sample, sample } from "@/server/wire/metrics.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

const stateOf = ({ studies, moved }: StoredDrift): DriftState =>
  moved.length > 0 ? "moved" : studies <= LEARNING ? "learning" : "steady";

const groupOf = (drift: StoredDrift): DriftGroup => ({
  id: drift.id,
  scanner: drift.scanner,
  protocol: drift.protocol,
  coil: drift.coil,
  engine_version: drift.engineVersion,
  computed_at: drift.computedAt,
  studies: drift.studies,
  state: stateOf(drift),
  moved: drift.moved,
  restarted_by: drift.restartedBy,
  restarted_at: drift.restartedAt,
});

/** State of all scanners' charts. @throws {AppError} `access.forbidden`. */
export async function getDrift(services: ServiceContext, caller: Caller): Promise<DriftGroups> {
  const { db } = services;
  await checkMaintenance(db, caller);
  // before the results: if a computation ends meanwhile, they would look complete but be old
  const is_computing = isComputingDrift(services);
  return {
    groups: (await listDrift(db)).map(groupOf),
    learning: LEARNING,
    computed_at: (await driftStateOf(db)).computedAt,
    is_computing,
  };
}

async function mustFind({ db }: ServiceContext, id: number): Promise<StoredDrift> {
  const drift = (await listDrift(db)).find((each) => each.id === id);
  if (!drift) {
    throw new AppError("entity.not_found", `Cannot find the charts ${id}: no such number`);
  }
  return drift;
}

/**
 * Control charts of one scanner, with the values of each study.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export async function getDriftDetails(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<DriftDetails> {
  await checkMaintenance(services.db, caller);
  const drift = await mustFind(services, id);
  return { group: groupOf(drift), charts: await readDriftCharts(services.db, id) };
}

/** Starts computing the control charts of all scanners. @throws {AppError} `access.forbidden`. */
export async function computeDrift(services: ServiceContext, caller: Caller): Promise<void> {
  await checkMaintenance(services.db, caller);
  startDrift(services);
}

/**
 * Restarts a scanner's control charts after the cause of a change was investigated:
 * from then on, only new results are included.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export async function startAgain(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(services.db, caller);
  await mustFind(services, id);
  await restartDrift(services.db, id, { userId: caller.uid, at: nowIso() });
}

/** Number of scanners for which a control chart signals a lasting change of results. */
export const movedScanners = ({ db }: Pick<ServiceContext, "db">): Promise<number> =>
  countMovedScanners(db);

/**
 * Maximum number of scanners, protocols, coils and versions in the metrics, with 12 charts each.
 */
const MAX_MEASURED = 50;

/** Metrics of each control chart: how near it is to its limit, and whether it signals a change. */
export async function chartMetrics({ db }: Pick<ServiceContext, "db">): Promise<Sample[]> {
  return (await listChartSums(db, MAX_MEASURED)).flatMap(
    ({ scanner, protocol, coil, engineVersion, studies, moved, sums }) => {
      const labels = { scanner, protocol, coil, engine: engineVersion };
      return [
        sample("sulcus_chart_studies", studies, labels),
        ...sums.flatMap(({ name, part }) => {
          const isMoved = moved.some((chart) => chart.name === name);
          return [
            sample("sulcus_chart_limit_ratio", part, { ...labels, chart: name }),
            sample("sulcus_chart_changed", Number(isMoved), { ...labels, chart: name }),
          ];
        }),
      ];
    },
  );
}
