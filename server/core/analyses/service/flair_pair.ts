import { type Affine, affineFromRowMajor, applyAffine, type Shape } from "@/model/geometry.ts";
import { lesionRegion } from "@/model/regions/lesion_region.ts";
import {
  findAnalysis,
  type FlairResults,
  listFiles,
} from "@/server/core/analyses/storage/analyses.ts";
import {
  type ComparedImages,
  type FlairChangeResults,
  type FlairPair,
  type FlairVisit,
  masksKey,
  type StoredChange,
} from "@/server/core/analyses/storage/flair_changes.ts";
import { gunzipPieces } from "@/server/core/analyses/service/files/gzip.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import {
  type LesionVisit,
  matchedLesions,
} from "@/server/core/analyses/service/matched_lesions.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { runFlairChange } from "@/server/core/engine/flair_change.ts";
import { seriesPlaces } from "@/model/regions/series_places.ts";
import type { JobRun } from "@/server/core/jobs/runner.ts";
import { withStrokes } from "@/server/core/reading/service/stroke_map.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";

/** Whether a stored comparison was made from the given two analyses. */
export const isOfAnalyses = (stored: StoredChange | null, { prior, current }: FlairPair): boolean =>
  stored !== null && stored.priorPid === prior.pid && stored.analysisId === current.analysisId &&
  stored.priorAnalysisId === prior.analysisId;

/**
 * Run-length encodes the voxels of each change: [first voxel, count, first voxel, count …].
 * @param marks  Per voxel 0, or 1 + the number of the change.
 */
export function runsOf(marks: Uint8Array, count: number): number[][] {
  const runs: number[][] = Array.from({ length: count }, () => []);
  for (let v = 0; v < marks.length;) {
    const mark = marks[v]!, first = v++;
    if (mark === 0) continue;
    while (marks[v] === mark) v++;
    runs[mark - 1]?.push(first, v - first);
  }
  return runs;
}

/** Converts the runs of each lesion change back to a mark per voxel; inverse of {@link runsOf}. */
export function marksOf(runs: readonly (readonly number[])[], voxels: number): Uint8Array {
  const marks = new Uint8Array(voxels);
  runs.forEach((ofMark, n) => {
    for (let at = 0; at + 1 < ofMark.length; at += 2) {
      marks.fill(n + 1, ofMark[at]!, ofMark[at]! + ofMark[at + 1]!);
    }
  });
  return marks;
}

/** Result of comparing two FLAIR images, which does not depend on their lesion masks. */
type ImageChanges = Pick<FlairChangeResults, "compared" | "ncc" | "noise">;

async function compareImages(
  { engine, log }: ServiceContext,
  volumes: readonly [Volume, Volume],
  { signal, progress }: JobRun,
): Promise<ImageChanges> {
  const { lesions, marks, ncc, noise, secondFromFirst } = await runFlairChange(volumes, {
    threads: engine.threads,
  }, { signal, onProgress: progress });
  log("info", "FLAIRs compared", { lesions: lesions.length });
  const runs: ComparedImages["runs"] = [
    runsOf(marks[0], lesions.length),
    runsOf(marks[1], lesions.length),
  ];
  return { compared: { changes: lesions, runs, currentFromPrior: secondFromFirst }, ncc, noise };
}

/**
 * Finds the lesions that changed between two studies.
 * A stored comparison of the images is reused, because correcting a mask does not change them.
 */
export async function compareStudies(
  services: ServiceContext,
  pair: FlairPair,
  stored: StoredChange | null,
  run: JobRun,
): Promise<FlairChangeResults> {
  const read = async (hash: string) =>
    decodeNifti(await gunzipPieces(await services.blobs.read(hash)));
  const volumes = [
    await read(pair.prior.volumeBlob),
    await read(pair.current.volumeBlob),
  ] as const;
  const earlier = isOfAnalyses(stored, pair) ? stored?.results : null;
  // a result of an earlier version lacks the change maps, so the images are compared again
  const images: ImageChanges = earlier?.compared
    ? earlier
    : await compareImages(services, volumes, run);
  const { compared, ncc, noise } = images, { changes, runs } = compared;
  const visits = [
    await lesionVisit(services, pair.prior, volumes[0], runs[0]),
    await lesionVisit(services, pair.current, volumes[1], runs[1]),
  ] as const;
  const currentFromPrior = Float64Array.from(compared.currentFromPrior) as Affine<"Ras", "Ras">;
  const lesions = matchedLesions(visits, changes, currentFromPrior);
  const lesionRuns = lesions.map(({ parts }) => parts.flatMap((part) => runs[1][part] ?? []));
  return {
    masks: masksKey(pair),
    priorDate: pair.prior.studyDate,
    lesions: await withRegions(services, pair.current.pid, lesions, {
      volume: volumes[1],
      runs: lesionRuns,
    }),
    runs: lesionRuns,
    compared,
    ncc,
    noise,
  };
}

