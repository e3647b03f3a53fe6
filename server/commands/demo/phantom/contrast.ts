import type { Shape } from "@/model/geometry.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import type { Layers } from "@/server/commands/demo/phantom/head_types.ts";
import { waveField } from "@/server/commands/demo/phantom/random.ts";

/** Intensities relative to white matter (1). T1w: means of real 3 T heads after bias correction. */
const T1_OF_LABEL = intensities({
  whiteMatter: 1,
  cerebellarWhite: 0.99,
  cerebellarCortex: 0.78,
  brainStem: 0.95,
  ventralDc: 0.94,
  thalamus: 0.91,
  caudate: 0.79,
  putamen: 0.87,
  pallidum: 0.98,
  hippocampus: 0.76,
  ventricle: 0.31,
  fluid: 0.28,
  lesion: 0.72,
  cortex: 0.73,
});
/** FLAIR intensities: nulled fluid, grey matter brighter than white matter, lesions brightest. */
const FLAIR_OF_LABEL = intensities({
  whiteMatter: 1,
  cerebellarWhite: 1.02,
  cerebellarCortex: 1.22,
  brainStem: 1.06,
  ventralDc: 1.05,
  thalamus: 1.14,
  caudate: 1.24,
  putamen: 1.18,
  pallidum: 0.98,
  hippocampus: 1.32,
  ventricle: 0.2,
  fluid: 0.24,
  lesion: 2.1,
  cortex: 1.26,
});

type Tissue =
  | "whiteMatter"
  | "cerebellarWhite"
  | "cerebellarCortex"
  | "brainStem"
  | "ventralDc"
  | "thalamus"
  | "caudate"
  | "putamen"
  | "pallidum"
  | "hippocampus"
  | "ventricle"
  | "fluid"
  | "lesion"
  | "cortex";

function tissueOf(label: number): Tissue {
  if (label <= 2 || (label >= 32 && label <= 36)) return "whiteMatter";
  if (label <= 4) return "cerebellarWhite";
  if (label <= 6) return "cerebellarCortex";
  if (label <= 8) return "thalamus";
  if (label <= 10 || label === 23 || label === 24) return "caudate";
  if (label <= 12) return "putamen";
  if (label <= 14) return "pallidum";
  if (label <= 18 || label === 25 || label === 26) return "ventricle";
  if (label <= 22) return "hippocampus";
  if (label === 27 || label === 105) return "fluid";
  if (label === 28) return "lesion";
  if (label <= 30) return "ventralDc";
  return label === 31 ? "brainStem" : "cortex";
}

function intensities(of: Record<Tissue, number>): Float32Array {
  return Float32Array.from({ length: 106 }, (_, label) => label === 0 ? 0 : of[tissueOf(label)]);
}

/** Intensity that white matter has in the synthesised contrasts. */
export const WHITE = 1000;

/** Intensity of a lesion in the synthesised FLAIR. */
export const lesionBrightness = (): number => WHITE * FLAIR_OF_LABEL[28]!;

/** Intensity of white matter in the template. */
const TEMPLATE_WHITE = 255 / 1.4;

/** Skull and scalp thinner than this together, mm, keep the template's intensities. */
const LAYERED_MM = 5;

/**
 * Synthesises T1w and FLAIR from the labels: mean intensity per tissue, skull and scalp as layers
 * around the dura, face and neck from the template, a capsule at the right temple, fine texture,
 * and partial-volume blur.
 */
export function paint(layers: Layers, seed: number): { t1: Uint16Array; flair: Uint16Array } {
  const { shape, resolutionMm: mm, labels, template } = layers;
  const [nx, ny, nz] = shape;
  const isInside = new Uint8Array(labels.length), isAir = new Uint8Array(labels.length);
  for (let v = 0; v < labels.length; v++) {
    isInside[v] = labels[v] === 0 ? 0 : 1;
    isAir[v] = template[v]! < 22 && labels[v] === 0 ? 1 : 0;
  }
  clearAirInside(isAir, shape);
  const fromDura = distanceTo(isInside, shape), fromAir = distanceTo(isAir, shape);
  const texture = waveField(seed * 19 + 3, 9, 8);
  const t1 = new Float32Array(labels.length), flair = new Float32Array(labels.length);
  for (let k = 0, v = 0; k < nz; k++) {
    // Below the base of the skull, the drawn layers blend into the face and neck of the template.
    const layered = Math.min(1, Math.max(0, (layers.zMm(k) + 42) / 24));
    const falloff = Math.min(1, Math.max(0, (layers.zMm(k) + 108) / 48));
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const label = labels[v]!;
        if (label !== 0) {
          const grain = 1 + 0.012 * texture(i * mm, j * mm, k * mm);
          t1[v] = T1_OF_LABEL[label]! * grain;
          flair[v] = FLAIR_OF_LABEL[label]! * grain;
        } else if (isAir[v]) {
          t1[v] = flair[v] = 0.012;
        } else {
          const soft = Math.min(1.2, template[v]! / TEMPLATE_WHITE) * falloff;
          const layer = layerOf(fromDura[v]! * mm, fromAir[v]! * mm);
          t1[v] = (layer === undefined ? soft : layer.t1 * layered + soft * (1 - layered)) *
            (0.4 + 0.6 * falloff);
          flair[v] = layer === undefined
            ? 0.8 * soft
            : layer.flair * layered + 0.8 * soft * (1 - layered);
        }
      }
    }
  }
  drawCapsule(layers, t1, flair);
  return { t1: finish(t1, shape, mm), flair: finish(flair, shape, mm) };
}

