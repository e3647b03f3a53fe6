import { watchPatients } from "@/server/core/analyses/service/watch_patients.ts";
import { AppError } from "@/model/errors.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import {
  type Protocol,
  protocolDifferences,
  protocolOf,
} from "@/server/core/dicom/read/protocol.ts";
import { runLongitudinal } from "@/server/core/engine/longitudinal.ts";
import type { LongitudinalResult } from "@/server/core/engine/result.ts";
import { enqueueMissing, type JobKind, type JobRun } from "@/server/core/jobs/runner.ts";
import { PRIORITY } from "@/server/core/jobs/jobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deleteLongitudinal,
  findLongitudinal,
  hasOpenAnalysis,
  listPatientIdsOf,
  listPatientVisits,
  type LongitudinalResults,
  saveLongitudinal,
  type StoredVisit,
} from "@/server/core/analyses/storage/longitudinal.ts";
import type { PatientSlice } from "@/server/core/analyses/storage/patient_slices.ts";
import {
  comparable,
  comparableVisits,
  isSame,
  keyOf,
} from "@/server/core/analyses/service/comparable_visits.ts";
import { ANALYSIS_JOB } from "@/server/core/analyses/service/analysis.ts";
import { siteLimits } from "@/server/core/norms/service/repeat_limits.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { gunzipPieces } from "@/server/core/analyses/service/files/gzip.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/** Name of this kind of job. */
export const LONGITUDINAL_JOB = "longitudinal";

interface LongitudinalPayload {
  patientId: string;
}

/**
 * Queues a comparison when the patient's studies changed since the last one, only once for repeated
 * calls. Does nothing while an analysis of the patient is open: its end triggers another call.
 *
 * @returns whether a job was added.
 */
export async function queueLongitudinal(db: Database, patientId: string): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const visits = await comparableVisits(tx, patientId);
    if (visits.length === 0) {
      const stored = await findLongitudinal(tx, patientId);
      await deleteLongitudinal(tx, patientId);
      await refreshFindings(tx, stored?.visits.map(({ pid }) => pid) ?? []);
      return false;
    }
    const stored = await findLongitudinal(tx, patientId);
    if (stored && isSame(stored.visits, visits)) return false;
    if (await hasOpenAnalysis(tx, patientId)) return false;
    return await enqueueMissing(tx, LONGITUDINAL_JOB, [jobOf(patientId)], PRIORITY.automatic) > 0;
  });
}

const jobOf = (patientId: string) => ({
  key: patientId,
  payload: { patientId } satisfies LongitudinalPayload,
});

/** {@link queueLongitudinal} for all patients of a slice. @returns number of added jobs. */
async function queueSlice(db: Database, slice: PatientSlice): Promise<number> {
  const missing: string[] = [];
  for (const patient of await listPatientVisits(db, slice)) {
    const visits = comparable(patient.visits),
      { patientId, hasStored, compared, isBeingAnalysed } = patient;
    // a stored comparison without studies: rare; the job removes it with its findings
    if (visits.length === 0 && hasStored) await queueLongitudinal(db, patientId);
    else if (visits.length > 0 && !isBeingAnalysed && !(compared && isSame(compared, visits))) {
      missing.push(patientId);
    }
  }
  return await enqueueMissing(db, LONGITUDINAL_JOB, missing.map(jobOf), PRIORITY.catchUp);
}

/** Whether an event can change a patient's studies or their images. */
const changesVisits = (event: ServerEvent): event is ServerEvent & { pid: number } =>
  event.event === "study_delete" || event.event === "study_update" ||
  (event.event === "study_analysis" && event.series === "t1" &&
    (event.status === "completed" || event.status === "failed"));

/** Keeps the comparisons of all patients up to date. */
export const watchVisits = (services: ServiceContext) =>
  watchPatients(services, {
    name: "queue comparisons of T1w series",
    queueSlice,
    of: listPatientIdsOf,
    concerns: changesVisits,
    queue: queueLongitudinal,
  });

