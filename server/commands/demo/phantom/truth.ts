import {
  type Affine,
  applyAffine,
  compose,
  determinant,
  invert,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import type { HeadShape } from "@/server/commands/demo/phantom/head_types.ts";

/** True labels and volumes of a phantom on one grid. */
export interface Truth {
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** labels 0..104; the phantom's fluid around the brain is 0, as in the product */
  labels: Uint8Array;
  /** mL per label, by counting voxels of this grid; index = label, 0 for the background */
  volumesMl: number[];
}

/** Labels of a head sampled at the voxel centres of a grid. */
export function truthOn(head: HeadShape, shape: Shape, rasFromIjk: Affine<"Ras", "Ijk">): Truth {
  const headFromGrid = compose(invert(head.rasFromIjk), rasFromIjk) as unknown as Float64Array;
  const [nx, ny, nz] = shape, [hx, hy, hz] = head.shape, m = headFromGrid;
  const labels = new Uint8Array(nx * ny * nz), counts = new Array<number>(LABEL_COUNT).fill(0);
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const x = Math.round(m[0]! * i + m[4]! * j + m[8]! * k + m[12]!);
        const y = Math.round(m[1]! * i + m[5]! * j + m[9]! * k + m[13]!);
        const z = Math.round(m[2]! * i + m[6]! * j + m[10]! * k + m[14]!);
        if (x < 0 || y < 0 || z < 0 || x >= hx || y >= hy || z >= hz) continue;
        const label = head.labels[x + hx * (y + hy * z)]!;
        if (label >= LABEL_COUNT) continue;
        labels[v] = label;
        if (label !== 0) counts[label]!++;
      }
    }
  }
  const voxelMl = Math.abs(determinant(rasFromIjk)) / 1000;
  return { shape, rasFromIjk, labels, volumesMl: counts.map((n) => n * voxelMl) };
}

/** Volumes of a head on the head's own grid, mL per label. */
export const volumesOf = (head: HeadShape): number[] =>
  truthOn(head, head.shape, head.rasFromIjk).volumesMl;

/** Label at a point of the scanner; 0 outside the brain. */
export function labelAt(head: HeadShape, rasMm: Readonly<Vec3>): number {
  const [x, y, z] = applyAffine(invert(head.rasFromIjk), rasMm).map(Math.round) as Vec3;
  const [nx, ny, nz] = head.shape;
  if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) return 0;
  const label = head.labels[x + nx * (y + ny * z)]!;
  return label < LABEL_COUNT ? label : 0;
}

/** A point with a known label, deep inside its structure. */
export interface Landmark {
  label: number;
  rasMm: Vec3;
}

/** Structures suitable as landmarks: large, bilateral or on the midline. */
const LANDMARK_LABELS = [1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 19, 20, 31];

/** One landmark per structure: the voxel of the structure nearest to the centroid. */
export function landmarksOf(head: HeadShape): Landmark[] {
  const [nx, ny] = head.shape;
  const place = (v: number): Vec3 => [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))];
  return LANDMARK_LABELS.map((label) => {
    const voxels: number[] = [], sum: Vec3 = [0, 0, 0];
    for (let v = head.labels.indexOf(label); v >= 0; v = head.labels.indexOf(label, v + 1)) {
      voxels.push(v);
      place(v).forEach((x, axis) => sum[axis]! += x);
    }
    let best = voxels[0]!, bestDistance = Infinity;
    for (const v of voxels) {
      // selects only voxels of which the neighbours two steps away in six directions have the same
      // label
      const around = [1, nx, nx * ny].flatMap((s) => [v - 2 * s, v + 2 * s]);
      if (!around.every((u) => head.labels[u] === label)) continue;
      const distance = Math.hypot(...place(v).map((x, axis) => x - sum[axis]! / voxels.length));
      if (distance < bestDistance) [best, bestDistance] = [v, distance];
    }
    return { label, rasMm: applyAffine(head.rasFromIjk, place(best)) };
  });
}
