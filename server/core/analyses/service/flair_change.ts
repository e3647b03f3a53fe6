import { watchPatients } from "@/server/core/analyses/service/watch_patients.ts";
import { AppError } from "@/model/errors.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { enqueueMissing, type JobKind, type JobRun } from "@/server/core/jobs/runner.ts";
import { PRIORITY } from "@/server/core/jobs/jobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  findFlairChange,
  type FlairChangeResults,
  type FlairPair,
  listFlairPatientIdsOf,
  listFlairVisits,
  listUncomparedFlairs,
  masksKey,
  saveFlairChange,
  saveFlairFailure,
  setFlairFinished,
  type StoredChange,
} from "@/server/core/analyses/storage/flair_changes.ts";
import { queueChange, queueComparedAgain } from "@/server/core/connections/service/result_queue.ts";
import { changeInstants } from "@/server/core/connections/storage/result_changes.ts";
import { currentRuns, renewOutbox } from "@/server/core/connections/storage/outbox.ts";
import { personsOf } from "@/server/core/studies/service/headers/persons.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { ANALYSIS_JOB } from "@/server/core/analyses/service/analysis.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import {
  carriedVerdicts,
  compareStudies,
  isOfAnalyses,
} from "@/server/core/analyses/service/flair_pair.ts";

/** `kind` of FLAIR comparison jobs in the job queue. */
export const FLAIR_CHANGE_JOB = "flair_change";

interface FlairChangePayload {
  patientId: string;
}

/**
 * Pairs of a patient ID's consecutive studies with different dates, both of the same person.
 * Studies that are, or may be, of different persons with this patient ID form no pair.
 */
export async function flairPairs(db: Database, patientId: string): Promise<FlairPair[]> {
  const visits = await listFlairVisits(db, patientId), persons = await personsOf(db, patientId);
  return persons.groups(visits).flatMap((group) =>
    group.flatMap((current) => {
      const prior = group.findLast((visit) => visit.studyDate < current.studyDate);
      return prior ? [{ prior, current }] : [];
    })
  );
}

/** Comparison of a study's FLAIR series with that of the previous study. */
interface CurrentFlairChange {
  pair: FlairPair;
  results: FlairChangeResults;
}

/**
 * Lesion changes since the previous study.
 * `null` without a previous study, or when the stored comparison is outdated.
 */
export async function currentFlairChange(
  db: Database,
  pid: number,
  patientId: string,
): Promise<CurrentFlairChange | null> {
  const pair = (await flairPairs(db, patientId)).find(({ current }) => current.pid === pid);
  const stored = pair && await findFlairChange(db, pid);
  return pair && stored?.results && stored.errorCode === null && isOf(stored, pair)
    ? { pair, results: stored.results }
    : null;
}

/** Whether a stored comparison was made from the pair's analyses and current lesion masks. */
const isOf = (stored: StoredChange, pair: FlairPair) =>
  isOfAnalyses(stored, pair) &&
  (stored.results === null || stored.results.masks === masksKey(pair));

async function missingPairs(db: Database, patientId: string): Promise<FlairPair[]> {
  const missing = [];
  for (const pair of await flairPairs(db, patientId)) {
    const stored = await findFlairChange(db, pair.current.pid);
    if (!stored || !isOf(stored, pair)) missing.push(pair);
  }
  return missing;
}

/**
 * Queues a study's results for sending when the comparison in them became invalid or valid again.
 * The comparison becomes invalid if the earlier study was deleted, or belongs to another person.
 * The stored row is kept nevertheless, because readers' verdicts refer to it.
 */
async function queueWithdrawn(tx: Database, patientId: string): Promise<void> {
  const pairs = await flairPairs(tx, patientId), persons = await personsOf(tx, patientId);
  for (const visit of await listFlairVisits(tx, patientId)) {
    const stored = await findFlairChange(tx, visit.pid);
    if (!stored?.results || stored.errorCode !== null) continue;
    const changedAt = (await changeInstants(tx, visit.pid)).get("visits") ?? "";
    const pair = pairs.find(({ current }) => current.pid === visit.pid);
    const prior = await findPatient(tx, stored.priorPid);
    const isSamePerson = prior?.row.patient_id === patientId &&
      persons.sameAs(visit, [prior.row]).length > 0;
    if (!isSamePerson && changedAt <= stored.finishedAt) {
      await queueChange(tx, visit.pid, "visits");
    } else if (pair && isOf(stored, pair) && changedAt > stored.finishedAt) {
      await queueChange(tx, visit.pid, "visits");
      const at = (await changeInstants(tx, visit.pid)).get("visits")!;
      await setFlairFinished(tx, visit.pid, at);
    }
  }
}

/** Queues one job for a patient ID's missing or outdated comparisons, unless a job is queued. */
export async function queueFlairChanges(db: Database, patientId: string): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await queueWithdrawn(tx, patientId);
    if ((await missingPairs(tx, patientId)).length === 0) return false;
    return await enqueueMissing(tx, FLAIR_CHANGE_JOB, [jobOf(patientId)], PRIORITY.automatic) > 0;
  });
}

const jobOf = (patientId: string) => ({
  key: patientId,
  payload: { patientId } satisfies FlairChangePayload,
});