/** Acquisition parameters of a series; `null` when its headers cannot be read. */
export async function protocolOfSeries(
  services: ServiceContext,
  seriesId: number,
): Promise<Protocol | null> {
  try {
    const header = await seriesAnswer(services, seriesId, "header", { isLater: true });
    return header ? protocolOf(header) : null;
  } catch (error) {
    if (error instanceof AppError && !isBusy(error)) return null;
    throw error;
  }
}

async function resultsOf(
  services: ServiceContext,
  visits: readonly StoredVisit[],
  result: LongitudinalResult,
): Promise<LongitudinalResults> {
  const protocols = await Promise.all(
    visits.map((visit) => protocolOfSeries(services, visit.seriesId)),
  );
  const first = protocols[0], limits = await siteLimits(services.db);
  return {
    icvMm3: result.icvMm3,
    ...(limits && { limits }),
    visits: visits.map(({ pid, studyDate }, i) => {
      const { volumesMm3, thicknessMm, leftMm, rightMm } = result.visits[i]!, own = protocols[i];
      const differences = first && own ? protocolDifferences(first, own) : null;
      return { pid, studyDate, volumesMm3, thicknessMm, sideMm: [leftMm, rightMm], differences };
    }),
  };
}

async function compare(services: ServiceContext, patientId: string, run: JobRun): Promise<void> {
  const { db, blobs, log, wakeJobs } = services;
  const visits = await comparableVisits(db, patientId);
  const stored = await findLongitudinal(db, patientId);
  if (visits.length === 0 || (stored && isSame(stored.visits, visits))) return;
  // the end of the open analysis queues the comparison again
  if (await hasOpenAnalysis(db, patientId)) return;
  const superseded = new AbortController();
  const isCurrent = async () => isSame(visits, await comparableVisits(db, patientId));
  const volumes = [];
  for (const visit of visits) {
    volumes.push(decodeNifti(await gunzipPieces(await blobs.read(visit.volumeBlob))));
  }
  try {
    const result = await runLongitudinal(
      volumes,
      {
        biasCorrection: visits.every((visit) => visit.biasCorrection),
        deepStructures: visits.every((visit) => visit.deepStructures),
        threads: services.engine.threads,
      },
      {
        signal: AbortSignal.any([run.signal, superseded.signal]),
        onProgress: (percent) => {
          run.progress(percent);
          isCurrent().then((is) => is || superseded.abort()).catch(() => {});
        },
      },
    );
    const results = await resultsOf(services, visits, result);
    const end = {
      visits: visits.map(keyOf),
      engineVersion: result.version,
      results,
      errorCode: null,
    };
    await db.transaction().execute(async (tx) => {
      if (!isSame(visits, await comparableVisits(tx, patientId))) return superseded.abort();
      await saveLongitudinal(tx, patientId, { ...end, finishedAt: nowIso() });
      await refreshFindings(tx, visits.map(({ pid }) => pid));
    });
    log("info", "Visits compared", {
      visits: visits.length,
      seconds: Math.round(result.stages.reduce((sum, stage) => sum + stage.seconds, 0)),
      peak_mb: Math.round(Math.max(...result.stages.map((stage) => stage.peakMb))),
    });
  } catch (error) {
    if (!superseded.signal.aborted || run.signal.aborted) throw error;
  }
  if (superseded.signal.aborted && await queueLongitudinal(db, patientId)) wakeJobs();
}

/** Job that compares the studies of one patient. */
export function longitudinalJob(services: ServiceContext): JobKind {
  const patientOf = (payload: unknown) => (payload as LongitudinalPayload).patientId;
  return {
    // needs as much memory and CPU as an analysis
    atOnce: 1,
    lane: ANALYSIS_JOB,
    run: (payload, run) => compare(services, patientOf(payload), run),
    retrying: () => Promise.resolve(),
    async failed(payload, error) {
      const patientId = patientOf(payload), { db } = services;
      // a failure is stored with its inputs, and retried when they change
      await saveLongitudinal(db, patientId, {
        visits: (await comparableVisits(db, patientId)).map(keyOf),
        engineVersion: null,
        results: null,
        errorCode: error.code,
        finishedAt: nowIso(),
      });
    },
  };
}
