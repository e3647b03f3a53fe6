import type { Shape, Vec3 } from "@/model/geometry.ts";
import { isCortex } from "@/model/regions/regions.ts";
import { type PhantomAtlas, phantomAtlas } from "@/server/commands/demo/phantom/atlas.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import type { HeadOptions } from "@/server/commands/demo/phantom/head_types.ts";
import { waveField } from "@/server/commands/demo/phantom/random.ts";

/** Label of the phantom for fluid inside the dura and outside the brain. */
export const CSF = 105;

/** Lowest corner and size of the model's box in atlas mm. */
export const LOW_MM: Vec3 = [-98, -132, -104];
export const SIZE_MM: Vec3 = [196, 232, 220];

/** Options on which the folds depend. */
type FoldOptions = Pick<HeadOptions, "seed" | "resolutionMm" | "atrophy">;

/** Atlas values on the head's grid, warped with one seed. */
interface Structure {
  labels: Uint8Array;
  template: Uint8Array;
  /** most probable cortical parcel of each voxel */
  parcel: Uint8Array;
  /** probability of cortex, 0..255 */
  cortex: Uint8Array;
  /** white matter label of the more probable hemisphere, 1 or 2 */
  side: Uint8Array;
}

/** Smooth displacement in atlas mm: about 1.6 mm, waves of 85 to 130 mm, tabulated every 8 mm. */
function displacement(seed: number): (x: number, y: number, z: number, out: Float64Array) => void {
  const fields = [0, 1, 2].map((axis) => waveField(seed * 7 + axis + 1, 105, 5));
  const n = SIZE_MM.map((s) => Math.ceil(s / 8) + 2) as Shape;
  const tables = fields.map((field) => {
    const table = new Float32Array(n[0] * n[1] * n[2]);
    for (let k = 0, v = 0; k < n[2]; k++) {
      for (let j = 0; j < n[1]; j++) {
        for (let i = 0; i < n[0]; i++, v++) {
          table[v] = 1.6 * field(LOW_MM[0] + 8 * i, LOW_MM[1] + 8 * j, LOW_MM[2] + 8 * k);
        }
      }
    }
    return table;
  });
  const [sy, sz] = [n[0], n[0] * n[1]];
  return (x, y, z, out) => {
    const fx = (x - LOW_MM[0]) / 8, fy = (y - LOW_MM[1]) / 8, fz = (z - LOW_MM[2]) / 8;
    const i = Math.floor(fx), j = Math.floor(fy), k = Math.floor(fz);
    const tx = fx - i, ty = fy - j, tz = fz - k, v = i + sy * j + sz * k;
    for (let axis = 0; axis < 3; axis++) {
      const t = tables[axis]!;
      const a = (t[v]! * (1 - tx) + t[v + 1]! * tx) * (1 - ty) +
        (t[v + sy]! * (1 - tx) + t[v + sy + 1]! * tx) * ty;
      const w = v + sz;
      const b = (t[w]! * (1 - tx) + t[w + 1]! * tx) * (1 - ty) +
        (t[w + sy]! * (1 - tx) + t[w + sy + 1]! * tx) * ty;
      out[axis] = a * (1 - tz) + b * tz;
    }
  };
}

