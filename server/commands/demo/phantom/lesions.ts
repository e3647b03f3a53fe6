import type { Affine, Shape } from "@/model/geometry.ts";
import { compose, determinant, invert } from "@/model/geometry.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import type {
  Head,
  HeadOptions,
  HeadShape,
  LesionSite,
} from "@/server/commands/demo/phantom/head_types.ts";
import { Random, waveField } from "@/server/commands/demo/phantom/random.ts";

/** Maximum distance of a periventricular lesion from a lateral ventricle, mm. */
export const PERIVENTRICULAR_MM = 10;

const CEREBRAL_WM = [1, 2] as const;
const HYPOINTENSITY = 28;
const isLateralVentricle = (label: number): boolean => label === 15 || label === 16;

/** Grows each lesion to an exact volume, as an irregular ball in the white matter. */
export function growLesions(labels: Uint8Array, shape: Shape, options: HeadOptions): number[] {
  if (options.lesionsMl.length === 0) return [];
  const mm = options.resolutionMm, random = new Random(options.seed * 13 + 7);
  const notWhite = labels.map((label) => label === 1 || label === 2 ? 0 : 1);
  const depth = distanceTo(notWhite, shape);
  const fromVentricle = distanceTo(labels.map((label) => isLateralVentricle(label) ? 1 : 0), shape);
  const voxelMl = (mm * options.scale) ** 3 / 1000;
  const [nx, ny] = shape;
  return options.lesionsMl.map((ml, n) => {
    const side = CEREBRAL_WM[n % 2]!, wanted = Math.round(ml / voxelMl);
    const radius = Math.cbrt(wanted * 0.75 / Math.PI);
    const candidates: number[] = [];
    for (let v = 0; v < labels.length; v++) {
      if (labels[v] !== side) continue;
      if (isSite(options.lesionSites[n], depth[v]! * mm, fromVentricle[v]! * mm, radius * mm)) {
        candidates.push(v);
      }
    }
    if (candidates.length === 0) {
      throw new RangeError(`Cannot place lesion ${n}: no room for ${ml} mL`);
    }
    const centre = candidates[Math.floor(random.uniform() * candidates.length)]!;
    const [ci, cj, ck] = [
      centre % nx,
      Math.floor(centre / nx) % ny,
      Math.floor(centre / (nx * ny)),
    ];
    const lumps = waveField(options.seed * 17 + n, 14, 6), reach = Math.ceil(radius * 3);
    const ranked: [number, number][] = [];
    for (let k = -reach; k <= reach; k++) {
      for (let j = -reach; j <= reach; j++) {
        for (let i = -reach; i <= reach; i++) {
          const v = ci + i + nx * (cj + j + ny * (ck + k));
          if (labels[v] !== side) continue;
          ranked.push([Math.hypot(i, j, k) * (1 + 0.18 * lumps(i * mm, j * mm, k * mm)), v]);
        }
      }
    }
    ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const grown = ranked.slice(0, wanted);
    for (const [, v] of grown) labels[v] = HYPOINTENSITY;
    return grown.length * voxelMl;
  });
}

/**
 * Whether a centre is suitable for a lesion. A deep lesion stays away from the ventricles.
 * A periventricular lesion starts beside a ventricle, and reaches beyond 10 mm if it is large.
 * Distances are in model mm.
 */
function isSite(
  site: LesionSite | undefined,
  depth: number,
  fromVentricle: number,
  radius: number,
): boolean {
  if (site === "periventricular") return fromVentricle < 4;
  if (depth < Math.min(7, radius)) return false;
  return site !== "deep" || fromVentricle > 1.1 * PERIVENTRICULAR_MM + 1.35 * radius;
}

/** Lesions rasterised on one grid. */
interface LesionTruth {
  /** lesion class: 0 none, 1 periventricular, 2 deep */
  mask: Uint8Array;
  totalMl: number;
  periMl: number;
  deepMl: number;
}

/**
 * Classifies lesion voxels by the distance of the voxel's centre to the nearest lateral ventricle:
 * up to 10 mm is periventricular. Exact for isotropic voxels.
 *
 * @param labels  28 lesion, 15 and 16 lateral ventricles.
 * @param mm  Voxel size.
 */
export function partLesions(labels: Uint8Array, shape: Shape, mm: number): LesionTruth {
  const distance = distanceTo(labels.map((label) => isLateralVentricle(label) ? 1 : 0), shape);
  const mask = labels.map((label, v) =>
    label !== HYPOINTENSITY ? 0 : distance[v]! * mm <= PERIVENTRICULAR_MM ? 1 : 2
  );
  return { mask, ...volumesOfMask(mask, mm ** 3 / 1000) };
}

function volumesOfMask(mask: Uint8Array, voxelMl: number) {
  let peri = 0, deep = 0;
  for (const value of mask) {
    if (value === 1) peri++;
    else if (value === 2) deep++;
  }
  return { totalMl: (peri + deep) * voxelMl, periMl: peri * voxelMl, deepMl: deep * voxelMl };
}

/** Lesions of a head on the head's own grid. */
export const lesionsOf = (head: HeadShape): LesionTruth =>
  partLesions(head.labels, head.shape, head.resolutionMm * head.options.scale);

/** Lesions of a head on another grid: {@link lesionsOf} sampled at each voxel centre. */
export function lesionsOn(head: Head, shape: Shape, rasFromIjk: Affine<"Ras", "Ijk">): LesionTruth {
  const m = compose(invert(head.rasFromIjk), rasFromIjk) as unknown as Float64Array;
  const headMask = lesionsOf(head).mask, [nx, ny, nz] = shape, [hx, hy, hz] = head.shape;
  const mask = new Uint8Array(nx * ny * nz);
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const x = Math.round(m[0]! * i + m[4]! * j + m[8]! * k + m[12]!);
        const y = Math.round(m[1]! * i + m[5]! * j + m[9]! * k + m[13]!);
        const z = Math.round(m[2]! * i + m[6]! * j + m[10]! * k + m[14]!);
        if (x < 0 || y < 0 || z < 0 || x >= hx || y >= hy || z >= hz) continue;
        mask[v] = headMask[x + hx * (y + hy * z)]!;
      }
    }
  }
  return { mask, ...volumesOfMask(mask, Math.abs(determinant(rasFromIjk)) / 1000) };
}
