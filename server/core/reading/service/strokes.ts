import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor, type Shape } from "@/model/geometry.ts";
import { LesionPlaces } from "@/model/regions/lesion_site.ts";
import type { Corrected, StrokeList, StrokePost } from "@/model/schema/reading/strokes.ts";
import { MAX_STROKES } from "@/model/schema/reading/strokes.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import {
  type AnalysisResults,
  type FlairResults,
  listFiles,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { changeInstants } from "@/server/core/connections/service/changed_at.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  insertStroke,
  listStrokes,
  originalResults,
  setUndone,
  type StoredStroke,
  writeCorrectedResults,
} from "@/server/core/reading/storage/strokes.ts";
import { queueCorrected } from "@/server/core/connections/service/result_queue.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import {
  correctedFlair,
  correctedResults,
  fitsInto,
  laterThan,
} from "@/server/core/reading/service/corrected.ts";
import {
  completedAnalyses,
  getPatient,
  mustFindPatient,
} from "@/server/core/studies/service/patients.ts";

const notAnalyzed = (pid: number) =>
  new AppError("study.not_analyzed", `Cannot correct study ${pid}: not analyzed`, { pid });

async function analysisOf(db: Database, pid: number, series: SeriesKind): Promise<StoredAnalysis> {
  const { t1, t2 } = await completedAnalyses(db, await mustFindPatient(db, pid));
  const analysis = series === "t1" ? t1 : t2;
  if (!analysis) throw notAnalyzed(pid);
  return analysis;
}

/** Cache of the uncorrected label maps that were read last, 8 to 16 MB each. */
const maps = new Map<string, Promise<Uint8Array>>();
const KEPT_MAPS = 2;

/** Label map as the analysis computed it, without corrections. Callers must not modify it. */
async function originalMap(
  { db, blobs }: ServiceContext,
  analysis: StoredAnalysis,
): Promise<Uint8Array> {
  const field = analysis.kind === "t1" ? "t1w_mask_file" : "t2w_mask_file";
  const file = (await listFiles(db, analysis.id)).find((one) => one.field === field);
  if (!file) throw notAnalyzed(analysis.pid);
  let map = maps.get(file.blob);
  maps.delete(file.blob);
  map ??= blobs.read(file.blob).then(npyVoxels);
  maps.set(file.blob, map);
  map.catch(() => maps.delete(file.blob));
  for (const oldest of maps.keys()) {
    if (maps.size <= KEPT_MAPS) break;
    maps.delete(oldest);
  }
  return await map;
}

/**
 * Function that locates lesions by the label map of the study's T1w series;
 * `null` if the grid of that map differs from that of a lesion mask with `voxels` voxels.
 */
async function placesBeside(
  services: ServiceContext,
  pid: number,
  voxels: number,
): Promise<LesionPlaces | null> {
  const { t1 } = await completedAnalyses(services.db, await mustFindPatient(services.db, pid));
  if (!t1?.results) return null;
  const labels = await originalMap(services, t1), { shape, rasFromIjkRows } = t1.results;
  return labels.length === voxels
    ? new LesionPlaces({
      labels,
      shape: shape satisfies Shape,
      rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(rasFromIjkRows),
    })
    : null;
}

/**
 * Strokes on the label maps of a study's current results.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function getStrokes({ db }: ServiceContext, pid: number): Promise<StrokeList> {
  const { t1, t2 } = await completedAnalyses(db, await mustFindPatient(db, pid));
  const strokes = [];
  for (const analysis of [t1, t2]) {
    for (const stroke of analysis ? await listStrokes(db, analysis.id) : []) {
      const { id, runs, value, createdAt, creator, isUndone } = stroke;
      strokes.push({
        id,
        series: analysis!.kind,
        runs,
        value,
        created_at: createdAt,
        created_by: creator,
        is_undone: isUndone,
      });
    }
  }
  return { strokes };
}

/**
 * Serialises the changes that this server makes to a label map, so that none must be retried.
 * Changes by another server are safe too: transactions are serializable, so that each is based
 * on the result of the one before.
 */
const turnsOf = new WeakMap<Database, Map<number, Promise<unknown>>>();
function inTurn<T>(db: Database, analysisId: number, work: () => Promise<T>): Promise<T> {
  const turns = turnsOf.get(db) ?? new Map<number, Promise<unknown>>();
  turnsOf.set(db, turns);
  const turn = (turns.get(analysisId) ?? Promise.resolve()).then(work, work);
  const end = turn.catch(() => {}).finally(() => {
    if (turns.get(analysisId) === end) turns.delete(analysisId);
  });
  turns.set(analysisId, end);
  return turn;
}

/**
 * Changes the strokes of a label map, and stores the corrected results in the same transaction.
 * When the call returns, the change is on disk.
 * @param change Makes the change; returns the stroke, or `null` if nothing changes.
 */
