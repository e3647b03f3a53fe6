import { AppError } from "@/model/errors.ts";
import { LEARNING } from "@/model/drift/cusum.ts";
import type {
  DriftDetails,
  DriftGroup,
  DriftGroups,
  DriftState,
  RestartAgreement,
  RestartPost,
} from "@/model/schema/report/drift.ts";
import { listUsers } from "@/server/core/accounts/storage/users.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isWatched } from "@/server/core/norms/service/stops.ts";
import { listAcceptances, type StoredAcceptance } from "@/server/core/norms/storage/acceptances.ts";
import { isComputingDrift, startDrift } from "@/server/core/norms/service/charts/drift_job.ts";
import {
  clearRestart,
  countMovedScanners,
  driftComputedAt,
  listChartSums,
  listDrift,
  proposeRestart,
  readDriftCharts,
  restartDrift,
  type StoredDrift,
  takeRestart,
} from "@/server/core/norms/storage/drift.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { type Sample, sample } from "@/server/wire/metrics.ts";
import { checkSecondSigner } from "@/server/core/site/service/audit/second_signer.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

const stateOf = ({ learnt, moved }: StoredDrift): DriftState =>
  moved.length > 0 ? "moved" : learnt < LEARNING ? "learning" : "steady";

/** Facts about the users and the acceptances of a site, for the charts' state. */
interface Site {
  users: ReadonlyMap<number, string>;
  tests: readonly StoredAcceptance[];
  callerId: number;
}

const siteOf = async ({ db }: ServiceContext, caller: Caller): Promise<Site> => ({
  users: new Map((await listUsers(db)).map(({ id, email }) => [id, email])),
  tests: await listAcceptances(db),
  callerId: caller.uid,
});

/**
 * Whether a restart needs a second person: it would end a signal, or hide one that is building up
 * in a scanner that is watched.
 */
const needsSecond = (drift: StoredDrift, tests: readonly StoredAcceptance[]): boolean =>
  drift.moved.length > 0 || isWatched(tests, drift);

const groupOf = (drift: StoredDrift, { users, tests, callerId }: Site): DriftGroup => ({
  id: drift.id,
  scanner: drift.scanner,
  protocol: drift.protocol,
  coil: drift.coil,
  engine_version: drift.engineVersion,
  computed_at: drift.computedAt,
  studies: drift.studies,
  learnt: drift.learnt,
  state: stateOf(drift),
  moved: drift.moved,
  restarted_by: drift.restartedBy,
  restarted_at: drift.restartedAt,
  needs_second: needsSecond(drift, tests),
  proposal: drift.proposal && {
    reason: drift.proposal.reason,
    proposed_at: drift.proposal.at,
    proposed_by: drift.proposal.by === null ? null : users.get(drift.proposal.by) ?? null,
    is_own: drift.proposal.by === callerId,
  },
});

/** State of all scanners' charts. @throws {AppError} `access.forbidden`. */
export async function getDrift(services: ServiceContext, caller: Caller): Promise<DriftGroups> {
  const { db } = services;
  await checkMaintenance(db, caller);
  // read before the charts: if a computation ends in between, old charts are not called complete
  const is_computing = isComputingDrift(services);
  const site = await siteOf(services, caller);
  return {
    groups: (await listDrift(db)).map((drift) => groupOf(drift, site)),
    learning: LEARNING,
    computed_at: await driftComputedAt(db),
    is_computing,
  };
}

async function mustFind({ db }: { db: Database }, id: number): Promise<StoredDrift> {
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
  const group = groupOf(drift, await siteOf(services, caller));
  return { group, charts: await readDriftCharts(services.db, id) };
}

/** Starts computing the control charts of all scanners. @throws {AppError} `access.forbidden`. */
export async function computeDrift(services: ServiceContext, caller: Caller): Promise<void> {
  await checkMaintenance(services.db, caller);
  startDrift(services);
}

const notOpen = () =>
  new AppError("chart.not_open", "Cannot restart the charts: the proposal is changed or withdrawn");

/**
 * Restarts a scanner's control charts after the cause of a change was investigated: from then on,
 * only new results are included. Where {@link needsSecond} holds, the restart is only proposed.
 * @throws {AppError} `chart.not_open` if a restart is proposed, `entity.not_found`,
 * `access.forbidden`.
 */
export async function startAgain(
  { db }: ServiceContext,
  id: number,
  { reason }: RestartPost,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(db, caller);
  const proposal = { reason, at: nowIso(), by: caller.uid };
  await db.transaction().execute(async (tx) => {
    const drift = await mustFind({ db: tx }, id);
    if (!needsSecond(drift, await listAcceptances(tx))) {
      await restartDrift(tx, drift, { ...proposal, agreedBy: null });
    } else if (!await proposeRestart(tx, id, proposal)) throw notOpen();
  });
}

/**
 * Restarts a scanner's control charts, as the second person.
 * @throws {AppError} as {@link checkSecondSigner}, `chart.not_open` if this restart is not proposed
 * at present, `entity.not_found`, `access.forbidden`.
 */
export async function agreeToRestart(
  { db }: ServiceContext,
  id: number,
  { proposed_at: proposedAt }: RestartAgreement,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(db, caller);
  await db.transaction().execute(async (tx) => {
    const drift = await mustFind({ db: tx }, id), { proposal } = drift;
    if (proposal) {
      await checkSecondSigner(tx, "chart", { userId: proposal.by, since: proposal.at }, caller);
    }
    if (!proposal || !await takeRestart(tx, id, { proposedAt, userId: caller.uid })) {
      throw notOpen();
    }
    const { reason, by } = proposal;
    await restartDrift(tx, drift, { reason, at: nowIso(), by, agreedBy: caller.uid });
  });
}

/**
 * Withdraws a proposed restart.
 * @throws {AppError} `chart.not_open` if none is proposed, `entity.not_found`, `access.forbidden`.
 */
export async function withdrawRestart(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(services.db, caller);
  await mustFind(services, id);
  if (!await clearRestart(services.db, id)) throw notOpen();
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
    ({ scanner, protocol, coil, engineVersion, studies, learnt, moved, sums }) => {
      const labels = { scanner, protocol, coil, engine: engineVersion };
      return [
        sample("sulcus_chart_studies", studies, labels),
        sample("sulcus_chart_monitored", Number(learnt >= LEARNING), labels),
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
