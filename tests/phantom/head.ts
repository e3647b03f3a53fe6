import {
  type Affine,
  affineFromRows,
  applyAffine,
  compose,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { isCortex } from "@/model/regions.ts";
import { type PhantomAtlas, phantomAtlas } from "@/tests/phantom/atlas.ts";
import { distanceTo } from "@/tests/phantom/distance.ts";
import { paint } from "@/tests/phantom/contrast.ts";
import { tilted } from "@/tests/phantom/grid.ts";
import { growLesions, type LesionSite } from "@/tests/phantom/lesions.ts";
import { ribbonOf } from "@/tests/phantom/ribbon.ts";
import { waveField } from "@/tests/phantom/random.ts";
import { moveWall } from "@/tests/phantom/wall.ts";

/** Fluid inside the dura but outside the brain; a label of the phantom only. */
export const CSF = 105;
/** [left, right] */
const LATERAL = [15, 16] as const, INFERIOR_LATERAL = [17, 18] as const, HIPPOCAMPUS = [19, 20] as const;

export interface HeadOptions {
  /** shape, folds and lesions follow from it */
  seed: number;
  /** grid of the model: 1 for pictures and analysis, 2 for quick geometry tests */
  resolutionMm: 1 | 2;
  /** cortical ribbon, mm before `scale` */
  corticalThicknessMm: number;
  /**
   * The ribbon has the wanted thickness by volume, and keeps it where the atlas knows no cortex that deep; else it is
   * thicker by up to a quarter of a voxel, and thins out there.
   */
  isRibbonWhole: boolean;
  /** how far the wall of the [left, right] lateral ventricle moves outwards, mm; 0 = the atlas (large) */
  ventriclesMm: [left: number, right: number];
  /** the same for the surface of the hippocampus; what it leaves becomes the ventricle beside it */
  hippocampiMm: [left: number, right: number];
  /** how far the fluid around the brain wins over the cortex: > 1 widens the sulci */
  atrophy: number;
  /** volumes of white matter lesions, mL; lesion n lies left for even n, right for odd n */
  lesionsMl: number[];
  /** where lesion n lies in the white matter; "anywhere" when absent */
  lesionSites: LesionSite[];
  /** size of the head; 1 = the atlas */
  scale: number;
  /** nod (chin up +), turn and tilt of the head, degrees, about the x, z and y axis */
  poseDeg: Vec3;
  /** place of the atlas origin in the scanner, RAS mm */
  positionMm: Vec3;
}

export const DEFAULT_HEAD: HeadOptions = {
  seed: 1,
  resolutionMm: 1,
  corticalThicknessMm: 2.5,
  isRibbonWhole: false,
  ventriclesMm: [-0.9, -1.8],
  hippocampiMm: [0, 0],
  atrophy: 1.1,
  lesionsMl: [],
  lesionSites: [],
  scale: 0.95,
  poseDeg: [4, 2, -3],
  positionMm: [1.5, -6, 8],
};

/**
 * A synthetic head on its own RAS grid: labels 1..104, 105 fluid around the brain, 0 all else, and the two
 * contrasts. Left and right differ: see `ventriclesMm`, and the capsule taped to the right temple.
 */
export interface Head {
  options: HeadOptions;
  shape: Shape;
  resolutionMm: number;
  /** RAS mm of the scanner from the voxel index of this grid: pose, size and place */
  rasFromIjk: Affine<"Ras", "Ijk">;
  labels: Uint8Array;
  /** 1000 = white matter in T1w */
  t1: Uint16Array;
  flair: Uint16Array;
  /** centre of the capsule on the patient's right, RAS mm of the scanner */
  capsuleRasMm: Vec3;
  /** volume of each lesion, mL, in the order of the options */
  lesionsMl: number[];
}

/** Lowest corner and size of the model's box in atlas mm. */
const LOW_MM: Vec3 = [-98, -132, -104];
const SIZE_MM: Vec3 = [196, 232, 220];
/** Capsule (a fish-oil marker) in atlas mm: outside the scalp at the patient's right temple. */
const CAPSULE_MM: Vec3 = [86, 8, -4];

/** Layers of the model that painting needs. */
export interface Layers {
  shape: Shape;
  resolutionMm: number;
  labels: Uint8Array;
  /** the template, 0..255, trilinear on this grid */
  template: Uint8Array;
  /** height of a plane in atlas mm */
  zMm: (k: number) => number;
  capsuleIjk: Vec3;
}

/**
 * Makes a head: the product's atlas, warped by a smooth seeded field, gives the most probable structure at each
 * point; the cortex is then rebuilt as a ribbon of constant thickness under the folded surface, with seeded
 * sulci added, and lesions of known volume grow in the white matter. Skull and scalp are layers between the dura
 * and the template's head surface. About 5 s at 1 mm, 0.8 s at 2 mm.
 */
export function makeHead(wanted: Partial<HeadOptions> = {}): Head {
  const options = { ...DEFAULT_HEAD, ...wanted };
  const mm = options.resolutionMm;
  const shape = SIZE_MM.map((s) => s / mm) as Shape;
  const structure = sampleAtlas(phantomAtlas(), shape, options);
  foldCortex(structure, shape, options);
  const { labels } = structure;
  for (const [n, shiftMm] of options.ventriclesMm.entries()) {
    moveWall(labels, shape, LATERAL[n]!, shiftMm / mm);
  }
  for (const [n, shiftMm] of options.hippocampiMm.entries()) {
    moveWall(labels, shape, HIPPOCAMPUS[n]!, shiftMm / mm, INFERIOR_LATERAL[n]);
  }
  const lesionsMl = growLesions(labels, shape, options);
  const capsuleIjk = CAPSULE_MM.map((x, axis) => (x - LOW_MM[axis]!) / mm) as Vec3;
  const layers: Layers = {
    shape,
    resolutionMm: mm,
    labels,
    template: structure.template,
    zMm: (k) => LOW_MM[2] + k * mm,
    capsuleIjk,
  };
  const rasFromIjk = poseOf(options);
  const at = (r: number) =>
    capsuleIjk.reduce((s, x, c) => s + rasFromIjk[c * 4 + r]! * x, rasFromIjk[12 + r]!);
  return {
    options,
    shape,
    resolutionMm: mm,
    rasFromIjk,
    labels,
    ...paint(layers, options.seed),
    capsuleRasMm: [at(0), at(1), at(2)],
    lesionsMl,
  };
}

/**
 * The same head after the patient moved between two series. Shares its arrays.
 *
 * @param turnDeg  About the patient's x, y and z axis through the scanner's origin, in that order.
 */
export function movedHead(head: Head, turnDeg: Readonly<Vec3>, shiftMm: Readonly<Vec3>): Head {
  const columns = tilted([[1, 0, 0], [0, 1, 0], [0, 0, 1]], turnDeg);
  const there = affineFromRows<"Ras", "Ras">(
    [0, 1, 2].map((r) => [columns[0][r]!, columns[1][r]!, columns[2][r]!, shiftMm[r]!]),
  );
  return {
    ...head,
    rasFromIjk: compose(there, head.rasFromIjk),
    capsuleRasMm: applyAffine(there, head.capsuleRasMm),
  };
}

/** Scanner from model: size, then rotations about x, y and z, then place. */
function poseOf(options: HeadOptions): Affine<"Ras", "Ijk"> {
  const [nod, turn, tilt] = options.poseDeg.map((d) => d * Math.PI / 180) as Vec3;
  const [cx, sx, cz, sz, cy, sy] = [nod, turn, tilt].flatMap((a) => [Math.cos(a), Math.sin(a)]) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  // Rz · Ry · Rx
  const rotation = [
    [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
    [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
    [-sy, cy * sx, cy * cx],
  ];
  const { scale, resolutionMm, positionMm } = options;
  return affineFromRows(rotation.map((row, r) => [
    ...row.map((v) => v * scale * resolutionMm),
    positionMm[r]! + scale * row.reduce((s, v, c) => s + v * LOW_MM[c]!, 0),
  ]));
}

interface Structure {
  labels: Uint8Array;
  template: Uint8Array;
  /** most probable cortical parcel */
  parcel: Uint8Array;
  /** probability of cortex, 0..255 */
  cortex: Uint8Array;
  /** cerebral white matter of the more probable side, 1 or 2 */
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

function sampleAtlas(atlas: PhantomAtlas, shape: Shape, options: HeadOptions): Structure {
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
      if (atlas.labels[n * atlasCount + v] !== 0 && atlas.weights[n * atlasCount + v] !== 0) isOutside[v] = 0;
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
        // Around the atlas is air; below it the neck goes on as it is at its lowest plane, without labels.
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
        let best = 0, bestMass = -1, parcel = 0, parcelMass = 0, cortex = 0, all = 0, left = 0, right = 0;
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
        // Between the hemispheres, where both have equal claim, lies fluid.
        if (cortex > 0.35 * all && Math.abs(left - right) < 0.12 * (left + right)) out.labels[v] = CSF;
        out.side[v] = left === right ? (x + moved[0]! < 0 ? 1 : 2) : left > right ? 1 : 2;
      }
    }
  }
  return out;
}

const clamp = (index: number, n: number): number => Math.min(Math.max(index, 0), n - 1.001);

/** Wavelength of the seeded folds on the projected surface, mm, and half the width of a sulcus, mm. */
const FOLD_MM = 21, SULCUS_HALF_MM = 0.5;

/** Rebuilds cortex and white matter as a ribbon under the surface of the fluid, old and new sulci alike. */
function foldCortex(structure: Structure, shape: Shape, options: HeadOptions): void {
  const { labels, parcel, cortex, side } = structure, mm = options.resolutionMm;
  const fold = waveField(options.seed * 11 + 5, FOLD_MM, 12);
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
        const [x, y, z] = projected(LOW_MM[0] + i * mm, LOW_MM[1] + j * mm, LOW_MM[2] + k * mm, side[v]!);
        if (Math.abs(fold(x, y, z)) < limit) isFluid[v] = 1;
      }
    }
  }
  const depth = distanceTo(isFluid, shape);
  // A voxel's centre is about half a voxel inside its surface.
  const thickness = options.corticalThicknessMm / mm;
  const inner = options.isRibbonWhole ? ribbonOf(thickness).depth : thickness + 0.5;
  for (let v = 0; v < labels.length; v++) {
    if (!isTissue[v]) continue;
    if (isFluid[v]) labels[v] = CSF;
    else labels[v] = depth[v]! < inner && cortex[v]! > 10 ? parcel[v]! : side[v]!;
  }
  if (options.isRibbonWhole) deepenCortex(labels, shape, depth, inner);
}

