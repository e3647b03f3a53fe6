import { watchPatients } from "@/server/core/analyses/service/watch_patients.ts";
import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor, applyAffine, type Shape } from "@/model/geometry.ts";
import { lesionRegion } from "@/model/regions/lesion_region.ts";
import { findAnalysis, listFiles } from "@/server/core/analyses/storage/analyses.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { runFlairChange } from "@/server/core/engine/flair_change.ts";
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
  saveFlairChange,
} from "@/server/core/analyses/storage/flair_changes.ts";
import { currentRuns, renewOutbox } from "@/server/core/connections/storage/outbox.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { ANALYSIS_JOB } from "@/server/core/analyses/service/analysis.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { gunzipPieces } from "@/server/core/analyses/service/files/gzip.ts";

/** Name of the job kind. */
export const FLAIR_CHANGE_JOB = "flair_change";

interface FlairChangePayload {
  patientId: string;
}

/** Each study of a patient with the one before it, of another date. */
export async function flairPairs(db: Database, patientId: string): Promise<FlairPair[]> {
  const visits = await listFlairVisits(db, patientId);
  return visits.flatMap((current) => {
    const prior = visits.findLast((visit) => visit.studyDate < current.studyDate);
    return prior ? [{ prior, current }] : [];
  });
}

/** The comparison of a study with the one before it. */
interface CurrentFlairChange {
  pair: FlairPair;
  results: FlairChangeResults;
}

/**
 * Changes since the study before; `null` without one, or when the stored comparison is outdated.
 */
export async function currentFlairChange(
  db: Database,
  pid: number,
  patientId: string,
): Promise<CurrentFlairChange | null> {
  const pair = (await flairPairs(db, patientId)).find(({ current }) => current.pid === pid);
  const stored = pair && await findFlairChange(db, pid);
  return pair && stored?.results && isOf(stored, pair) ? { pair, results: stored.results } : null;
}

const isOf = (
  stored: { priorPid: number; analysisId: number; priorAnalysisId: number },
  { prior, current }: FlairPair,
) =>
  stored.priorPid === prior.pid && stored.analysisId === current.analysisId &&
  stored.priorAnalysisId === prior.analysisId;

async function missingPairs(db: Database, patientId: string): Promise<FlairPair[]> {
  const missing = [];
  for (const pair of await flairPairs(db, patientId)) {
    const stored = await findFlairChange(db, pair.current.pid);
    if (!stored || !isOf(stored, pair)) missing.push(pair);
  }
  return missing;
}

/**
 * Queues the comparisons of a patient that are missing or outdated, once however often it is asked
 * for.
 */
async function queueFlairChanges(db: Database, patientId: string): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    if ((await missingPairs(tx, patientId)).length === 0) return false;
    return await enqueueMissing(tx, FLAIR_CHANGE_JOB, [jobOf(patientId)], PRIORITY.automatic) > 0;
  });
}

const jobOf = (patientId: string) => ({
  key: patientId,
  payload: { patientId } satisfies FlairChangePayload,
});

/** Whether an event can change which FLAIR series a patient has. */
const changesFlairs = (event: ServerEvent): event is ServerEvent & { pid: number } =>
  event.event === "study_delete" || event.event === "study_update" ||
  (event.event === "study_analysis" && event.status === "completed");

/** Looks after the comparisons of every patient. */
export const watchFlairs = (services: ServiceContext) =>
  watchPatients(services, {
    name: "queue comparisons of FLAIR series",
    queueSlice: async (db, slice) =>
      await enqueueMissing(
        db,
        FLAIR_CHANGE_JOB,
        (await listUncomparedFlairs(db, slice)).map(jobOf),
        PRIORITY.catchUp,
      ),
    of: listFlairPatientIdsOf,
    concerns: changesFlairs,
    queue: queueFlairChanges,
  });

/** Voxels of each lesion as runs. @param marks  0, or 1 + a lesion's number. */
export function runsOf(marks: Uint8Array, lesions: number): number[][] {
  const runs: number[][] = Array.from({ length: lesions }, () => []);
  for (let v = 0; v < marks.length;) {
    const mark = marks[v]!, first = v++;
    if (mark === 0) continue;
    while (marks[v] === mark) v++;
    runs[mark - 1]?.push(first, v - first);
  }
  return runs;
}