/** Lesion mask and lesion list of a study, with readers' corrections. */
async function lesionVisit(
  { db, blobs }: ServiceContext,
  { analysisId }: FlairVisit,
  volume: Volume,
  runs: readonly (readonly number[])[],
): Promise<LesionVisit> {
  const flair = (await findAnalysis(db, analysisId))?.flair as FlairResults;
  const file = (await listFiles(db, analysisId)).find(({ field }) => field === "t2w_mask_file");
  const shape = flair.shape;
  return {
    mask: file
      ? await withStrokes(db, analysisId, npyVoxels(await blobs.read(file.blob)))
      : new Uint8Array(shape[0] * shape[1] * shape[2]),
    shape,
    rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(flair.rasFromIjkRows),
    lesions: flair.lesions ?? [],
    maskFromFlair: affineFromRowMajor<"Ras", "Ras">(flair.t1FromFlairRows),
    marks: marksOf(runs, volume.voxels.length),
    flairShape: volume.shape,
    flairRasFromIjk: volume.rasFromIjk,
  };
}

/**
 * Two comparisons of the same images detected the same change if the centres are this close, mm.
 */
const SAME_MM = 1.5;

/**
 * For each new lesion, the lesions of an earlier comparison of the same images inside it.
 * The new lesion gets their verdicts; earlier versions listed each change as a separate lesion.
 */
export function carriedVerdicts(
  earlier: FlairChangeResults,
  { lesions, compared }: FlairChangeResults,
): Map<number, number[]> {
  const centresOf = (results: FlairChangeResults, n: number) =>
    results.lesions[n]!.parts?.map((part) => results.compared.changes[part]!.centreRasMm[1]) ??
      [results.lesions[n]!.centreRasMm[1]];
  return new Map(lesions.map(({ parts }, n) => {
    const centres = parts.map((part) => compared.changes[part]!.centreRasMm[1]);
    const numbers = [...earlier.lesions.keys()].filter((number) =>
      centresOf(earlier, number).some((mm) =>
        centres.some((other) => Math.hypot(...mm.map((at, axis) => at - other[axis]!)) < SAME_MM)
      )
    );
    return [n, numbers];
  }));
}

/** Decodes runs to voxel indices. */
const voxelsOf = (runs: readonly number[]): number[] =>
  runs.flatMap((first, at) =>
    at % 2 === 0 ? Array.from({ length: runs[at + 1] ?? 0 }, (_, n) => first + n) : []
  );

/**
 * Adds the anatomical location to each lesion, if the study has a label map.
 * @param series  Grid of the study's FLAIR series, and the changed voxels of each lesion on it.
 */
async function withRegions(
  { db, blobs }: ServiceContext,
  pid: number,
  lesions: FlairChangeResults["lesions"],
  series: { volume: Pick<Volume, "shape" | "rasFromIjk">; runs: readonly (readonly number[])[] },
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
  const placeOf = seriesPlaces({ labels, shape, rasFromIjk }, {
    shape: series.volume.shape,
    rasFromIjk: series.volume.rasFromIjk,
    mapFromSeries: t1FromFlair,
  });
  return lesions.map((lesion, n) => {
    const [x, y, z] = applyAffine(t1FromFlair, lesion.centreRasMm[1]);
    return {
      ...lesion,
      nearLabel: lesionRegion(labels, shape, rasFromIjk, [x!, y!, z!]),
      place: placeOf(voxelsOf(series.runs[n] ?? [])),
    };
  });
}
