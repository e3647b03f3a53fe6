import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor, invert, rowMajor } from "@/model/geometry.ts";
import type { DisplayScale, StudySeries, StudySeriesList } from "@/model/schema/reading/series.ts";
import type { HeaderWindow } from "@/server/core/dicom/read/display_window.ts";
import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import { decodeNifti, readNiftiGrid } from "@/server/core/dicom/read/nifti.ts";
import { listFiles, type StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import {
  findDisplayScale,
  listSeriesFiles,
  saveDisplayScale,
} from "@/server/core/reading/storage/display_scales.ts";
import { findViewingCopy, listRefused } from "@/server/core/studies/storage/refused_series.ts";
import { findSeries } from "@/server/core/studies/storage/series.ts";
import { gunzipPieces } from "@/server/core/analyses/service/files/gzip.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { movedInto, scaleBetween } from "@/server/core/reading/service/display_scale.ts";
import { completedAnalyses, mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/** Number of digits of a volume's hash in the URL of the volume. */
const VERSION_DIGITS = 16;

/**
 * First window/level in the headers of a series; `null` if there is none, or the file is no DICOM;
 * `undefined` if the file could not be read now, and may be readable later.
 */
async function windowOfSeries(
  services: ServiceContext,
  seriesId: number,
): Promise<HeaderWindow | null | undefined> {
  try {
    return await seriesAnswer(services, seriesId, "window") ?? null;
  } catch (error) {
    // unknown while no reader process is available, so the scale is not stored
    if (isBusy(error)) throw error;
    services.log("warn", "Cannot read the window of a series", {
      series: seriesId,
      error: String(error),
    });
    const isNoDicom = error instanceof AppError && error.code === "engine.unsupported_input";
    return isNoDicom ? null : undefined;
  }
}

/** Affine from the mm of a series to T1w mm: the registration of a FLAIR series; `null` for T1w. */
const viewerFromSeries = ({ flair }: Pick<StoredAnalysis, "flair">): readonly number[] | null =>
  flair?.t1FromFlairRows ?? null;

/** Display scale of a series; not stored if a file was unreadable (`isFinal` is false). */
interface FoundScale {
  scale: DisplayScale | null;
  isFinal: boolean;
}

async function findScale(
  services: ServiceContext,
  analysis: StoredAnalysis,
): Promise<FoundScale> {
  const { db, blobs } = services, grid = analysis.results ?? analysis.flair;
  const field = analysis.kind === "t1" ? "t1w_file" : "t2w_file";
  const file = (await listFiles(db, analysis.id)).find((one) => one.field === field);
  const series = await findSeries(db, analysis.seriesId);
  if (!grid || !file || !series) return { scale: null, isFinal: true };
  const stored = decodeNifti(await gunzipPieces(await blobs.read(series.volumeBlob)), true);
  const scale = scaleBetween({
    voxels: npyVoxels(await blobs.read(file.blob)),
    shape: grid.shape,
    rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(grid.rasFromIjkRows),
  }, movedInto(stored, viewerFromSeries(analysis)));
  if (!scale) return { scale: null, isFinal: true };
  const window = await windowOfSeries(services, analysis.seriesId);
  return { scale: { ...scale, window: window ?? null }, isFinal: window !== undefined };
}

/** Estimates of display scales that are being computed, by analysis. */
const searches = new Map<number, Promise<DisplayScale | null>>();

/**
 * Display scale of the images of an analysis, which is estimated once and stored.
 * `null` if files are unreadable, and then estimated again at a later request.
 */
async function displayScaleOf(
  services: ServiceContext,
  analysis: StoredAnalysis,
): Promise<DisplayScale | null> {
  const stored = await findDisplayScale(services.db, analysis.id);
  if (stored !== undefined) return stored;
  let search = searches.get(analysis.id);
  if (!search) {
    search = findScale(services, analysis).then(async ({ scale, isFinal }) => {
      if (isFinal) await saveDisplayScale(services.db, analysis.id, scale);
      return scale;
    }).catch((error) => {
      services.log("warn", "Cannot tell the scale of the images", {
        pid: analysis.pid,
        error: String(error),
      });
      return null;
    }).finally(() => searches.delete(analysis.id));
    searches.set(analysis.id, search);
  }
  return await search;
}

/** Display scales of the images of a study. @throws {AppError} as {@link mustFindPatient}. */
export async function getDisplayScales(
  services: ServiceContext,
  pid: number,
): Promise<{ t1: DisplayScale | null; t2: DisplayScale | null }> {
  const { t1, t2 } = await completedAnalyses(services.db, await mustFindPatient(services.db, pid));
  const [first, second] = await Promise.all(
    [t1, t2].map((analysis) => analysis ? displayScaleOf(services, analysis) : null),
  );
  return { t1: first!, t2: second! };
}

/**
 * All stored series of a study; a series without a readable volume is left out.
 * @throws {AppError} `study.deleted`.
 */
export async function getStudySeries(
  services: ServiceContext,
  pid: number,
): Promise<StudySeriesList> {
  const { db, blobs, log } = services, patient = await mustFindPatient(db, pid);
  const { t1, t2 } = await completedAnalyses(db, patient);
  const series: StudySeries[] = [];
  for (const { id, kind, description, volumeBlob, files } of await listSeriesFiles(db, pid)) {
    try {
      const grid = readNiftiGrid(await headOf(blobs.stream(volumeBlob, 0, HEAD_BYTES)));
      const analysis = [t1, t2].find((one) => one?.seriesId === id);
      const rows = analysis && viewerFromSeries(analysis);
      const placed = movedInto({ ...grid, voxels: new Uint8Array() }, rows ?? null);
      invert(placed.rasFromIjk);
      series.push({
        id,
        kind,
        description,
        is_analysed: analysis !== undefined,
        files,
        shape: grid.shape,
        affine: rowMajor(placed.rasFromIjk),
        window: await windowOfSeries(services, id) ?? null,
        volume_url: `/api/v1/patients/${pid}/series/${id}/volume?v=${
          volumeBlob.slice(0, VERSION_DIGITS)
        }`,
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log("warn", "Cannot show a series", { pid, series: id, code: error.code });
    }
  }
  const refused = (await listRefused(db, pid)).map((
    { description, files, reason, details, copy },
  ) => ({
    description,
    files,
    reason,
    details: details as StudySeriesList["refused"][number]["details"],
    volume: copy && {
      shape: copy.shape,
      affine: copy.affine,
      window: copy.window,
      volume_url: `/api/v1/patients/${pid}/series/refused/volume?v=${
        copy.blob.slice(0, VERSION_DIGITS)
      }`,
    },
  }));
  return { series, refused };
}

const HEAD_BYTES = 8192;
const headOf = async (stream: Promise<ReadableStream<Uint8Array<ArrayBuffer>>>) =>
  new Uint8Array(await new Response(await stream).arrayBuffer());

/**
 * Volume of an analysed series as acquired: NIfTI-1, gzipped.
 * @throws {AppError} `entity.not_found` for an unknown series, or another version of the volume.
 */
export async function openSeriesVolume(
  { db, blobs }: ServiceContext,
  pid: number,
  seriesId: number,
  version: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  await mustFindPatient(db, pid);
  const series = await findSeries(db, seriesId);
  if (
    series?.pid !== pid || version.length < VERSION_DIGITS || !series.volumeBlob.startsWith(version)
  ) {
    throw new AppError(
      "entity.not_found",
      "Cannot find the series: the study has none of that number",
    );
  }
  return await blobs.stream(series.volumeBlob);
}

/**
 * Volume of a series that can be viewed but was not analysed: NIfTI-1, gzipped.
 * @throws {AppError} `entity.not_found` for an unknown volume.
 */
export async function openViewingCopy(
  { db, blobs }: ServiceContext,
  pid: number,
  version: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  await mustFindPatient(db, pid);
  const hash = version.length < VERSION_DIGITS ? null : await findViewingCopy(db, pid, version);
  if (hash === null) {
    throw new AppError(
      "entity.not_found",
      "Cannot find the series: the study has no such volume to look at",
    );
  }
  return await blobs.stream(hash);
}
