import {
  type Affine,
  affineFromRows,
  applyAffine,
  compose,
  invert,
  type Vec3,
} from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { normalTable, Random } from "@/server/commands/demo/phantom/random.ts";

/** A lesion that only the second visit has. */
interface PlantedLesion {
  /** position in the head of both visits, RAS mm */
  centreMm: Vec3;
  mm3: number;
  /** brightness above white matter, as a fraction of it */
  contrast: number;
}

interface SimulatedPair {
  visits: [first: Volume, second: Volume];
  planted: PlantedLesion[];
}

/** Volumes of the planted lesions, mm³. */
const SIZES = [10, 20, 30, 45, 60, 90, 130, 200, 300, 500];
/** Acquisition of both visits: 0.9 mm in plane, slices of 3 mm. */
const SCAN = { columns: 200, rows: 220, slices: 56, mm: 0.9, sliceMm: 3, noise: 0.04, bias: 0.15 };
/** Number of points with which a slice's profile is sampled. */
const LAYERS = 3;
/** Lowest position of a planted lesion, mm above the middle of the image: only in the cerebrum. */
const LOWEST_MM = -8;
const MOST_APART_MM = 25;

/** Two visits of a head that differ in position, noise, coil profile and gain, and new lesions. */
export function simulatePair(
  flair: Volume,
  t1: Volume,
  seed: number,
  isStable: boolean,
): SimulatedPair {
  const random = new Random(seed), white = whiteOf(flair, t1);
  const planted = isStable ? [] : plant(flair, white.is, random);
  const first = scan(flair, [], white.level, random, 1);
  const second = scan(flair, planted, white.level, random, random.between(0.5, 2));
  return { visits: [first, second], planted };
}

/** White matter voxels by their brightness on T1w and FLAIR, and their brightness on FLAIR. */
function whiteOf(flair: Volume, t1: Volume): { is: Uint8Array; level: number } {
  const brain = Float32Array.from(t1.voxels).filter((v) => v > 0).sort();
  const bright = brain.subarray(Math.floor(brain.length / 2), Math.floor(brain.length * 0.99));
  const t1Level = bright[bright.length >> 1]!;
  const is = new Uint8Array(flair.voxels.length), values = [];
  for (let v = 0; v < is.length; v++) {
    if (t1.voxels[v]! > 0.93 * t1Level && flair.voxels[v]! > 0) values.push(flair.voxels[v]!);
  }
  const level = values.sort((a, b) => a - b)[values.length >> 1]!;
  for (let v = 0; v < is.length; v++) {
    const value = flair.voxels[v]! / level;
    is[v] = Number(t1.voxels[v]! > 0.93 * t1Level && value > 0.75 && value < 1.25);
  }
  return { is, level };
}

function plant(
  { shape: [nx, ny, nz], rasFromIjk }: Volume,
  white: Uint8Array,
  random: Random,
): PlantedLesion[] {
  const planted: PlantedLesion[] = [];
  for (const mm3 of SIZES) {
    const radius = Math.cbrt(mm3 * 0.75 / Math.PI), room = Math.min(Math.ceil(0.8 * radius), 4);
    for (let tries = 0; tries < 100_000; tries++) {
      const ijk = [nx, ny, nz].map((n) => Math.floor(random.between(8, n - 8)));
      const [i, j, k] = ijk as Vec3, centreMm = applyAffine(rasFromIjk, [i, j, k]);
      const steps = [-room, 0, room];
      const isInside = centreMm[2] > LOWEST_MM &&
        steps.every((dk) =>
          steps.every((dj) =>
            steps.every((di) =>
              Math.hypot(di, dj, dk) > 1.5 * room || white[i + di + nx * (j + dj + ny * (k + dk))]
            )
          )
        );
      const isApart = planted.every((other) =>
        Math.hypot(...centreMm.map((v, a) => v - other.centreMm[a as 0 | 1 | 2])) > MOST_APART_MM
      );
      if (!isInside || !isApart) continue;
      planted.push({ centreMm: [...centreMm], mm3, contrast: random.between(0.3, 0.6) });
      break;
    }
  }
  return planted;
}

