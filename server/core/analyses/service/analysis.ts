import { AppError } from "@/model/errors.ts";
import { isAnalyzing, type SeriesKind } from "@/model/schema/studies/study.ts";
import type { AnalysesResponse } from "@/model/schema/studies/patients.ts";
import { PRIORITY } from "@/server/core/jobs/jobs.ts";
import { enqueue } from "@/server/core/jobs/runner.ts";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import { setLatestAnalysis, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { listInputHashes } from "@/server/core/studies/storage/series.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { checkLicense, publishCredits, spendCredit } from "@/server/core/site/service/license.ts";
import { type GroupSettings, groupSettings } from "@/server/core/settings/service/settings.ts";

/** `kind` of analysis jobs in the job queue. */
export const ANALYSIS_JOB = "analysis";

/**
 * One job analyses all series of a study together,
 * because lesions of the FLAIR series change the labels of the T1w series.
 */
interface AnalysisPayload {
  analysisIds: number[];
}

/**
 * Analysis ids in an analysis job's payload; empty for jobs of other kinds.
 * Payloads that older versions queued contain a single id.
 */
export function analysisIdsOf(payload: unknown): number[] {
  const { analysisIds, analysisId } = payload as Partial<AnalysisPayload> & { analysisId?: number };
  return analysisIds ?? (analysisId === undefined ? [] : [analysisId]);
}

/** Kinds (T1w, FLAIR) of a study's series that can be analysed, T1w first. */
const kindsOf = ({ seriesId }: StoredPatient): SeriesKind[] =>
  (["t1", "t2"] as const).filter((kind) => seriesId[kind] !== null);

/**
 * Adds a waiting analysis for each series of a study and one job for all, and charges a credit.
 * Call this function in the transaction that makes the analysis necessary.
 * @returns the queued series.
 * @throws {AppError} `credit.none`, `license.expired`, `license.not_started`.
 */
export async function queueStudy(
  tx: Database,
  pid: number,
  { requestedBy, settings }: { requestedBy: number | null; settings: GroupSettings },
): Promise<SeriesKind[]> {
  const patient = await mustFindPatient(tx, pid);
  const analysisIds: number[] = [], kinds = kindsOf(patient);
  for (const kind of kinds) {
    const seriesId = patient.seriesId[kind]!;
    const id = await insertAnalysis(tx, {
      pid,
      seriesId,
      kind,
      parameters: {
        biasCorrection: settings.bias_correction,
        secondOpinion: settings.second_opinion,
        deepStructures: settings.deep_structures,
      },
      inputHashes: await listInputHashes(tx, seriesId),
      requestedAt: nowIso(),
      requestedBy,
    });
    await setLatestAnalysis(tx, pid, kind, id);
    analysisIds.push(id);
  }
  const [first] = analysisIds;
  if (first !== undefined) await spendCredit(tx, { analysisId: first, pid, userId: requestedBy });
  if (analysisIds.length > 0) {
    const priority = requestedBy === null ? PRIORITY.automatic : PRIORITY.person;
    await enqueue(tx, ANALYSIS_JOB, { analysisIds } satisfies AnalysisPayload, priority);
  }
  return kinds;
}

/**
 * Checks a study before a manually requested analysis, for which age and sex are required.
 * An automatic analysis also runs without age and sex, and then gives no percentiles.
 * @throws {AppError} with the reason why the study cannot be analysed at the moment.
 */
function checkAnalysable(patient: StoredPatient): void {
  const { row } = patient;
  if (isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status)) {
    throw new AppError(
      "study.being_analyzed",
      `Cannot analyse study ${row.pid}: it is being analysed`,
      {
        pid: row.pid,
      },
    );
  }
  if (kindsOf(patient).length === 0) {
    throw new AppError("study.no_series", `Cannot analyse study ${row.pid}: it has no series`, {
      pid: row.pid,
    });
  }
  if (row.patient_age === null || row.patient_sex === null) {
    throw new AppError(
      "study.insufficient_info",
      `Cannot analyse study ${row.pid}: age or sex is unknown`,
      {
        pid: row.pid,
      },
    );
  }
}

/**
 * Refuses to analyse a study if all series are completed: results stay until a user requests
 * a new analysis (D1 §8). If one series is unfinished, both series are analysed again:
 * T1w labels and FLAIR lesions depend on each other.
 */
function checkUnfinished(patient: StoredPatient): void {
  const { row } = patient;
  const statuses = { t1: row.t1_analysis_status, t2: row.t2_analysis_status };
  const kinds = kindsOf(patient);
  if (kinds.length > 0 && kinds.every((kind) => statuses[kind] === "completed")) {
    throw new AppError(
      "study.already_analyzed",
      `Cannot analyse study ${row.pid}: it is analysed already`,
      {
        pid: row.pid,
      },
    );
  }
}

/**
 * Queues an analysis for each study that can be analysed and has no analysis yet.
 * Studies that were not queued are returned, each with the reason.
 * @throws {AppError} `license.expired`, `license.not_started`; `credit.none` if none is queued.
 */
export const startAnalyses = (
  services: ServiceContext,
  pids: readonly number[],
  caller: Caller,
): Promise<AnalysesResponse> => queueStudies(services, pids, caller, { isAgain: false });

async function queueStudies(
  services: ServiceContext,
  pids: readonly number[],
  caller: Caller,
  { isAgain }: { isAgain: boolean },
): Promise<AnalysesResponse> {
  const { db, publish, wakeJobs } = services;
  await checkLicense(db);
  const settings = await groupSettings(db);
  const answer: AnalysesResponse = { accepted: [], excluded: [] };
  for (const pid of new Set(pids)) {
    try {
      const kinds = await db.transaction().execute(async (tx) => {
        const patient = await mustFindPatient(tx, pid);
        if (!isAgain) checkUnfinished(patient);
        checkAnalysable(patient);
        return await queueStudy(tx, pid, { requestedBy: caller.uid, settings });
      });
      answer.accepted.push(pid);
      for (const series of kinds) {
        publish({ event: "study_analysis", pid, series, status: "waiting" });
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      answer.excluded.push({ pid, code: error.code });
    }
  }
  if (answer.accepted.length > 0) {
    wakeJobs();
    await publishCredits(services);
  }
  const unpaid = answer.excluded.filter(({ code }) => code === "credit.none");
  if (unpaid.length > 0) publish({ event: "credit_error" }, { uid: caller.uid });
  if (
    unpaid.length > 0 && unpaid.length === answer.excluded.length && answer.accepted.length === 0
  ) {
    throw new AppError("credit.none", "Cannot analyse: no credits are left");
  }
  return answer;
}

/**
 * Analyses a study again, even a completed one. @throws {AppError} with the reason for a refusal.
 */
export async function reanalyze(
  services: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<AnalysesResponse> {
  checkAnalysable(await mustFindPatient(services.db, pid));
  return await queueStudies(services, [pid], caller, { isAgain: true });
}
