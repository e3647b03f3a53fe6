import {
  type Affine,
  affineFromRows,
  applyAffine,
  compose,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { isCortex } from "@/model/regions/regions.ts";
import { paint } from "@/server/commands/demo/phantom/contrast.ts";
import { CSF, foldsOf, LOW_MM, SIZE_MM } from "@/server/commands/demo/phantom/folds.ts";
import { tilted } from "@/server/commands/demo/phantom/grid.ts";
import type {
  Head,
  HeadOptions,
  HeadShape,
  Layers,
} from "@/server/commands/demo/phantom/head_types.ts";
import { growLesions } from "@/server/commands/demo/phantom/lesions.ts";
import { ribbonOf } from "@/server/commands/demo/phantom/ribbon.ts";
import { moveWall } from "@/server/commands/demo/phantom/wall.ts";

/** Labels of [left, right] structures. */
const LATERAL = [15, 16] as const,
  INFERIOR_LATERAL = [17, 18] as const,
  HIPPOCAMPUS = [19, 20] as const;

const DEFAULT_HEAD: HeadOptions = {
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

/** Capsule (a fish-oil marker) in atlas mm: outside the scalp at the patient's right temple. */
const CAPSULE_MM: Vec3 = [86, 8, -4];

/**
 * Generates a head. The product's atlas, warped by a smooth seeded field, gives the most probable
 * structure at each point. The cortex is rebuilt as a ribbon of constant thickness under the folded
 * surface, with seeded sulci, and lesions of known volume grow in the white matter. Skull and scalp
 * are layers between the dura and the template's head surface. About 5 s at 1 mm, 0.8 s at 2 mm.
 */
export function makeHead(wanted: Partial<HeadOptions> = {}): Head {
  const { layers, ...head } = shaped(wanted);
  return { ...head, ...paint(layers, head.options.seed) };
}

/** Makes a head without image contrasts, in half the time, for callers that need only labels. */
export function makeShape(wanted: Partial<HeadOptions> = {}): HeadShape {
  const { layers: _, ...head } = shaped(wanted);
  return head;
}

/** Labels of a head, with the layers from which its contrasts are synthesised. */
function shaped(wanted: Partial<HeadOptions>): HeadShape & { layers: Layers } {
  const options = { ...DEFAULT_HEAD, ...wanted };
  const mm = options.resolutionMm;
  const shape = SIZE_MM.map((s) => s / mm) as Shape;
  const { labels, template } = folded(shape, options);
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
    template,
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
    capsuleRasMm: [at(0), at(1), at(2)],
    lesionsMl,
    layers,
  };
}

/**
 * The same head after a movement between two series; both heads share their arrays.
 *
 * @param turnDeg  Rotation about the patient's x, y and z axis, in that order, about the scanner
 * origin.
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

/** Transform from model to scanner: scale, then rotations about x, y and z, then translation. */
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
  // rotation matrix Rz · Ry · Rx
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

/**
 * Labels with cortex and white matter rebuilt as a ribbon under the fluid's surface.
 * Returns a new array and leaves the given one unchanged.
 */
function folded(shape: Shape, options: HeadOptions): Pick<Layers, "labels" | "template"> {
  const { structure, isFluid, isTissue, depth } = foldsOf(shape, options);
  const { parcel, cortex, side, template } = structure, labels = structure.labels.slice();
  // a voxel's centre is about half a voxel below the voxel's surface
  const thickness = options.corticalThicknessMm / options.resolutionMm;
  const inner = options.isRibbonWhole ? ribbonOf(thickness).depth : thickness + 0.5;
  for (let v = 0; v < labels.length; v++) {
    if (!isTissue[v]) continue;
    if (isFluid[v]) labels[v] = CSF;
    else labels[v] = depth[v]! < inner && cortex[v]! > 10 ? parcel[v]! : side[v]!;
  }
  if (options.isRibbonWhole) deepenCortex(labels, shape, depth, inner);
  return { labels, template };
}

/**
 * White matter closer to the surface than the depth `inner` becomes the parcel of a neighbouring
 * voxel nearer to the surface, if there is one.
 */
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
    const above = around.map((d) => v + d).filter((u) =>
      isCortex(labels[u]!) && depth[u]! < depth[v]!
    );
    if (above.length === 0) continue;
    labels[v] = labels[above.reduce((best, u) => depth[u]! < depth[best]! ? u : best)]!;
  }
}
