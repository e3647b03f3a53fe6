// Small axial image of a study with lesions or regions as overlay.
// Only two slices of each volume file are decompressed.
import {
  affineFromRowMajor,
  applyAffine,
  compose,
  invert,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import {
  composeSlice,
  DEEP_PAINT,
  type LabelledVolume,
  PERI_PAINT,
} from "@/report/pdf/slice_image.ts";
import { encodePng } from "@/report/pdf/png.ts";
import {
  findAnalysis,
  listFiles,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { blobSize } from "@/server/core/blobs/blob_index.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Edge length of the image, pixels. */
export const THUMBNAIL_PIXELS = 160;
/** Slice position in the atlas: through the lateral ventricles, RAS mm. */
const CUT_ATLAS_MM: Vec3 = [0, -18, 18];
/** Minimum intensity (0 to 255) at which a voxel counts as part of the patient's head. */
const HEAD = 40;
const MARGIN_MM = 8;
const LESION_PAINT = new Uint8Array(256).map((_, kind) =>
  kind === 0 ? 0 : kind === PERIVENTRICULAR ? PERI_PAINT : DEEP_PAINT
);

interface Grid {
  shape: Shape;
  rasFromIjkRows: number[];
}

/**
 * Centre of the thumbnail's slice, RAS mm: in the lateral ventricles according to the atlas;
 * the largest lesion when there is no registration to the atlas; `null` when there is neither.
 */
function placeOf({ results, flair }: StoredAnalysis): Vec3 | null {
  const rows = results?.quality.subjectFromAtlasRows;
  if (!Array.isArray(rows) || rows.length !== 16) return flair?.lesions?.[0]?.centreRasMm ?? null;
  return applyAffine(affineFromRowMajor<"Ras", "Ras">(rows as number[]), CUT_ATLAS_MM);
}

/** Index of the slice to show; a little above the volume's middle without a position. */
function cutOf(analysis: StoredAnalysis, { shape: [, , nz], rasFromIjkRows }: Grid): number {
  const place = placeOf(analysis),
    ijkFromRas = invert(affineFromRowMajor<"Ras", "Ijk">(rasFromIjkRows));
  const k = place ? Math.round(applyAffine(ijkFromRas, place)[2]) : NaN;
  return Math.min(Math.max(Number.isFinite(k) ? k : Math.round(0.55 * nz), 0), nz - 2);
}

/** Two slices of a volume file, read without the other slices. */
async function readSlices(
  { db, blobs }: ServiceContext,
  blob: string,
  [nx, ny, nz]: Shape,
  k: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const plane = nx * ny, start = (await blobSize(db, blob) ?? 0) - plane * nz + plane * k;
  const stream = await blobs.stream(blob, start, start + 2 * plane);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bounding box of the patient's head (or brain) within the slice. */
function frameOf(
  { intensities, labels, shape: [nx, ny], rasFromIjk }: LabelledVolume,
  isFlair: boolean,
) {
  let left = nx, right = 0, top = ny, bottom = 0;
  for (let j = 0, at = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++, at++) {
      if (isFlair ? intensities[at]! < HEAD : labels[at] === 0) continue;
      left = Math.min(left, i),
        right = Math.max(right, i),
        top = Math.min(top, j),
        bottom = Math.max(bottom, j);
    }
  }
  if (left > right) [left, right, top, bottom] = [0, nx - 1, 0, ny - 1];
  const a = applyAffine(rasFromIjk, [left, top, 0]),
    b = applyAffine(rasFromIjk, [right, bottom, 0]);
  const centreRasMm: Vec3 = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, a[2]];
  const sideMm = Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1])) + 2 * MARGIN_MM;
  return { centreRasMm, sideMm, cutRasMm: applyAffine(rasFromIjk, [0, 0, 0.01]) };
}

/**
 * Thumbnail of a study as PNG: T1w image with regions, or FLAIR with lesions if there is no T1w
 * result. `null` for a study without a result, or when the result's files are missing.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function drawThumbnail(
  services: ServiceContext,
  pid: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { db } = services, { analysisId } = await mustFindPatient(db, pid);
  const done = async (id: number | null) => {
    const analysis = id === null ? null : await findAnalysis(db, id);
    return analysis?.status === "completed" ? analysis : null;
  };
  const t1 = await done(analysisId.t1), analysis = t1?.results ? t1 : await done(analysisId.t2);
  const grid = analysis?.results ?? analysis?.flair;
  const files = analysis ? await listFiles(db, analysis.id) : [], isFlair = analysis?.kind === "t2";
  const [image, labels] = (isFlair ? ["t2w_file", "t2w_mask_file"] : ["t1w_file", "t1w_mask_file"])
    .map((field) => files.find((file) => file.field === field)?.blob);
  if (!analysis || !grid || !image || !labels) return null;
  const [nx, ny] = grid.shape, k = cutOf(analysis, grid);
  const shift = affineFromRowMajor<"Ijk", "Ijk">([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, k, 0, 0, 0, 1]);
  const volume: LabelledVolume = {
    intensities: await readSlices(services, image, grid.shape, k),
    labels: await readSlices(services, labels, grid.shape, k),
    shape: [nx, ny, 2],
    rasFromIjk: compose(affineFromRowMajor<"Ras", "Ijk">(grid.rasFromIjkRows), shift),
    ...isFlair ? { painted: LESION_PAINT } : {},
  };
  const rgb = composeSlice(volume, "axial", frameOf(volume, isFlair), THUMBNAIL_PIXELS);
  return encodePng(rgb, THUMBNAIL_PIXELS, THUMBNAIL_PIXELS);
}
