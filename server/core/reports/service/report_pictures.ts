import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor, compose } from "@/model/geometry.ts";
import { regionOf } from "@/model/regions/regions.ts";
import type { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import type { LabelledVolume } from "@/report/pdf/slice_image.ts";
import { commissuresIn, headFromRas } from "@/model/linear/head_axes.ts";
import { linearOf } from "@/model/linear/printed_linear.ts";
import type { MeasuredLines, StudyPictures } from "@/report/pdf/study_pictures.ts";
import {
  type AnalysisResults,
  type FileField,
  type FlairResults,
  listFiles,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import type { PicturedChanges } from "@/server/core/reports/service/report_flair_visits.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { correctionKey, withStrokes } from "@/server/core/reading/service/stroke_map.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";

/** Analyses for a report's pictures, at least one. */
export interface PicturedStudy {
  t1: (StoredAnalysis & { results: AnalysisResults }) | null;
  flair: (StoredAnalysis & { flair: FlairResults }) | null;
  /** labels of the T1w series that the main pictures pass through and outline; may be empty */
  outlined: readonly number[];
  /** changed lesions, shown on the FLAIR */
  changes: PicturedChanges | null;
}

/** Slice positions of a report's pictures, and the pictures' version; known before rendering. */
export interface PlacedPictures extends Pick<StudyPictures, "positionMm"> {
  /** version of the pictures; the first letter names the analyses: `t`1, `f`lair, `b`oth */
  version: string;
  /** whether the measured regions of a T1w series include the intracranial space */
  hasIcvOutline: boolean;
}

/** Rendered pictures of a report. */
type ReportPictures = StudyPictures & PlacedPictures;

/** Labels that the pictures of a version outline; `null` without a region. */
export function outlinedIn(version: string): number[] | null {
  const labels = OUTLINED.exec(version)?.[1]?.split("-").map(Number) ?? [];
  return labels.every((label) => regionOf(label) !== undefined) ? labels : null;
}
/** Separator after the hexadecimal hashes, which contain no `o`. */
const OUTLINED = /o([\d-]+)s/;

/** Pictures that are being rendered. */
interface MadePictures {
  placed: Promise<PlacedPictures>;
  drawn: Promise<ReportPictures>;
}

/** Version of the rendering: increased when pictures of the same volume change. */
const PICTURE_STYLE = "6";

/**
 * Cache of pictures of recently viewed studies, by the hash of images and labels.
 * About 2.5 MB per study.
 */
const cache = new Map<string, MadePictures>();
const CACHE_SIZE = 12;

interface Files {
  image: string;
  labels: string;
  /** strokes applied to the labels */
  corrections: string;
  analysisId: number;
  /** intracranial mask of a T1w series; `null` without one */
  around: string | null;
  /** deep structures of a FLAIR series alone; `null` without such structures */
  regions: string | null;
}

async function filesOf(
  { db }: ServiceContext,
  analysis: StoredAnalysis,
  kind: "t1" | "t2",
): Promise<Files> {
  const files = await listFiles(db, analysis.id);
  const blobOf = (field: FileField) => files.find((file) => file.field === field)?.blob;
  const image = blobOf(`${kind}w_file`), labels = blobOf(`${kind}w_mask_file`);
  if (!image || !labels) {
    throw new AppError(
      "study.not_analyzed",
      `Cannot report on study ${analysis.pid}: a file is missing`,
      {
        pid: analysis.pid,
      },
    );
  }
  const corrections = await correctionKey(db, analysis.id);
  return {
    image,
    labels,
    corrections,
    analysisId: analysis.id,
    around: blobOf("icv_mask_file") ?? null,
    regions: blobOf("t2w_region_mask_file") ?? null,
  };
}

/** The same voxels with another affine. @param rows  Affine from RAS mm to RAS mm. */
const movedBy = (volume: LabelledVolume, rows: number[]): LabelledVolume => ({
  ...volume,
  rasFromIjk: compose(affineFromRowMajor<"Ras", "Ras">(rows), volume.rasFromIjk),
});

/** Lines of a result's ventricle widths and angle; empty for invalid measures. */
function linesOf(results: AnalysisResults): MeasuredLines | undefined {
  const measures = linearOf(results), rows = results.quality.subjectFromAtlasRows;
  if (!measures || !Array.isArray(rows)) return undefined;
  return { measures, headFromRas: headFromRas(commissuresIn(affineFromRowMajor(rows))) };
}

async function makePictures(
  services: ServiceContext,
  { t1, flair, outlined, changes: found }: PicturedStudy,
  renderer: PdfRenderer,
): Promise<MadePictures> {
  const t1Files = t1 && await filesOf(services, t1, "t1");
  const flairFiles = flair && await filesOf(services, flair, "t2");
  const changes = flair ? found : null;
  const priorFiles = changes && await filesOf(services, changes.prior, "t2");
  const changesKey = changes &&
    JSON.stringify([priorFiles, changes.currentFromPriorRows, changes.placesRasMm]);
  // the affine is part of the key: equal voxels can have other positions
  const key = JSON.stringify([
    t1Files,
    t1?.results.rasFromIjkRows,
    flairFiles,
    flair?.flair.rasFromIjkRows,
    outlined,
    changesKey,
  ]);
  const cached = cache.get(key);
  if (cached) return cached;
  const read = async (
    files: Files | null,
    grid: Pick<FlairResults, "shape" | "rasFromIjkRows"> | undefined,
  ) =>
    files && grid
      ? {
        intensities: npyVoxels(await services.blobs.read(files.image)),
        labels: await withStrokes(
          services.db,
          files.analysisId,
          npyVoxels(await services.blobs.read(files.labels)),
        ),
        ...(files.around && { around: npyVoxels(await services.blobs.read(files.around)) }),
        ...(files.regions && { regions: npyVoxels(await services.blobs.read(files.regions)) }),
        shape: grid.shape,
        rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(grid.rasFromIjkRows),
      } satisfies LabelledVolume
      : null;
  const hashes = [t1Files, flairFiles].flatMap((files) => files ? [files.image, files.labels] : []);
  const kind = t1 && flair ? "b" : t1 ? "t" : "f";
  const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 8);
  const corrections = [t1Files, flairFiles].map((files) => files?.corrections ?? "").join(" ");
  const corrected = corrections.trim() === "" ? "" : shortHash(corrections);
  const linear = t1 ? linesOf(t1.results) : undefined;
  const place = t1 && outlined.length > 0 ? `o${outlined.join("-")}s` : "";
  const version = `${kind}${hashes.map((hash) => hash.slice(0, 8)).join("")}${corrected}${place}${
    changesKey ? `c${shortHash(changesKey)}` : ""
  }${PICTURE_STYLE}`;
  const hasIcvOutline = t1Files !== null && t1Files.around !== null;
  const placed = Promise.withResolvers<PlacedPictures>();
  const drawn = (async () => {
    const t1Volume = await read(t1Files, t1?.results);
    const prior = changes && await read(priorFiles, changes.prior.flair);
    const volumes = {
      t1: t1Volume && { ...t1Volume, outlined, linear },
      flair: await read(flairFiles, flair?.flair),
      changes: prior && {
        prior: movedBy(prior, changes!.currentFromPriorRows),
        placesRasMm: changes!.placesRasMm,
      },
    };
    const pictures = await renderer.draw(
      volumes,
      (positionMm) => placed.resolve({ positionMm, version, hasIcvOutline }),
    );
    return { ...pictures, version, hasIcvOutline };
  })();
  const entry = { placed: placed.promise, drawn };
  if (renderer === services.pdf) cache.set(key, entry);
  // the waiting call receives the error; without a waiting call the error is ignored
  placed.promise.catch(() => {});
  drawn.catch((error) => {
    cache.delete(key);
    placed.reject(error);
  });
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHE_SIZE) break;
    cache.delete(oldest);
  }
  return entry;
}

/**
 * All pictures of a report, as {@link import("@/report/pdf/study_pictures.ts").drawStudy} renders.
 *
 * @param renderer Renderer; that of a background job does not delay other requests.
 * Pictures of a background job are not cached.
 * @throws {AppError} `study.not_analyzed` when a file of the analysis is missing;
 * as {@link PdfRenderer.draw}.
 */
export const reportPictures = async (
  services: ServiceContext,
  study: PicturedStudy,
  renderer: PdfRenderer,
): Promise<ReportPictures> => await (await makePictures(services, study, renderer)).drawn;

/**
 * Slice positions of a report's pictures while the pictures are being rendered.
 * The text of a report need not wait for the pictures.
 * @throws {AppError} as {@link reportPictures}.
 */
export const placedPictures = async (
  services: ServiceContext,
  study: PicturedStudy,
): Promise<PlacedPictures> => await (await makePictures(services, study, services.pdf)).placed;