/**
 * Layers between dura and air, from the inside:
 * dura, inner table, marrow, outer table, scalp fat, skin.
 */
function layerOf(inMm: number, outMm: number): { t1: number; flair: number } | undefined {
  const thicknessMm = inMm + outMm;
  if (thicknessMm < LAYERED_MM || inMm > 16) return undefined;
  const part = inMm / thicknessMm;
  if (inMm < 0.8) return { t1: 0.34, flair: 0.5 };
  if (part < 0.2) return { t1: 0.1, flair: 0.1 };
  if (part < 0.42) return thicknessMm > 9 ? { t1: 0.5, flair: 0.42 } : { t1: 0.12, flair: 0.1 };
  if (part < 0.56) return { t1: 0.09, flair: 0.09 };
  return outMm < 1.6 ? { t1: 0.62, flair: 0.6 } : { t1: 1.02, flair: 0.85 };
}

/** Finds air that is not connected to the outside: sinuses stay dark but get no skin. */
function clearAirInside(isAir: Uint8Array, shape: Shape): void {
  const [nx, ny, nz] = shape, stack: number[] = [];
  const push = (v: number) => {
    if (isAir[v] === 1) {
      isAir[v] = 2;
      stack.push(v);
    }
  };
  for (let k = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      push(nx * (j + ny * k));
      push(nx - 1 + nx * (j + ny * k));
    }
  }
  while (stack.length > 0) {
    const v = stack.pop()!, i = v % nx, j = Math.floor(v / nx) % ny, k = Math.floor(v / (nx * ny));
    if (i > 0) push(v - 1);
    if (i < nx - 1) push(v + 1);
    if (j > 0) push(v - nx);
    if (j < ny - 1) push(v + nx);
    if (k > 0) push(v - nx * ny);
    if (k < nz - 1) push(v + nx * ny);
  }
  for (let v = 0; v < isAir.length; v++) isAir[v] = isAir[v] === 2 ? 1 : 0;
}

/** Semi-axes of the capsule, mm. */
const CAPSULE_HALF_MM = [5, 9, 5] as const;

function drawCapsule(layers: Layers, t1: Float32Array, flair: Float32Array): void {
  const { shape: [nx, ny], resolutionMm: mm, capsuleIjk } = layers;
  const reach = CAPSULE_HALF_MM.map((h) => Math.ceil(h / mm));
  for (let dk = -reach[2]!; dk <= reach[2]!; dk++) {
    for (let dj = -reach[1]!; dj <= reach[1]!; dj++) {
      for (let di = -reach[0]!; di <= reach[0]!; di++) {
        const r = Math.hypot(...[di, dj, dk].map((d, axis) => d * mm / CAPSULE_HALF_MM[axis]!));
        if (r > 1) continue;
        const [i, j, k] = capsuleIjk.map((x, axis) => Math.round(x) + [di, dj, dk][axis]!) as [
          number,
          number,
          number,
        ];
        const v = i + nx * (j + ny * k);
        t1[v] = 1.25;
        flair[v] = 1.1;
      }
    }
  }
}

/** Blurs by 0.5 mm (partial volume) and scales to integers. */
function finish(image: Float32Array, shape: Shape, mm: number): Uint16Array {
  const side = mm === 1 ? 0.11 : 0.04, other = new Float32Array(image.length);
  blurAlong(image, other, 1, side);
  blurAlong(other, image, shape[0], side);
  blurAlong(image, other, shape[0] * shape[1], side);
  const out = new Uint16Array(image.length);
  for (let v = 0; v < out.length; v++) out[v] = other[v]! * WHITE + 0.5;
  return out;
}

function blurAlong(from: Float32Array, to: Float32Array, step: number, side: number): void {
  const centre = 1 - 2 * side, end = from.length - step;
  for (let v = step; v < end; v++) {
    to[v] = centre * from[v]! + side * (from[v - step]! + from[v + step]!);
  }
}