async function changeStrokes(
  services: ServiceContext,
  pid: number,
  series: SeriesKind,
  caller: Caller,
  change: (
    db: Database,
    analysis: StoredAnalysis,
    strokes: StoredStroke[],
    map: Uint8Array,
  ) => Promise<number | null>,
): Promise<Corrected> {
  const { db, publish } = services, found = await analysisOf(db, pid, series);
  let isQueued = false;
  const strokeId = await inTurn(db, found.id, async () => {
    const map = await originalMap(services, found);
    const places = found.flair?.tissue !== "t1"
      ? null
      : await placesBeside(services, pid, map.length);
    return await db.transaction().execute(async (tx) => {
      isQueued = false;
      const both = await completedAnalyses(tx, await mustFindPatient(tx, pid)),
        analysis = both[series];
      if (analysis?.id !== found.id) throw notAnalyzed(pid);
      const done = await change(tx, analysis, await listStrokes(tx, analysis.id), map);
      if (done === null) return null;
      const strokes = await listStrokes(tx, analysis.id),
        original = await originalResults(tx, analysis.id);
      const results = analysis.kind === "t1"
        ? correctedResults(JSON.parse(original!) as AnalysisResults, map, strokes)
        : correctedFlair(JSON.parse(original!) as FlairResults, map, strokes, places);
      const earlierInstants = [both.t1, both.t2].flatMap((one) =>
        one ? [one.finishedAt, one.correctedAt, one.localNormAt] : []
      );
      earlierInstants.push(...(await changeInstants(tx, pid)).values());
      await writeCorrectedResults(
        tx,
        analysis.id,
        original!,
        JSON.stringify(results),
        laterThan(earlierInstants),
      );
      await refreshFindings(tx, [pid]);
      isQueued = await queueCorrected(tx, pid, analysis.kind);
      return done;
    });
  });
  if (strokeId !== null) publish({ event: "study_reading", pid, uid: caller.uid });
  if (isQueued) publish({ event: "study_sent", pid });
  return { stroke_id: strokeId, patient: await getPatient(services, pid, caller.uid) };
}

/**
 * Sets voxels of a label map to a label. When the call returns, the change is on disk.
 * @throws {AppError} `study.not_analyzed`; `input.invalid` for voxels outside the map, or for too
 * many strokes.
 */
export const addStroke = (
  services: ServiceContext,
  pid: number,
  { series, runs, value }: StrokePost,
  caller: Caller,
): Promise<Corrected> =>
  changeStrokes(services, pid, series, caller, async (tx, analysis, strokes, map) => {
    if (!fitsInto(runs, map.length)) {
      throw new AppError(
        "input.invalid",
        "Cannot correct the label: the voxels are outside of the map",
        {
          field: "runs",
        },
      );
    }
    if (strokes.length >= MAX_STROKES) {
      throw new AppError("input.invalid", "Cannot correct the label: there are too many strokes", {
        field: "strokes",
        max: MAX_STROKES,
      });
    }
    return await insertStroke(tx, {
      pid,
      analysisId: analysis.id,
      runs,
      value,
      at: nowIso(),
      userId: caller.uid,
    });
  });

/** Undoes or redoes strokes on a label map. @throws {AppError} `study.not_analyzed`. */
type StrokeTurn = (
  services: ServiceContext,
  pid: number,
  series: SeriesKind,
  caller: Caller,
) => Promise<Corrected>;

/** @param chosen Selects the strokes to undo or redo; if it selects none, nothing changes. */
const turnTo =
  (isUndone: boolean, chosen: (strokes: readonly StoredStroke[]) => StoredStroke[]): StrokeTurn =>
  (services, pid, series, caller) =>
    changeStrokes(services, pid, series, caller, async (tx, _, strokes) => {
      const ids = chosen(strokes).map(({ id }) => id);
      if (ids.length === 0) return null;
      await setUndone(tx, ids, { at: isUndone ? nowIso() : null, userId: caller.uid });
      return ids.at(-1)!;
    });

const isHeld = ({ isUndone }: StoredStroke) => !isUndone;

/** Undoes the last stroke that is not undone. */
export const undoStroke = turnTo(true, (strokes) => strokes.filter(isHeld).slice(-1));

/** Redoes the stroke that was undone last, unless another stroke was made since. */
export const redoStroke = turnTo(false, (strokes) => {
  const undoneIndex = strokes.findLastIndex(isHeld) + 1;
  return strokes.slice(undoneIndex, undoneIndex + 1);
});

/** Restores the label map of the analysis; the undone strokes remain in the history. */
export const restoreOriginal = turnTo(true, (strokes) => strokes.filter(isHeld));
