import { personsAmong } from "@/model/patient/one_person.ts";
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
import { memoryFigures } from "@/server/core/engine/worker/process_memory.ts";
import type { LongitudinalResult } from "@/server/core/engine/result.ts";
import { enqueueMissing, type JobKind, type JobRun } from "@/server/core/jobs/runner.ts";
import { PRIORITY } from "@/server/core/jobs/jobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  hasOpenAnalysis,
  listPatientIdsOf,
  listPatientVisits,
  type LongitudinalResults,
  saveLongitudinal,
  type StoredInputs,
  type StoredVisit,
} from "@/server/core/analyses/storage/longitudinal.ts";
import type { PatientSlice } from "@/server/core/analyses/storage/patient_slices.ts";
import {
  comparableGroups,
  comparableVisits,
  isSame,
  keyOf,
} from "@/server/core/analyses/service/comparable_visits.ts";
import {
  jobOf,
  LONGITUDINAL_JOB,
  type LongitudinalPayload,
  missingComparisons,
  outdatedOf,
  queueLongitudinal,
} from "@/server/core/analyses/service/queue_visits.ts";
import { ANALYSIS_JOB } from "@/server/core/analyses/service/analysis.ts";
import { queueComparedAgain } from "@/server/core/connections/service/result_queue.ts";
import { siteLimits } from "@/server/core/norms/service/repeat_limits.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { gunzipPieces } from "@/server/core/analyses/service/files/gzip.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/** Runs {@link queueLongitudinal} for the patients of a slice. @returns number of added jobs. */
async function queueSlice(db: Database, slice: PatientSlice): Promise<number> {
  const missing: string[] = [];
  for (const patient of await listPatientVisits(db, slice)) {
    const { patientId, visits, stored, isBeingAnalysed } = patient;
    const groups = patientId === "" ? [] : comparableGroups(personsAmong(patient.records), visits);
    // rare: a stored comparison contains a study that is no longer compared
    const isKept = ({ visits }: StoredInputs) =>
      visits === null ||
      groups.some((group) => visits.every(({ pid }) => group.some((visit) => visit.pid === pid)));
    if (!stored.every(isKept)) {
      await queueLongitudinal(db, patientId);
    }
    if (!isBeingAnalysed && outdatedOf(groups, stored).length > 0) missing.push(patientId);
  }
  return await enqueueMissing(db, LONGITUDINAL_JOB, missing.map(jobOf), PRIORITY.catchUp);
}

/** Studies of patients with images or records that a server event can change. */
function changesVisits(event: ServerEvent): readonly number[] {
  switch (event.event) {
    // the headers of a study without T1w result may show that a study is of another person
    case "study_create":
      return event.pid_list;
    case "study_delete":
    case "study_update":
      return [event.pid];
    case "study_analysis":
      return event.series === "t1" && (event.status === "completed" || event.status === "failed")
        ? [event.pid]
        : [];
    default:
      return [];
  }
}

/** Keeps the stored longitudinal comparisons of all patients up to date. */
export const watchVisits = (services: ServiceContext) =>
  watchPatients(services, {
    name: "queue comparisons of T1w series",
    queueSlice,
    of: listPatientIdsOf,
    concerned: changesVisits,
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

/** Compares the visits of one person. */
async function compareVisits(
  services: ServiceContext,
  { patientId, visits }: { patientId: string; visits: readonly StoredVisit[] },
  run: JobRun,
): Promise<"compared" | "superseded"> {
  const { db, blobs, log } = services;
  const superseded = new AbortController();
  const isCurrent = async (db: Database) =>
    (await comparableVisits(db, patientId)).some((group) => isSame(group, visits));
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
          isCurrent(db).then((is) => is || superseded.abort()).catch(() => {});
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
      if (!await isCurrent(tx)) return superseded.abort();
      await saveLongitudinal(tx, patientId, { ...end, finishedAt: nowIso() });
      await refreshFindings(tx, visits.map(({ pid }) => pid));
      await queueComparedAgain(tx, visits.map(({ pid }) => pid));
    });
    log("info", "Visits compared", {
      visits: visits.length,
      seconds: Math.round(result.stages.reduce((sum, stage) => sum + stage.seconds, 0)),
      ...memoryFigures(result.stages.map(({ peakMb }) => peakMb)),
    });
  } catch (error) {
    if (!superseded.signal.aborted || run.signal.aborted) throw error;
  }
  return superseded.signal.aborted ? "superseded" : "compared";
}

/** Visits for which a comparison was started last, by patient ID. */
type Compared = Map<string, readonly StoredVisit[]>;

async function compare(
  services: ServiceContext,
  patientId: string,
  run: JobRun,
  compared: Compared,
): Promise<void> {
  const { db, wakeJobs } = services;
  for (let visits; (visits = (await missingComparisons(db, patientId))[0]);) {
    compared.set(patientId, visits);
    // not compared during an analysis of the patient, as the end of the analysis queues this again
    if (await hasOpenAnalysis(db, patientId)) return;
    if (await compareVisits(services, { patientId, visits }, run) === "compared") continue;
    if (await queueLongitudinal(db, patientId)) wakeJobs();
    return;
  }
}

/** Job that compares the studies of the persons with one patient ID. */
export function longitudinalJob(services: ServiceContext): JobKind {
  const patientOf = (payload: unknown) => (payload as LongitudinalPayload).patientId;
  const compared: Compared = new Map();
  return {
    // shares the analyses' limit: a comparison needs as much memory and CPU as an analysis
    atOnce: 1,
    lane: ANALYSIS_JOB,
    async run(payload, run) {
      await compare(services, patientOf(payload), run, compared);
      compared.delete(patientOf(payload));
    },
    retrying: () => Promise.resolve(),
    async failed(payload, error) {
      const patientId = patientOf(payload), { db } = services;
      const missing = await missingComparisons(db, patientId);
      // without an entry (the process restarted), the visits that the job compares first failed
      const visits = compared.get(patientId) ?? missing[0];
      const failing = visits && missing.find((group) => isSame(group, visits));
      if (failing) {
        // a failure is stored with the visits, so the job is not repeated until the visits change
        await saveLongitudinal(db, patientId, {
          visits: failing.map(keyOf),
          engineVersion: null,
          results: null,
          errorCode: error.code,
          finishedAt: nowIso(),
        });
      }
      // other persons' studies with the same patient ID are compared nevertheless
      const others = missing.filter((group) => group !== failing);
      if (others.length > 0 && await queueLongitudinal(db, patientId)) services.wakeJobs();
    },
  };
}
