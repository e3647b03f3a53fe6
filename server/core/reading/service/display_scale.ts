import { affineFromRowMajor, applyAffine, compose, invert } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import type { DisplayScale } from "@/model/schema/reading/series.ts";

/** Range of the viewer's bytes that are used; those beyond it were clipped. */
const LOW = 8, HIGH = 247;
/** Maximum number of voxels at which the two images are compared. */
const SAMPLES = 20_000;
/** Minimum fraction of the variance that a linear scale must explain; resampling adds noise. */
const MIN_R2 = 0.8;
/** Minimum number of voxels that can be compared: with fewer, the images do not overlap. */
const MIN_SAMPLES = 200;

/** Value at a position in voxels by trilinear interpolation; NaN outside the volume. */
function valueAt(
  { voxels, shape: [nx, ny, nz] }: Volume,
  [x, y, z]: readonly [number, number, number],
): number {
  const i = Math.floor(x), j = Math.floor(y), k = Math.floor(z);
  if (i < 0 || j < 0 || k < 0 || i + 1 >= nx || j + 1 >= ny || k + 1 >= nz) return NaN;
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
    const weight = (a ? x - i : 1 - x + i) * (b ? y - j : 1 - y + j) * (c ? z - k : 1 - z + k);
    if (weight > 0) sum += weight * voxels[i + a + nx * (j + b + ny * (k + c))]!;
  }
  return sum;
}

/**
 * Estimates the linear scale that converts the viewer's bytes to a series' stored values,
 * by least squares over voxels.
 *
 * @param display  Image in the viewer: bytes, with the affine of their grid.
 * @param series   Series as acquired, with an affine to the same RAS mm.
 * @returns `null` if the images do not overlap, or have no contrast.
 */
export function scaleBetween(display: Volume, series: Volume): Omit<DisplayScale, "window"> | null {
  const { voxels, shape: [nx, ny] } = display,
    step = Math.max(1, Math.floor(voxels.length / SAMPLES));
  const ijkFromIjk = compose(invert(series.rasFromIjk), display.rasFromIjk);
  let n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (let v = 0; v < voxels.length; v += step) {
    const x = voxels[v]!;
    if (x < LOW || x > HIGH) continue;
    const y = valueAt(
      series,
      applyAffine(ijkFromIjk, [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))]),
    );
    if (Number.isNaN(y)) continue;
    n++;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
    syy += y * y;
  }
  const spread = n * sxx - sx * sx, slope = (n * sxy - sx * sy) / spread;
  const r2 = (n * sxy - sx * sy) ** 2 / (spread * (n * syy - sy * sy));
  if (n < MIN_SAMPLES || !(slope > 0) || !(r2 >= MIN_R2)) return null;
  return { slope, intercept: (sy - slope * sx) / n };
}

/**
 * Affine from a series' RAS mm to those of the viewer's images, 16 numbers row-major,
 * composed with the affine of the series.
 */
export const movedInto = (series: Volume, viewerFromSeriesRows: readonly number[] | null): Volume =>
  viewerFromSeriesRows === null ? series : {
    ...series,
    rasFromIjk: compose(affineFromRowMajor<"Ras", "Ras">(viewerFromSeriesRows), series.rasFromIjk),
  };
