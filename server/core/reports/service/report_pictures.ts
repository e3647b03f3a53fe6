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

/** Analyses from which a report's pictures are drawn; at least one of T1w and FLAIR. */
export interface PicturedStudy {
  t1: (StoredAnalysis & { results: AnalysisResults }) | null;
  flair: (StoredAnalysis & { flair: FlairResults }) | null;
  /** labels that the T1w pictures are cut through and outline; may be empty */
  outlined: readonly number[];
  /** changed lesions, for pictures of the FLAIR series */
  changes: PicturedChanges | null;
}

/** Slice positions and version of a report's pictures; available before the pictures are drawn. */
export interface PlacedPictures extends Pick<StudyPictures, "positionMm"> {
  /** text that changes with the pictures; it begins with `t` (T1w), `f` (FLAIR) or `b` (both) */
  version: string;
  /** whether the pictures of measured regions include the intracranial space of a T1w series */
  hasIcvOutline: boolean;
}

/** Pictures of a report, with slice positions and version. */
type ReportPictures = StudyPictures & PlacedPictures;

/** Labels outlined in the pictures of a version; `null` if the version names unknown labels. */
export function outlinedIn(version: string): number[] | null {
  const labels = OUTLINED.exec(version)?.[1]?.split("-").map(Number) ?? [];
  return labels.every((label) => regionOf(label) !== undefined) ? labels : null;
}
/** Finds the outlined labels in a version; its other parts are hexadecimal, without an `o`. */
const OUTLINED = /o([\d-]+)s/;

/** Pictures that are drawn or being drawn: first the slice positions, then the pictures. */
interface MadePictures {
  placed: Promise<PlacedPictures>;
  drawn: Promise<ReportPictures>;
}

/** Part of each version: increase it when the drawing of the same volume changes. */
const PICTURE_STYLE = "6";

/**
 * Cache of the pictures of recently viewed studies, by content of images and labels.
 * A study takes about 2.5 MB.
 */
const cache = new Map<string, MadePictures>();
const CACHE_SIZE = 12;

interface Files {
  image: string;
  labels: string;
  /** text that identifies the readers' corrections of the labels */
  corrections: string;
  analysisId: number;
  /** file of the intracranial mask of a T1w series; `null` without a mask */
  around: string | null;
  /** file of the deep structures measured on FLAIR alone; `null` without these */
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

/** The same voxels with another affine. @param rows  Affine from old to new RAS mm. */
const movedBy = (volume: LabelledVolume, rows: number[]): LabelledVolume => ({
  ...volume,
  rasFromIjk: compose(affineFromRowMajor<"Ras", "Ras">(rows), volume.rasFromIjk),
});

/** Lines of the ventricles' widths and angle; `undefined` without valid measures. */
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
  // the cache key contains the affine, since equal voxels can have other positions
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
  // errors reach the caller that waits; without a waiting caller they must not end the process
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
 * Renders a report's pictures with {@link import("@/report/pdf/study_pictures.ts").drawStudy}.
 *
 * @param renderer Background jobs pass their own renderer, so that requests are not delayed;
 * their pictures are not cached.
 * @throws {AppError} `study.not_analyzed` when a file of the analysis is missing;
 * also errors of {@link PdfRenderer.draw}.
 */
export const reportPictures = async (
  services: ServiceContext,
  study: PicturedStudy,
  renderer: PdfRenderer,
): Promise<ReportPictures> => await (await makePictures(services, study, renderer)).drawn;

/**
 * Slice positions of a report's pictures, available while the pictures are being rendered.
 * The report's text can therefore be sent before the pictures are complete.
 * @throws {AppError} as {@link reportPictures}.
 */
export const placedPictures = async (
  services: ServiceContext,
  study: PicturedStudy,
): Promise<PlacedPictures> => await (await makePictures(services, study, services.pdf)).placed;