/** Acquires a head at a new position. */
function scan(
  head: Volume,
  planted: readonly PlantedLesion[],
  white: number,
  random: Random,
  gain: number,
): Volume {
  const { columns, rows, slices, mm, sliceMm, noise, bias } = SCAN;
  const middle = applyAffine(head.rasFromIjk, head.shape.map((n) => (n - 1) / 2) as Vec3);
  const turn = rotation([0, 1, 2].map(() => random.between(-6, 6) * Math.PI / 180) as Vec3);
  const steps = [-mm, -mm, sliceMm], half = [(columns - 1) / 2, (rows - 1) / 2, (slices - 1) / 2];
  const rowsOf = [0, 1, 2].map((r) => {
    const row = steps.map((step, c) => turn[r]![c]! * step);
    const origin = middle[r as 0 | 1 | 2] + random.between(-6, 6) -
      row.reduce((sum, v, c) => sum + v * half[c]!, 0);
    return [...row, origin];
  });
  const rasFromIjk = affineFromRows<"Ras", "Ijk">([...rowsOf, [0, 0, 0, 1]]);
  const toHead = compose(invert(head.rasFromIjk), rasFromIjk),
    table = normalTable(Math.floor(random.between(1, 1e6)));
  const slope = [0, 1, 2, 3, 4, 5].map(() => random.between(-1, 1) * bias / 1.5);
  const voxels = new Float32Array(columns * rows * slices);
  for (let v = 0; v < voxels.length; v++) {
    const i = v % columns, j = Math.floor(v / columns) % rows, k = Math.floor(v / (columns * rows));
    let sum = 0;
    for (let layer = 0; layer < LAYERS; layer++) {
      const at: Vec3 = [i, j, k + (layer + 0.5) / LAYERS - 0.5];
      sum += lesionAt(planted, rasFromIjk, at, white) ?? trilinear(head, applyAffine(toHead, at));
    }
    const [x, y, z] = [i / half[0]! - 1, j / half[1]! - 1, k / half[2]! - 1];
    const field = 1 + slope[0]! * x + slope[1]! * y + slope[2]! * z + slope[3]! * x * y +
      slope[4]! * x * x +
      slope[5]! * z * z;
    const bits = random.bits(), sd = noise * white;
    const real = sum / LAYERS * field + sd * table[bits & 0xffff]!;
    voxels[v] = gain * Math.hypot(real, sd * table[bits >>> 16]!);
  }
  return { voxels, shape: [columns, rows, slices], rasFromIjk };
}

const rotation = ([x, y, z]: Vec3): number[][] => {
  const [cx, sx, cy, sy, cz, sz] = [x, y, z].flatMap((a) => [Math.cos(a), Math.sin(a)]) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return [
    [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
    [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
    [-sy, cy * sx, cy * cx],
  ];
};

/** Brightness of the lesion at a point; `null` outside of all lesions. */
function lesionAt(
  planted: readonly PlantedLesion[],
  rasFromIjk: Affine<"Ras", "Ijk">,
  at: Vec3,
  white: number,
): number | null {
  if (planted.length === 0) return null;
  const mm = applyAffine(rasFromIjk, at);
  const found = planted.find(({ centreMm, mm3 }) =>
    Math.hypot(mm[0] - centreMm[0], mm[1] - centreMm[1], mm[2] - centreMm[2]) <
      Math.cbrt(mm3 * 0.75 / Math.PI)
  );
  return found ? white * (1 + found.contrast) : null;
}

function trilinear({ voxels, shape: [nx, ny, nz] }: Volume, [x, y, z]: Readonly<Vec3>): number {
  const i = Math.floor(x), j = Math.floor(y), k = Math.floor(z);
  if (i < 0 || j < 0 || k < 0 || i + 1 >= nx || j + 1 >= ny || k + 1 >= nz) return 0;
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const di = corner & 1, dj = corner >> 1 & 1, dk = corner >> 2;
    const weight = (di ? x - i : 1 - x + i) * (dj ? y - j : 1 - y + j) * (dk ? z - k : 1 - z + k);
    sum += weight * Number(voxels[i + di + nx * (j + dj + ny * (k + dk))]);
  }
  return sum;
}
