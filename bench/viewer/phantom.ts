// Test volume for all viewers: a synthetic head on a grid of 256³, and at twice the resolution.
import { type Affine, affineFromRows, type Shape } from "@/model/geometry.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import { truthOn } from "@/server/commands/demo/phantom/truth.ts";

/** Volumes of one patient, both [nx, ny, nz], i fastest. */
export interface BenchVolumes {
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** intensities 0..255 */
  base: Uint8Array<ArrayBuffer>;
  /** label map with all labels 0..104 */
  labels: Uint8Array<ArrayBuffer>;
}

const SIZE = 256;
/** Edge of the cube that is painted for a label missing in the head, voxels. */
const CUBE = 8;

/** Head of 1 mm voxels with all 104 labels and textured intensities, so that neighbours differ. */
export function makeVolumes(): BenchVolumes {
  const rasFromIjk = affineFromRows<"Ras", "Ijk">([[1, 0, 0, -127.5], [0, 1, 0, -139.5], [
    0,
    0,
    1,
    -113,
  ]]);
  const labels = Uint8Array.from(
    truthOn(makeHead({ resolutionMm: 2 }), [SIZE, SIZE, SIZE], rasFromIjk).labels,
  );
  const seen = new Set(labels), middle = SIZE / 2;
  for (let label = 1, missing = 0; label < LABEL_COUNT; label++) {
    if (seen.has(label)) continue;
    const i = middle - 40 + missing++ * (CUBE + 2);
    for (let k = 0; k < CUBE; k++) {
      for (let j = 0; j < CUBE; j++) {
        labels.fill(
          label,
          i + SIZE * (middle + j + SIZE * (middle + k)),
          i + CUBE + SIZE * (middle + j + SIZE * (middle + k)),
        );
      }
    }
  }
  const base = new Uint8Array(labels.length);
  for (let v = 0, seed = 1; v < base.length; v++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const label = labels[v]!;
    base[v] = (label === 0 ? 12 : 60 + label) + (seed >>> 27);
  }
  return { shape: [SIZE, SIZE, SIZE], rasFromIjk, base, labels };
}

/** The same head with voxels of half the size: eight times as many. */
export function doubled(
  { shape: [nx, ny, nz], rasFromIjk: m, base, labels }: BenchVolumes,
): BenchVolumes {
  const fine = (from: Uint8Array) => {
    const out = new Uint8Array(from.length * 8);
    for (let k = 0; k < 2 * nz; k++) {
      for (let j = 0; j < 2 * ny; j++) {
        const row = nx * ((j >> 1) + ny * (k >> 1)), at = 2 * nx * (j + 2 * ny * k);
        for (let i = 0; i < 2 * nx; i++) out[at + i] = from[row + (i >> 1)]!;
      }
    }
    return out;
  };
  const row = (r: number) => [m[r]! / 2, m[4 + r]! / 2, m[8 + r]! / 2, m[12 + r]! - 0.25];
  return {
    shape: [2 * nx, 2 * ny, 2 * nz],
    rasFromIjk: affineFromRows<"Ras", "Ijk">([row(0), row(1), row(2)]),
    base: fine(base),
    labels: fine(labels),
  };
}

/** NIfTI-1 file of the voxels, with the affine in the sform. */
export function niftiOf(
  { shape, rasFromIjk: m }: BenchVolumes,
  voxels: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(352 + voxels.length), view = new DataView(out.buffer);
  view.setInt32(0, 348, true);
  [3, ...shape, 1, 1, 1, 1].forEach((n, at) => view.setInt16(40 + 2 * at, n, true));
  view.setInt16(70, 2, true); // unsigned byte
  view.setInt16(72, 8, true);
  const spacing = (axis: number) => Math.hypot(m[4 * axis]!, m[4 * axis + 1]!, m[4 * axis + 2]!);
  [1, spacing(0), spacing(1), spacing(2)].forEach((mm, at) =>
    view.setFloat32(76 + 4 * at, mm, true)
  );
  view.setFloat32(108, 352, true);
  view.setFloat32(112, 1, true);
  view.setUint8(123, 2); // mm
  view.setInt16(254, 1, true);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 4; c++) view.setFloat32(280 + 16 * r + 4 * c, m[4 * c + r]!, true);
  }
  out.set(new TextEncoder().encode("n+1\0"), 344);
  out.set(voxels, 352);
  return out;
}
