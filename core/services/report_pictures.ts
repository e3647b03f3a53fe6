import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor, applyAffine, type Vec3 } from "@/model/geometry.ts";
import { type ImageKey, planeKey } from "@/model/schema/report.ts";
import {
  AXIS,
  type LabelledVolume,
  lesionFrameOf,
  type SliceFrame,
  sliceFrameOf,
  slicePng,
} from "@/core/report/slice_image.ts";
import {
  type AnalysisResults,
  type FileField,
  type FlairResults,
  listFiles,
  type StoredAnalysis,
} from "@/core/storage/analyses.ts";
import type { ServiceContext } from "@/core/services/context.ts";
import { npyVoxels } from "@/core/services/npy.ts";

/** The analyses whose pictures a report shows, at least one of them. */
export interface PicturedStudy {
  t1: (StoredAnalysis & { results: AnalysisResults }) | null;
  flair: (StoredAnalysis & { flair: FlairResults }) | null;
}

/** The pictures of a report as PNG, and the place of each slice on its axis. */
export interface ReportPictures {
  pictures: Partial<Record<ImageKey, Uint8Array<ArrayBuffer>>>;
  /** RAS mm */
  positionMm: Map<ImageKey, number>;
  /** Changes with the pictures; its first letter tells of which analyses: `t`1, `f`lair, `b`oth. */
  version: string;
}

/** Label of the lesions, of tissue and of ventricles on the pictures of what was measured. */
const LESION = 28, TISSUE = 9, FLUID = 15;
const STRIP = 8, STRIP_PIXELS = 288, MASK_PIXELS = 400;
/** Edge of the picture of the hippocampi, mm; they lie in its middle. */
const HIPPOCAMPI_MM = 100, LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20;
/** Raised when the pictures of the same volume look different. */
const PICTURE_STYLE = "2";

/** Pictures of the studies shown last, by the hash of their images and labels. About 1.5 MB each. */
const cache = new Map<string, Promise<ReportPictures>>();
const CACHE_SIZE = 12;

interface Files {
  image: string;
  labels: string;
}

async function filesOf({ db }: ServiceContext, analysis: StoredAnalysis, kind: "t1" | "t2"): Promise<Files> {
  const files = await listFiles(db, analysis.id);
  const blobOf = (field: FileField) => files.find((file) => file.field === field)?.blob;
  const image = blobOf(`${kind}w_file`), labels = blobOf(`${kind}w_mask_file`);
  if (!image || !labels) {
    throw new AppError("study.not_analyzed", `Cannot report on study ${analysis.pid}: a file is missing`, {
      pid: analysis.pid,
    });
  }
  return { image, labels };
}

/**
 * Every picture of a report: of a T1w analysis the three planes, what was measured in them, and both hippocampi; of a
 * FLAIR analysis a strip of slices, and the three planes when it is alone.
 *
 * @throws {AppError} `study.not_analyzed` when a file of the analysis is missing.
 */
export async function reportPictures(
  services: ServiceContext,
  { t1, flair }: PicturedStudy,
): Promise<ReportPictures> {
  const t1Files = t1 && await filesOf(services, t1, "t1");
  const flairFiles = flair && await filesOf(services, flair, "t2");
  // the place counts too: the same voxels elsewhere have other positions
  const key = JSON.stringify([t1Files, t1?.results.rasFromIjkRows, flairFiles, flair?.flair.rasFromIjkRows]);
  const known = cache.get(key);
  if (known) return await known;
  const made = (async (): Promise<ReportPictures> => {
    const out: ReportPictures = { pictures: {}, positionMm: new Map(), version: "" };
    const read = async ({ image, labels }: Files, grid: Pick<FlairResults, "shape" | "rasFromIjkRows">) => ({
      intensities: npyVoxels(await services.blobs.read(image)),
      labels: npyVoxels(await services.blobs.read(labels)),
      shape: grid.shape,
      rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(grid.rasFromIjkRows),
    });
    if (t1 && t1Files) await drawT1(out, await read(t1Files, t1.results));
    if (flair && flairFiles) {
      const volume = await read(flairFiles, flair.flair);
      const labels = volume.labels.map((voxel) => voxel === 0 ? 0 : LESION);
      await drawFlair(out, { ...volume, labels }, t1 === null);
    }
    const hashes = [t1Files, flairFiles].flatMap((files) => files ? [files.image, files.labels] : []);
    const kind = t1 && flair ? "b" : t1 ? "t" : "f";
    return { ...out, version: `${kind}${hashes.map((hash) => hash.slice(0, 8)).join("")}${PICTURE_STYLE}` };
  })();
  cache.set(key, made);
  made.catch(() => cache.delete(key));
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHE_SIZE) break;
    cache.delete(oldest);
  }
  return await made;
}