/** The same lesions with the regions that name their places, where the study has a label map. */
async function withRegions(
  { db, blobs }: ServiceContext,
  pid: number,
  lesions: FlairChangeResults["lesions"],
): Promise<FlairChangeResults["lesions"]> {
  const { t1, t2 } = (await findPatient(db, pid))?.analysisId ?? { t1: null, t2: null };
  const [t1Analysis, flairAnalysis] = [
    t1 && await findAnalysis(db, t1),
    t2 && await findAnalysis(db, t2),
  ];
  const results = t1Analysis && t1Analysis.results, flair = flairAnalysis && flairAnalysis.flair;
  const map = results &&
    (await listFiles(db, t1Analysis.id)).find(({ field }) => field === "t1w_mask_file");
  if (!results || !flair || !map || lesions.length === 0) return lesions;
  const labels = npyVoxels(await blobs.read(map.blob)), shape = results.shape as Shape;
  const rasFromIjk = affineFromRowMajor<"Ras", "Ijk">(results.rasFromIjkRows);
  const t1FromFlair = affineFromRowMajor<"Ras", "Ras">(flair.t1FromFlairRows);
  return lesions.map((lesion) => {
    const [x, y, z] = applyAffine(t1FromFlair, lesion.centreRasMm[1]);
    return { ...lesion, nearLabel: lesionRegion(labels, shape, rasFromIjk, [x!, y!, z!]) };
  });
}

/** The analysis was complete before its comparison: results that contain changes are sent again. */
export async function sendChanges(tx: Database, pid: number): Promise<void> {
  const patient = await findPatient(tx, pid);
  if (!patient) return;
  const runs = await currentRuns(tx, pid, patient.analysisId);
  for (const kind of ["changes", "measurements"]) {
    await renewOutbox(tx, { pid, run: runs(kind), kind });
  }
}

async function comparePair(services: ServiceContext, pair: FlairPair, run: JobRun): Promise<void> {
  const { db, blobs, log } = services;
  const read = async (hash: string) => decodeNifti(await gunzipPieces(await blobs.read(hash)));
  const ended = await (async () => {
    try {
      const volumes = [
        await read(pair.prior.volumeBlob),
        await read(pair.current.volumeBlob),
      ] as const;
      const result = await runFlairChange(volumes, { threads: services.engine.threads }, {
        signal: run.signal,
        onProgress: run.progress,
      });
      const { lesions, marks, ncc, noise } = result;
      log("info", "FLAIRs compared", { lesions: lesions.length });
      const runs = runsOf(marks[1], lesions.length),
        named = await withRegions(services, pair.current.pid, lesions);
      return {
        results: { priorDate: pair.prior.studyDate, lesions: named, runs, ncc, noise },
        errorCode: null,
      };
    } catch (error) {
      // that two series cannot be compared is an answer; it is asked again when one of them is
      // analysed again
      if (error instanceof AppError && error.code === "engine.unsupported_input") {
        return { results: null, errorCode: error.code };
      }
      throw error;
    }
  })();
  await db.transaction().execute(async (tx) => {
    await saveFlairChange(tx, pair, { ...ended, finishedAt: nowIso() });
    if (ended.results && ended.results.lesions.length > 0) await sendChanges(tx, pair.current.pid);
  });
  services.publish({ event: "study_reading", pid: pair.current.pid, uid: 0 });
}

/** The job that compares the FLAIR series of one patient. */
export function flairChangeJob(services: ServiceContext): JobKind {
  const patientOf = (payload: unknown) => (payload as FlairChangePayload).patientId,
    { db } = services;
  return {
    // as much memory and processor as an analysis
    atOnce: 1,
    lane: ANALYSIS_JOB,
    async run(payload, run) {
      for (const pair of await missingPairs(db, patientOf(payload))) {
        await comparePair(services, pair, run);
      }
    },
    retrying: () => Promise.resolve(),
    async failed(payload, error) {
      for (const pair of await missingPairs(db, patientOf(payload))) {
        await saveFlairChange(db, pair, {
          results: null,
          errorCode: error.code,
          finishedAt: nowIso(),
        });
      }
    },
  };
}