/** Studies with a FLAIR series, lesion mask or person that a server event may have changed. */
function changesFlairs(event: ServerEvent): readonly number[] {
  switch (event.event) {
    // the headers of a new study may show that a stored study with its ID is another person's
    case "study_create":
      return event.pid_list;
    // a reader may have corrected a lesion mask
    case "study_reading":
    case "study_delete":
    case "study_update":
      return [event.pid];
    case "study_analysis":
      return event.status === "completed" ? [event.pid] : [];
    default:
      return [];
  }
}

/** Keeps the stored FLAIR comparisons of all patients up to date. */
export const watchFlairs = (services: ServiceContext) =>
  watchPatients(services, {
    name: "queue comparisons of FLAIR series",
    queueSlice: async (db, slice) => {
      const uncompared: string[] = [];
      for (const patientId of await listUncomparedFlairs(db, slice)) {
        if ((await personsOf(db, patientId)).shared === null) uncompared.push(patientId);
      }
      const jobs = uncompared.map(jobOf);
      return await enqueueMissing(db, FLAIR_CHANGE_JOB, jobs, PRIORITY.catchUp);
    },
    of: listFlairPatientIdsOf,
    concerned: changesFlairs,
    queue: queueFlairChanges,
  });

/** Queues results with lesion changes, which were first sent before the comparison existed. */
export async function sendChanges(tx: Database, pid: number): Promise<void> {
  const patient = await findPatient(tx, pid);
  if (!patient) return;
  const runs = await currentRuns(tx, pid, patient.analysisId);
  for (const kind of ["changes", "measurements"]) {
    await renewOutbox(tx, { pid, run: runs(kind), kind });
  }
}

async function comparePair(services: ServiceContext, pair: FlairPair, run: JobRun): Promise<void> {
  const { db } = services, stored = await findFlairChange(db, pair.current.pid);
  const results = await compareStudies(services, pair, stored, run).catch((error) => {
    // series that cannot be compared are not tried again until one of them is analysed again
    if (error instanceof AppError && error.code === "engine.unsupported_input") return error;
    throw error;
  });
  if (results instanceof AppError) return await storeFailure(services, pair, results);
  const earlier = isOfAnalyses(stored, pair) ? stored?.results ?? null : null;
  await storeEnd(services, pair, stored, async (tx) => {
    const carried = earlier ? carriedVerdicts(earlier, results) : undefined;
    await saveFlairChange(tx, pair, { results, finishedAt: nowIso() }, carried);
    return results.lesions.length > 0;
  });
}

/** Stores that two studies cannot be compared; stored pairs and readers' verdicts are kept. */
async function storeFailure(
  services: ServiceContext,
  pair: FlairPair,
  { code }: AppError,
): Promise<void> {
  const stored = await findFlairChange(services.db, pair.current.pid);
  await storeEnd(services, pair, stored, async (tx) => {
    await saveFlairFailure(tx, pair, { errorCode: code, finishedAt: nowIso() });
    return false;
  });
}

/**
 * Stores the result of comparing two studies, and queues the later study's results for sending.
 * @param stored The study's comparison before, which `save` replaces.
 * @param save Writes the comparison. @returns whether it contains changed lesions.
 */
async function storeEnd(
  { db, publish }: ServiceContext,
  { current: { pid } }: FlairPair,
  stored: StoredChange | null,
  save: (tx: Database) => Promise<boolean>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const hasChanges = await save(tx);
    if (hasChanges || stored?.results?.lesions.length) await sendChanges(tx, pid);
    await queueComparedAgain(tx, [pid]);
  });
  publish({ event: "study_reading", pid, uid: 0 });
}

/** Job that compares the FLAIR series of one patient. */
export function flairChangeJob(services: ServiceContext): JobKind {
  const patientOf = (payload: unknown) => (payload as FlairChangePayload).patientId,
    { db } = services;
  /** last pair of studies for which a comparison was started, by patient ID */
  const compared = new Map<string, FlairPair>();
  return {
    // shares the analyses' limit: a comparison needs as much memory and CPU as an analysis
    atOnce: 1,
    lane: ANALYSIS_JOB,
    async run(payload, run) {
      const patientId = patientOf(payload);
      // listed again after each comparison, because a reader may have corrected a mask meanwhile
      for (let pair; (pair = (await missingPairs(db, patientId))[0]);) {
        compared.set(patientId, pair);
        await comparePair(services, pair, run);
      }
      compared.delete(patientId);
    },
    retrying: () => Promise.resolve(),
    async failed(payload, error) {
      const patientId = patientOf(payload), missing = await missingPairs(db, patientId);
      // without an entry (the process restarted) the job's first missing pair has failed
      const pair = compared.get(patientId) ?? missing[0];
      const failing = pair && missing.find((other) => isSamePair(other, pair));
      if (failing) await storeFailure(services, failing, error);
      if (error.code === "job.canceled") return;
      // a new job compares the patient's remaining pairs of FLAIR studies
      if (await queueFlairChanges(db, patientId)) services.wakeJobs();
    },
  };
}

const isSamePair = (a: FlairPair, b: FlairPair): boolean =>
  a.prior.pid === b.prior.pid && masksKey(a) === masksKey(b) && a.current.pid === b.current.pid;