async function draw(
  out: ReportPictures,
  key: ImageKey,
  volume: LabelledVolume,
  plane: (typeof planeKey.options)[number],
  frame: SliceFrame,
  pixels?: number,
): Promise<void> {
  out.pictures[key] = slicePng(volume, plane, frame, pixels);
  out.positionMm.set(key, frame.cutRasMm[AXIS[plane]]);
  // the event loop goes on between two pictures
  await new Promise((resolve) => setTimeout(resolve));
}

async function drawT1(out: ReportPictures, volume: LabelledVolume): Promise<void> {
  const frame = sliceFrameOf(volume);
  const isFluid = (label: number) => (label >= 15 && label <= 18) || (label >= 25 && label <= 27);
  const labels = volume.labels.map((label) => label === 0 ? 0 : isFluid(label) ? FLUID : TISSUE);
  for (const plane of planeKey.options) {
    await draw(out, plane, volume, plane, frame);
    await draw(out, `mask_${plane}`, { ...volume, labels }, plane, frame, MASK_PIXELS);
  }
  const middle = middleOf(volume, LEFT_HIPPOCAMPUS, RIGHT_HIPPOCAMPUS);
  if (middle) {
    await draw(out, "hippocampi", volume, "coronal", {
      centreRasMm: middle,
      sideMm: HIPPOCAMPI_MM,
      cutRasMm: middle,
    });
  }
}

/** Middle between two regions, RAS mm; `null` when one of them is missing. */
function middleOf({ labels, shape: [nx, ny], rasFromIjk }: LabelledVolume, ...wanted: number[]): Vec3 | null {
  const sums = wanted.map(() => [0, 0, 0, 0] as [number, number, number, number]);
  labels.forEach((label, at) => {
    const sum = sums[wanted.indexOf(label)];
    if (sum) {
      sum[0] += at % nx, sum[1] += Math.floor(at / nx) % ny, sum[2] += Math.floor(at / nx / ny), sum[3]++;
    }
  });
  if (sums.some(([, , , count]) => count === 0)) return null;
  const mean = (axis: 0 | 1 | 2) => sums.reduce((total, sum) => total + sum[axis] / sum[3], 0) / sums.length;
  return applyAffine(rasFromIjk, [mean(0), mean(1), mean(2)]);
}

async function drawFlair(out: ReportPictures, volume: LabelledVolume, isAlone: boolean): Promise<void> {
  const frame = lesionFrameOf(volume);
  if (isAlone) { for (const plane of planeKey.options) await draw(out, plane, volume, plane, frame); }
  const { low, high } = stripOf(volume, frame);
  for (let n = 1; n <= STRIP; n++) {
    const cutRasMm: Vec3 = [...frame.cutRasMm];
    cutRasMm[2] = low + (n - 0.5) / STRIP * (high - low);
    await draw(out, `flair_${n as 1}`, volume, "axial", { ...frame, cutRasMm }, STRIP_PIXELS);
  }
}

/** From where to where the strip goes, mm: over the lesions and some of the head around them. */
function stripOf({ labels, shape: [nx, ny], rasFromIjk }: LabelledVolume, frame: SliceFrame) {
  const middle = frame.centreRasMm[2], least = 0.4 * frame.sideMm;
  let low = middle, high = middle;
  labels.forEach((label, at) => {
    if (label === 0) return;
    const z = applyAffine(rasFromIjk, [at % nx, Math.floor(at / nx) % ny, Math.floor(at / nx / ny)])[2];
    if (z < low) low = z;
    if (z > high) high = z;
  });
  const missing = Math.max(0, least - (high - low)) / 2;
  return { low: low - missing, high: high + missing };
}