/** White matter above the depth `inner` becomes the parcel of a neighbour nearer to the surface, if it has one. */
function deepenCortex(labels: Uint8Array, shape: Shape, depth: Float32Array, inner: number): void {
  const [nx, ny] = shape, around: number[] = [];
  for (let k = -1; k <= 1; k++) {
    for (let j = -1; j <= 1; j++) for (let i = -1; i <= 1; i++) around.push(i + nx * (j + ny * k));
  }
  const shallow: number[] = [];
  for (let v = 0; v < labels.length; v++) {
    if ((labels[v] === 1 || labels[v] === 2) && depth[v]! < inner) shallow.push(v);
  }
  shallow.sort((a, b) => depth[a]! - depth[b]! || a - b);
  for (const v of shallow) {
    const above = around.map((d) => v + d).filter((u) => isCortex(labels[u]!) && depth[u]! < depth[v]!);
    if (above.length === 0) continue;
    labels[v] = labels[above.reduce((best, u) => depth[u]! < depth[best]! ? u : best)]!;
  }
}

/**
 * The point of a hemisphere's surface above (x, y, z): outwards from a line through its middle. Folds that are
 * equal along this direction stand upright on the surface.
 */
function projected(x: number, y: number, z: number, side: number): Vec3 {
  const cx = side === 1 ? -24 : 24, cy = Math.min(Math.max(y, -55), 28), cz = 14;
  const dx = x - cx, dy = y - cy, dz = z - cz;
  const scale = 48 / Math.max(1, Math.hypot(dx, dy, dz));
  return [cx + dx * scale, cy + dy * scale, cz + dz * scale];
}
