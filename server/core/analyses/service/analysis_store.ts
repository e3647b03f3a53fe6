import { measuredIcvMm3 } from "@/model/measured/icv_basis.ts";
import { soundAge } from "@/model/patient/plausible.ts";
import { rowMajor, type Shape } from "@/model/geometry.ts";
import type {
  AnalysisOutcome,
  EngineFailureRecord,
  EngineResult,
  FlairResult,
} from "@/server/core/engine/result.ts";
import {
  type AnalysisResults,
  completeAnalysis,
  failAnalysis,
  type FileField,
  type FlairResults,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, type Lease, type StagedBlob } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { errorOf } from "@/server/core/engine/engine.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { normOfNew } from "@/server/core/norms/service/applied_norms.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { gzipSlabs } from "@/server/core/analyses/service/files/slab_gzip.ts";
import { publishCredits, returnCredit } from "@/server/core/site/service/license.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { withoutLabels } from "@/server/core/analyses/service/files/flair_structures.ts";
import { encodeArray, encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { methodOf } from "@/model/norms/percentile_rank.ts";
import { percentileMapOf, regionDataOf, type Subject } from "@/model/measured/region_data.ts";

/** A result file to store, and the column of the analysis that refers to the file. */
interface PlainFile {
  field: FileField;
  bytes: Uint8Array<ArrayBuffer>;
}

interface ResultFile {
  field: FileField;
  plain: StagedBlob;
  gzipped: StagedBlob;
}

/**
 * Writes a result file twice: uncompressed for range requests, gzipped for all other requests.
 * @param staged Receives every written blob, so that the caller can delete them after an error.
 */
async function stageFile(
  { blobs }: ServiceContext,
  { field, bytes }: PlainFile,
  staged: StagedBlob[],
): Promise<ResultFile> {
  const both = await Promise.allSettled([
    blobs.stage(chunksOf(bytes), Infinity).staging,
    blobs.stage(gzipSlabs(bytes), Infinity).staging,
  ]);
  for (const outcome of both) if (outcome.status === "fulfilled") staged.push(outcome.value);
  const [plain, gzipped] = both.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  return { field, plain: plain!, gzipped: gzipped! };
}

function t1Results(result: EngineResult, hasLesions: boolean): AnalysisResults {
  const { subjectFromAtlas, ...quality } = result.quality, { thickness, surface } = result;
  return {
    volumesMm3: result.volumesMm3,
    icvMm3: result.icvMm3,
    shape: result.shape,
    rasFromIjkRows: rowMajor(result.rasFromIjk),
    quality: { ...quality, subjectFromAtlasRows: rowMajor(subjectFromAtlas) },
    ...thickness
      ? {
        thicknessMm: thickness.meanMm,
        thicknessSidesMm: [thickness.leftMm, thickness.rightMm],
        thicknessOffsetMm: thickness.offsetMm,
      }
      : { thicknessReason: "voxels_too_large" },
    linear: result.linear,
    hasLesions,
    secondOpinion: result.secondOpinion && { ...result.secondOpinion },
    deepStructures: result.deepStructures && { ...result.deepStructures },
    regionAgreement: { ...result.regionAgreement },
    surface: {
      vertices: surface.vertices.length / 3,
      faces: surface.faces.length / 3,
      trianglesBefore: surface.trianglesBefore,
      eulerNumber: surface.eulerNumber,
    },
  };
}

/**
 * Files of a T1w result. The percentile map uses only the published norms, never the local norms,
 * so the map stays valid when the site's local norms change.
 */
function* t1Files(
  result: EngineResult,
  hasLesions: boolean,
  subject: Subject,
): Generator<PlainFile> {
  const { shape, surface, thickness, labels } = result;
  const file = (field: FileField, voxels: Uint8Array, size: Shape = shape) => ({
    field,
    bytes: encodeNpy(voxels, size),
  });
  const read = { ...subject, method: methodOf(result) };
  const regions = regionDataOf(result.volumesMm3, measuredIcvMm3(result), read, hasLesions);
  yield file("t1w_file", result.intensities);
  yield file("t1w_mask_file", labels);
  yield file("t1w_np_mask_file", percentileMapOf(labels, regions));
  yield file("icv_mask_file", result.intracranial);
  if (thickness) yield file("thick_mask_file", thickness.map);
  const vertices = surface.vertices.length / 3;
  if (vertices === 0) return;
  yield { field: "verts", bytes: encodeArray(surface.vertices, [vertices, 3]) };
  yield { field: "faces", bytes: encodeArray(surface.faces, [surface.faces.length / 3, 3]) };
  yield { field: "normals", bytes: encodeArray(surface.normals, [vertices, 3]) };
  yield { field: "values", bytes: encodeArray(surface.values, [vertices]) };
}

const flairResults = (result: FlairResult): FlairResults => ({
  shape: result.shape,
  rasFromIjkRows: rowMajor(result.rasFromIjk),
  periMm3: result.periMm3,
  deepMm3: result.deepMm3,
  whiteMatterMm3: result.whiteMatterMm3,
  lesionCount: result.lesionCount,
  lesions: result.lesions,
  isLowConfidence: result.isLowConfidence,
  tissue: result.tissue,
  registration: result.registration,
  t1FromFlairRows: rowMajor(result.t1FromFlair),
  icvMm3: result.icvMm3,
  deepStructures: withoutLabels(result.deepStructures),
  grade: result.grade,
  warnings: result.warnings,
});

function* flairFiles(
  { shape, intensities, mask, deepStructures }: FlairResult,
): Generator<PlainFile> {
  yield { field: "t2w_file", bytes: encodeNpy(intensities, shape) };
  yield { field: "t2w_mask_file", bytes: encodeNpy(mask, shape) };
  if (deepStructures?.isUsed) {
    yield { field: "t2w_region_mask_file", bytes: encodeNpy(deepStructures.labels, shape) };
  }
}

const NO_ANSWER: EngineFailureRecord = {
  code: "internal",
  reason: "no answer",
  message: "Cannot finish analysis: the engine said nothing of the series",
};

/**
 * Stores the results of an engine run: files first, then analyses, in one transaction.
 * Each analysis becomes completed or failed; an analysis that has ended or was deleted is skipped.
 * A run without any result refunds the credit.
 *
 * @param analyses The analyses of the run, at most one of each kind.
 */
export async function storeOutcome(
  services: ServiceContext,
  analyses: readonly StoredAnalysis[],
  outcome: AnalysisOutcome,
): Promise<void> {
  const { db, blobs, publish } = services, pid = analyses[0]?.pid;
  const patient = pid === undefined ? null : await findPatient(db, pid);
  if (!patient) return;
  const hasLesions = outcome.t1 !== null && outcome.flair !== null;
  const subject = {
    age: soundAge(patient.row),
    sex: patient.row.patient_sex,
    grade: outcome.t1?.quality.grade,
  };
  const staged: StagedBlob[] = [];
  let hold: Lease | undefined;
  const ended: { analysis: StoredAnalysis; status: "completed" | "failed" }[] = [];
  const stageAll = async (plain: Iterable<PlainFile>) => {
    const files: ResultFile[] = [];
    // one file after another, because each is several MB in memory
    for (const file of plain) files.push(await stageFile(services, file, staged));
    return files;
  };
  const complete = (
    tx: Database,
    analysis: StoredAnalysis,
    result: EngineResult | FlairResult,
    results: AnalysisResults | FlairResults,
    files: readonly ResultFile[],
  ) =>
    completeAnalysis(tx, analysis.id, {
      engineVersion: result.version,
      results,
      stages: result.stages,
      files: files.map(({ field, plain, gzipped }) => ({
        field,
        blob: plain.hash,
        gzipBlob: gzipped.hash,
      })),
      finishedAt: nowIso(),
      localNormId: analysis.kind === "t1" ? localNormId : null,
    });
  const t1Analysis = analyses.find(({ kind }) => kind === "t1");
  const localNormId = t1Analysis && outcome.t1
    ? await normOfNew(services, t1Analysis.seriesId, outcome.t1.version)
    : null;
  try {
    const t1 = outcome.t1 && await stageAll(t1Files(outcome.t1, hasLesions, subject));
    const flair = outcome.flair && await stageAll(flairFiles(outcome.flair));
    hold = await blobs.keep(staged);
    await db.transaction().execute(async (tx) => {
      ended.length = 0;
      await insertBlobs(tx, staged, nowIso());
      for (const analysis of analyses) {
        const isT1 = analysis.kind === "t1";
        let isStored: boolean, status: "completed" | "failed" = "completed";
        if (isT1 && outcome.t1 && t1) {
          isStored = await complete(
            tx,
            analysis,
            outcome.t1,
            t1Results(outcome.t1, hasLesions),
            t1,
          );
        } else if (!isT1 && outcome.flair && flair) {
          isStored = await complete(
            tx,
            analysis,
            outcome.flair,
            flairResults(outcome.flair),
            flair,
          );
        } else {
          const { code, details } = errorOf(
            (isT1 ? outcome.failures.t1 : outcome.failures.flair) ?? NO_ANSWER,
          );
          status = "failed";
          isStored = await failAnalysis(tx, analysis.id, { code, details, finishedAt: nowIso() });
        }
        if (isStored) ended.push({ analysis, status });
      }
      if (ended.some(({ status }) => status === "completed")) {
        await refreshFindings(tx, [patient.row.pid]);
      }
      const isFailed = ended.length > 0 && ended.every(({ status }) => status === "failed");
      if (isFailed) await returnCredit(tx, analyses.map(({ id }) => id));
      else if (ended.length > 0) await queueResults(tx, patient.row.pid);
    });
  } finally {
    hold?.release();
    // frees the disk: files of committed analyses have been moved, so only unused ones are deleted
    await Promise.all(staged.map((blob) => blob.discard()));
  }
  for (const { analysis: { pid, kind: series }, status } of ended) {
    const percent = status === "completed" ? { percent: 100 } : {};
    publish({ event: "study_analysis", pid, series, status, ...percent });
  }
  if (ended.length > 0) await publishCredits(services);
}