function sampleAtlas(atlas: PhantomAtlas, shape: Shape, options: FoldOptions): Structure {
  const [nx, ny, nz] = shape, count = nx * ny * nz, mm = options.resolutionMm;
  const [ax, ay, az] = atlas.shape, atlasCount = ax * ay * az;
  const out: Structure = {
    labels: new Uint8Array(count),
    template: new Uint8Array(count),
    parcel: new Uint8Array(count),
    cortex: new Uint8Array(count),
    side: new Uint8Array(count),
  };
  const isOutside = new Uint8Array(atlasCount);
  for (let v = 0; v < atlasCount; v++) {
    isOutside[v] = 1;
    for (let n = 0; n < 6; n++) {
      if (atlas.labels[n * atlasCount + v] !== 0 && atlas.weights[n * atlasCount + v] !== 0) {
        isOutside[v] = 0;
      }
    }
  }
  const fluidGain = options.atrophy, move = displacement(options.seed);
  const mass = new Float32Array(106), present = new Uint8Array(48);
  const corner = new Int32Array(8), share = new Float64Array(8);
  const moved = new Float64Array(3), top = atlas.originMm[2] + 2 * (az - 1) - 3;
  const front = atlas.originMm[1] + 2 * (ay - 1);
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const x = LOW_MM[0] + i * mm, y = LOW_MM[1] + j * mm, z = LOW_MM[2] + k * mm;
        move(x, y, z, moved);
        const fx = clamp((x + moved[0]! - atlas.originMm[0]) / 2, ax);
        const fy = clamp((y + moved[1]! - atlas.originMm[1]) / 2, ay);
        const fz = clamp((z + moved[2]! - atlas.originMm[2]) / 2, az);
        const ix = Math.floor(fx), iy = Math.floor(fy), iz = Math.floor(fz);
        const tx = fx - ix, ty = fy - iy, tz = fz - iz;
        let allOutside = true, template = 0;
        for (let c = 0; c < 8; c++) {
          const dx = c & 1, dy = (c >> 1) & 1, dz = c >> 2;
          corner[c] = ix + dx + ax * (iy + dy + ay * (iz + dz));
          share[c] = (dx ? tx : 1 - tx) * (dy ? ty : 1 - ty) * (dz ? tz : 1 - tz);
          template += share[c]! * atlas.template[corner[c]!]!;
          allOutside &&= isOutside[corner[c]!] === 1;
        }
        // outside the atlas is air
        // below the atlas the neck continues with the atlas' lowest plane, without labels
        out.template[v] = z > top || y + moved[1]! > front ? 0 : template;
        if (z + moved[2]! < atlas.originMm[2]) continue;
        if (allOutside) continue;
        let kinds = 0;
        for (let c = 0; c < 8; c++) {
          for (let n = 0; n < 6; n++) {
            const at = n * atlasCount + corner[c]!, weight = atlas.weights[at]!;
            if (weight === 0) break;
            const label = atlas.labels[at]!;
            if (mass[label] === 0) present[kinds++] = label;
            mass[label]! += share[c]! * weight + 1e-9;
          }
        }
        let best = 0,
          bestMass = -1,
          parcel = 0,
          parcelMass = 0,
          cortex = 0,
          all = 0,
          left = 0,
          right = 0;
        for (let n = 0; n < kinds; n++) {
          const label = present[n]!, m = mass[label]!;
          mass[label] = 0;
          all += m;
          if (label >= 37 && label <= 104) {
            cortex += m;
            if (m > parcelMass) [parcel, parcelMass] = [label, m];
            if (label % 2 === 1) left += m; // parcels alternate: left odd, right even
            else right += m;
          } else {
            if (label === 1) left += m;
            if (label === 2) right += m;
            const claim = label === CSF ? m * fluidGain : m;
            if (claim > bestMass) [best, bestMass] = [label, claim];
          }
        }
        if (cortex > bestMass) best = parcel;
        out.labels[v] = best;
        out.parcel[v] = parcel;
        out.cortex[v] = 255 * cortex / all;
        // The midline, where both hemispheres are equally probable, is fluid.
        if (cortex > 0.35 * all && Math.abs(left - right) < 0.12 * (left + right)) {
          out.labels[v] = CSF;
        }
        out.side[v] = left === right ? (x + moved[0]! < 0 ? 1 : 2) : left > right ? 1 : 2;
      }
    }
  }
  return out;
}

const clamp = (index: number, n: number): number => Math.min(Math.max(index, 0), n - 1.001);

/** Wavelength of the seeded folds on the projected surface, and half the width of a sulcus, mm. */
const FOLD_MM = 21, SULCUS_HALF_MM = 0.5;

/** Position of the cortical surface for the folds of one seed. */
interface Folds {
  structure: Structure;
  isFluid: Uint8Array;
  /** mask of cortex and cerebral white matter */
  isTissue: Uint8Array;
  /** distance to the fluid, voxels */
  depth: Float32Array;
}

/** Cache of the last folds; heads that differ only in ribbon, walls, lesions or pose share them. */
let lastFolds: { key: string; folds: Folds } | undefined;

/**
 * Folds of a head, including the fluid of template and added sulci. Shared: must not be modified.
 */
export function foldsOf(shape: Shape, options: FoldOptions): Folds {
  const { seed, resolutionMm: mm, atrophy } = options, key = [seed, mm, atrophy].join();
  if (lastFolds?.key === key) return lastFolds.folds;
  const structure = sampleAtlas(phantomAtlas(), shape, options),
    { labels, cortex, side } = structure;
  const fold = waveField(seed * 11 + 5, FOLD_MM, 12);
  const limit = SULCUS_HALF_MM * 2 * Math.PI / FOLD_MM;
  const isFluid = new Uint8Array(labels.length), isTissue = new Uint8Array(labels.length);
  const [nx, ny, nz] = shape;
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const label = labels[v]!;
        if (label === 0 || label === CSF) isFluid[v] = 1;
        if (!isCortex(label) && label !== 1 && label !== 2) continue;
        isTissue[v] = 1;
        if (cortex[v]! < 70) continue;
        const [x, y, z] = projected(
          LOW_MM[0] + i * mm,
          LOW_MM[1] + j * mm,
          LOW_MM[2] + k * mm,
          side[v]!,
        );
        if (Math.abs(fold(x, y, z)) < limit) isFluid[v] = 1;
      }
    }
  }
  const folds = { structure, isFluid, isTissue, depth: distanceTo(isFluid, shape) };
  lastFolds = { key, folds };
  return folds;
}

/**
 * Projects (x, y, z) onto a hemisphere's surface, outwards from a line through its middle.
 * Folds that are constant along this direction are perpendicular to the surface.
 */
function projected(x: number, y: number, z: number, side: number): Vec3 {
  const cx = side === 1 ? -24 : 24, cy = Math.min(Math.max(y, -55), 28), cz = 14;
  const dx = x - cx, dy = y - cy, dz = z - cz;
  const scale = 48 / Math.max(1, Math.hypot(dx, dy, dz));
  return [cx + dx * scale, cy + dy * scale, cz + dz * scale];
}
