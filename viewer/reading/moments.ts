import { label_moments } from "@/wasm/pkg/reading/bind_reading.js";
import type { Grid } from "@/viewer/grid.ts";
import type { Moments } from "@/viewer/reading/oblique.ts";
import type { Composer } from "@/viewer/slices/compose.ts";

/** Number of slices per kernel call, so that the page stays responsive between calls. */
const SLICES = 16;

/** Moments of the voxels with a label (see {@link Moments}). Call `startReading` first. */
export function momentsOf(
  composer: Composer,
  { shape: [nx, ny, nz] }: Grid,
  label: number,
): Moments {
  const sums = new Float64Array(10), labels = composer.volume("labels");
  for (let k = 0; k < nz; k += SLICES) {
    const part = label_moments(
      labels.subarray(k * nx * ny, (k + SLICES) * nx * ny),
      nx,
      ny,
      k,
      label,
    );
    part.forEach((value, at) => sums[at]! += value);
  }
  return sums;
}
