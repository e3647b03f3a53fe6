/**
 * Queues missing comparisons of T1w series, and removes stored comparisons that became invalid.
 * Findings are recomputed and results sent again if they contain a removed comparison.
 */
import { personsAmong } from "@/model/patient/one_person.ts";
import { enqueueMissing } from "@/server/core/jobs/runner.ts";
import { PRIORITY } from "@/server/core/jobs/jobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  type ComparableVisit,
  deleteLongitudinal,
  findLongitudinal,
  hasOpenAnalysis,
  listLongitudinals,
  type StoredInputs,
  type StoredVisit,
} from "@/server/core/analyses/storage/longitudinal.ts";
import { comparableVisits, isSame } from "@/server/core/analyses/service/comparable_visits.ts";
import { queueChange } from "@/server/core/connections/service/result_queue.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";

/** `kind` of longitudinal comparison jobs in the job queue. */
export const LONGITUDINAL_JOB = "longitudinal";

export interface LongitudinalPayload {
  patientId: string;
}

/** Comparisons of a patient ID's persons that are missing, or were made from other inputs. */
export async function missingComparisons(
  db: Database,
  patientId: string,
): Promise<StoredVisit[][]> {
  const groups = await comparableVisits(db, patientId);
  if (groups.length === 0) return [];
  return outdatedOf(groups, await listLongitudinals(db, patientId));
}

/** Groups of visits without a stored comparison of exactly these visits. */
export const outdatedOf = <V extends ComparableVisit>(
  groups: readonly V[][],
  stored: readonly StoredInputs[],
): V[][] =>
  groups.filter((visits) => !stored.some((one) => one.visits && isSame(one.visits, visits)));

/**
 * Removes outdated comparisons and refreshes the findings of their studies.
 * Queues the results of studies that were compared with a deleted or another person's study.
 */
async function dropOutdated(
  tx: Database,
  patientId: string,
  groups: readonly StoredVisit[][],
): Promise<void> {
  for (const { firstPid, visits } of await listLongitudinals(tx, patientId)) {
    if (visits && groups.some((group) => isSame(visits, group))) continue;
    const pids = visits?.map(({ pid }) => pid) ?? [];
    const isWithdrawn = pids.length > 0 && await isOfSeveral(tx, patientId, pids) &&
      await findLongitudinal(tx, patientId, firstPid) !== null;
    // if studies were only added, the old comparison stays valid until the new comparison is stored
    if (isWithdrawn || !groups.some((group) => group[0]!.pid === firstPid)) {
      await deleteLongitudinal(tx, patientId, firstPid);
    }
    await refreshFindings(tx, pids);
    for (const pid of isWithdrawn ? pids : []) await queueChange(tx, pid, "visits");
  }
}

/** Whether the studies may be of several persons with the same patient ID. */
async function isOfSeveral(tx: Database, patientId: string, pids: readonly number[]) {
  const records = await listRecords(tx, patientId);
  const found = records.filter(({ pid }) => pids.includes(pid));
  return found.length < pids.length ||
    personsAmong(records).sameAs(found[0]!, found).length < found.length;
}

/**
 * Queues comparisons after a person's studies changed; repeated calls add a single job.
 * Recomputes findings of studies with an outdated comparison. During an analysis of the patient,
 * no job is queued: the end of the analysis calls this again.
 *
 * @returns whether a job was added.
 */
export const queueLongitudinal = (db: Database, patientId: string): Promise<boolean> =>
  db.transaction().execute((tx) => queueLongitudinalIn(tx, patientId));

/** {@link queueLongitudinal} within the transaction that changes the patient ID's studies. */
export async function queueLongitudinalIn(tx: Database, patientId: string): Promise<boolean> {
  const groups = await comparableVisits(tx, patientId);
  await dropOutdated(tx, patientId, groups);
  if ((await missingComparisons(tx, patientId)).length === 0) return false;
  if (await hasOpenAnalysis(tx, patientId)) return false;
  return await enqueueMissing(tx, LONGITUDINAL_JOB, [jobOf(patientId)], PRIORITY.automatic) > 0;
}

export const jobOf = (patientId: string) => ({
  key: patientId,
  payload: { patientId } satisfies LongitudinalPayload,
});
