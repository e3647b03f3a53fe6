import { type Affine, applyAffine, invert, type Shape, type Vec3 } from "@/model/geometry.ts";
import { DEEP, LESION_COLOURS, PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import { VoxelBox } from "@/model/viewer/voxel_box.ts";
import type { PlaneKey } from "@/model/schema/report/report.ts";
import { drawLetter } from "@/report/pdf/letters.ts";
import { encodePng } from "@/report/pdf/png.ts";

/** A volume on the analysed grid: intensities 0..255 and labels 0..104, i fastest. */
export interface LabelledVolume {
  intensities: Uint8Array<ArrayBuffer>;
  labels: Uint8Array<ArrayBuffer>;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** mask of the whole measured space (for example the ICV) around the labels, on the same grid */
  around?: Uint8Array<ArrayBuffer>;
  /**
   * for each of 256 label values, the value that is painted with its colour; absent: the same value
   */
  painted?: Uint8Array;
  /** labels that get a common white outline, and through which the slices are cut */
  outlined?: readonly number[];
}

/** Centre and position of three slices, RAS mm. `sideMm`: side of the square field of view. */
export interface SliceFrame {
  centreRasMm: Vec3;
  sideMm: number;
  cutRasMm: Vec3;
}

/**
 * Side length of a picture in pixels, and width of the white outline in pixels.
 * In print, picture and outline are reduced to about a third.
 */
const SLICE_PIXELS = 640, FOCUS_PIXELS = 3;
const FILL = 0.4, FILL_WHITE_MATTER = 0.08, OUTLINE = 0.85, WHITE = 255;
const MARGIN_MM = 10;
const LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20, LEFT_THALAMUS = 7, RIGHT_THALAMUS = 8;
/** Labels of the regions with centres that determine where the slices are cut. */
const ANCHOR_LABELS = [LEFT_HIPPOCAMPUS, RIGHT_HIPPOCAMPUS, LEFT_THALAMUS, RIGHT_THALAMUS];

/** Directions of each plane in RAS as seen on paper, in radiological convention. */
const VIEWS: Record<
  PlaneKey,
  { right: Vec3; down: Vec3; marks: [string, string, string, string] }
> = {
  // orientation letters at the left, right, top and bottom edge
  axial: { right: [-1, 0, 0], down: [0, -1, 0], marks: ["R", "L", "A", "P"] },
  coronal: { right: [-1, 0, 0], down: [0, 0, -1], marks: ["R", "L", "S", "I"] },
  sagittal: { right: [0, -1, 0], down: [0, 0, -1], marks: ["A", "P", "S", "I"] },
};

/** RAS axis (x, y or z) along which the position of a plane is counted. */
export const AXIS: Record<PlaneKey, 0 | 1 | 2> = { axial: 2, coronal: 1, sagittal: 0 };

/**
 * Selects three slices: axial and sagittal by the thalami, coronal through the hippocampi.
 * If one of these structures is missing, its slice passes through the brain's centre.
 * All three slices share a square field of view around the brain.
 *
 * @returns the field of view, and the midpoint of the hippocampi in RAS mm.
 * The midpoint is `null` if a hippocampus is missing.
 */
export function sliceFrameOf(
  volume: LabelledVolume,
): SliceFrame & { hippocampiRasMm: Vec3 | null } {
  const { labels, shape: [nx, ny, nz], rasFromIjk } = volume;
  const placeOf = new Int8Array(256).fill(-1);
  ANCHOR_LABELS.forEach((label, place) => placeOf[label] = place);
  const sums = ANCHOR_LABELS.map((): [number, number, number, number] => [0, 0, 0, 0]);
  const box = new VoxelBox(volume.shape);
  for (let k = 0, at = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, at++) {
        const label = labels[at]!;
        if (label === 0) continue;
        box.add(i, j, k);
        const place = placeOf[label]!;
        if (place < 0) continue;
        const sum = sums[place]!;
        sum[0] += i, sum[1] += j, sum[2] += k, sum[3]++;
      }
    }
  }
  box.fillIfEmpty();
  const { low, high } = box, a = applyAffine(rasFromIjk, low), b = applyAffine(rasFromIjk, high);
  const centreRasMm: Vec3 = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
  const sideMm = Math.max(...[0, 1, 2].map((axis) => Math.abs(a[axis]! - b[axis]!))) +
    2 * MARGIN_MM;
  const middleOf = (left: number, right: number): Vec3 | null => {
    const l = sums[ANCHOR_LABELS.indexOf(left)]!, r = sums[ANCHOR_LABELS.indexOf(right)]!;
    if (l[3] === 0 || r[3] === 0) return null;
    const mean = (axis: 0 | 1 | 2) => (l[axis] / l[3] + r[axis] / r[3]) / 2;
    return applyAffine(rasFromIjk, [mean(0), mean(1), mean(2)]);
  };
  const thalami = middleOf(LEFT_THALAMUS, RIGHT_THALAMUS) ?? centreRasMm;
  const hippocampiRasMm = middleOf(LEFT_HIPPOCAMPUS, RIGHT_HIPPOCAMPUS);
  const cutRasMm: Vec3 = [thalami[0], (hippocampiRasMm ?? centreRasMm)[1], thalami[2]];
  return { centreRasMm, sideMm, cutRasMm, hippocampiRasMm };
}

/**
 * Finds the slice with the largest number of voxels of the given labels, for each axis.
 * @returns the position of the slices, RAS mm; `null` without any voxel of the labels.
 */
export function fullestCutOf(
  { labels, shape, rasFromIjk }: LabelledVolume,
  wanted: readonly number[],
): Vec3 | null {
  const isWanted = new Uint8Array(256), [nx, ny, nz] = shape;
  for (const label of wanted) isWanted[label] = 1;
  const counts = shape.map((size) => new Uint32Array(size));
  for (let k = 0, at = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, at++) {
        if (isWanted[labels[at]!] === 1) counts[0]![i]!++, counts[1]![j]!++, counts[2]![k]!++;
      }
    }
  }
  const cut = counts.map((count) =>
    count.reduce((best, voxels, at) => voxels > count[best]! ? at : best, 0)
  ) as Vec3;
  return counts[0]![cut[0]] === 0 ? null : applyAffine(rasFromIjk, cut);
}

const ALL_LABELS = Array.from({ length: 255 }, (_, n) => n + 1);

/** Minimum intensity (0..255) of voxels that belong to the head, not to the background. */
const HEAD = 40;

/**
 * Selects in each plane the slice with the largest lesion area, or else the head's centre.
 * The field of view contains the whole head.
 */
export function lesionFrameOf(volume: LabelledVolume): SliceFrame {
  const { intensities, shape: [nx, ny, nz], rasFromIjk } = volume;
  const box = new VoxelBox(volume.shape);
  for (let k = 0, at = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, at++) if (intensities[at]! >= HEAD) box.add(i, j, k);
    }
  }
  box.fillIfEmpty();
  const { low, high } = box, a = applyAffine(rasFromIjk, low), b = applyAffine(rasFromIjk, high);
  const centreRasMm: Vec3 = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
  return {
    centreRasMm,
    sideMm: Math.max(...[0, 1, 2].map((axis) => Math.abs(a[axis]! - b[axis]!))) + MARGIN_MM,
    cutRasMm: fullestCutOf(volume, ALL_LABELS) ?? centreRasMm,
  };
}

const colours = new Uint8Array(256 * 3);
for (const region of REGIONS) colours.set(region.rgb, region.label * 3);
/**
 * Values that painted pictures use in addition to atlas labels: the two kinds of lesions;
 * `INTRACRANIAL_PAINT` is the intracranial space around the brain.
 */
export const PERI_PAINT = 201, DEEP_PAINT = 202, INTRACRANIAL_PAINT = 203;
colours.set([56, 189, 248], INTRACRANIAL_PAINT * 3);
colours.set(LESION_COLOURS[PERIVENTRICULAR], PERI_PAINT * 3);
colours.set(LESION_COLOURS[DEEP], DEEP_PAINT * 3);
const IDENTITY_LABELS = new Uint8Array(256).map((_, label) => label);

/**
 * Draws a slice with regions as overlay: `pixels`² RGB pixels, row by row from the top.
 * Grey values are interpolated trilinearly; pixels outside the volume are black.
 * A pixel gets the label with the largest weight of eight voxels, which makes edges smooth.
 */
export function composeSlice(
  volume: LabelledVolume,
  view: PlaneKey,
  frame: SliceFrame,
  pixels = SLICE_PIXELS,
): Uint8Array {
  const { intensities, labels, shape: [nx, ny, nz], rasFromIjk, painted = IDENTITY_LABELS } =
    volume;
  const ijkFromRas = invert(rasFromIjk);
  const axes = VIEWS[view];
  const step = frame.sideMm / pixels;
  const centre: Vec3 = [...frame.centreRasMm];
  centre[AXIS[view]] = frame.cutRasMm[AXIS[view]];

  const at = (column: number, row: number): Vec3 => {
    const u = (column + 0.5 - pixels / 2) * step, v = (row + 0.5 - pixels / 2) * step;
    return applyAffine(ijkFromRas, [
      centre[0] + u * axes.right[0] + v * axes.down[0],
      centre[1] + u * axes.right[1] + v * axes.down[1],
      centre[2] + u * axes.right[2] + v * axes.down[2],
    ]);
  };
  const origin = at(0, 0), across = at(1, 0), below = at(0, 1);
  const grey = new Float32Array(pixels * pixels), picked = new Uint8Array(pixels * pixels);
  const plane = nx * ny;
  const offset = [0, 1, nx, nx + 1, plane, plane + 1, plane + nx, plane + nx + 1] as const;
  const [, c1, c2, c3, c4, c5, c6, c7] = offset,
    weight = new Float64Array(8),
    corner = new Uint8Array(8);
  for (let row = 0, out = 0; row < pixels; row++) {
    for (let column = 0; column < pixels; column++, out++) {
      const x = origin[0] + column * (across[0] - origin[0]) + row * (below[0] - origin[0]);
      const y = origin[1] + column * (across[1] - origin[1]) + row * (below[1] - origin[1]);
      const z = origin[2] + column * (across[2] - origin[2]) + row * (below[2] - origin[2]);
      const i = Math.floor(x), j = Math.floor(y), k = Math.floor(z);
      if (i < 0 || j < 0 || k < 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) continue;
      const fx = x - i, fy = y - j, fz = z - k, at = i + nx * j + plane * k;
      const near = (1 - fx) * (1 - fy), right = fx * (1 - fy), down = (1 - fx) * fy, far = fx * fy;
      weight[0] = near * (1 - fz), weight[1] = right * (1 - fz);
      weight[2] = down * (1 - fz), weight[3] = far * (1 - fz);
      weight[4] = near * fz, weight[5] = right * fz, weight[6] = down * fz, weight[7] = far * fz;
      grey[out] = weight[0] * intensities[at]! + weight[1] * intensities[at + c1]! +
        weight[2] * intensities[at + c2]! + weight[3] * intensities[at + c3]! +
        weight[4] * intensities[at + c4]! + weight[5] * intensities[at + c5]! +
        weight[6] * intensities[at + c6]! + weight[7] * intensities[at + c7]!;
      const first = labels[at]!;
      // fast path: inside a region all eight neighbouring voxels have the same label
      if (
        first === labels[at + c1] && first === labels[at + c2] && first === labels[at + c3] &&
        first === labels[at + c4] && first === labels[at + c5] && first === labels[at + c6] &&
        first === labels[at + c7]
      ) {
        picked[out] = painted[first]!;
      } else {
        for (let c = 0; c < 8; c++) corner[c] = painted[labels[at + offset[c]!]!]!;
        picked[out] = heaviest(corner, weight);
      }
    }
  }

  const isOutlined = new Uint8Array(256), rgb = new Uint8Array(3 * pixels * pixels);
  for (const label of volume.outlined ?? []) isOutlined[painted[label]!] = 1;
  for (let row = 0, p = 0; row < pixels; row++) {
    for (let column = 0; column < pixels; column++, p++) {
      const label = picked[p]!;
      if (
        isOutlined[label] === 1 && isBorder(picked, pixels, row, column, isOutlined, FOCUS_PIXELS)
      ) {
        rgb.fill(WHITE, 3 * p, 3 * p + 3);
        continue;
      }
      const isEdge = label !== 0 && (
        (column > 0 && picked[p - 1] !== label) || (row > 0 && picked[p - pixels] !== label) ||
        (column < pixels - 1 && picked[p + 1] !== label) ||
        (row < pixels - 1 && picked[p + pixels] !== label)
      );
      const alpha = label === 0
        ? 0
        : label <= 2
        ? FILL_WHITE_MATTER
        : label === INTRACRANIAL_PAINT
        ? isBorder(picked, pixels, row, column, IS_LABEL, 1) ? OUTLINE : FILL_WHITE_MATTER
        : isEdge
        ? OUTLINE
        : FILL;
      for (let c = 0; c < 3; c++) {
        rgb[3 * p + c] = Math.round((1 - alpha) * grey[p]! + alpha * colours[3 * label + c]!);
      }
    }
  }
  return rgb;
}

/** Lookup table of 256 values: 1 for any label, 0 for background. */
const IS_LABEL = new Uint8Array(256).fill(1, 1);

/** Whether any pixel up to `reach` pixels away is outside a set of labels (a lookup table). */
function isBorder(
  picked: Uint8Array,
  pixels: number,
  row: number,
  column: number,
  isIn: Uint8Array,
  reach: number,
): boolean {
  for (let r = Math.max(0, row - reach); r <= Math.min(pixels - 1, row + reach); r++) {
    for (let c = Math.max(0, column - reach); c <= Math.min(pixels - 1, column + reach); c++) {
      if (isIn[picked[r * pixels + c]!] === 0) return true;
    }
  }
  return false;
}

function heaviest(labels: Uint8Array, weights: Float64Array): number {
  let best = 0, bestWeight = -1;
  for (let a = 0, seen = 0; a < 8; a++) {
    if (seen & (1 << a)) continue;
    const label = labels[a]!;
    let sum = 0;
    for (let b = a; b < 8; b++) if (labels[b] === label) sum += weights[b]!, seen |= 1 << b;
    if (sum > bestWeight + 1e-12) bestWeight = sum, best = label;
  }
  return best;
}

/** Draws the orientation letters at the centre of a picture's four edges. */
export function drawMarks(rgb: Uint8Array, view: PlaneKey, pixels = SLICE_PIXELS): void {
  const size = Math.round(pixels / 24), inset = Math.round(pixels / 26), middle = pixels / 2;
  const [left, right, top, bottom] = VIEWS[view].marks;
  drawLetter(rgb, pixels, left, inset, middle, size);
  drawLetter(rgb, pixels, right, pixels - inset, middle, size);
  drawLetter(rgb, pixels, top, middle, inset, size);
  drawLetter(rgb, pixels, bottom, middle, pixels - inset, size);
}

/** RGB colour of measured lines, and half their width in pixels of a 640-pixel picture. */
const LINE_RGB = [255, 214, 10] as const, LINE_REACH = 1.6;

/** Draws measured lines, RAS mm, into a slice, with a bar across each end. */
export function drawLines(
  rgb: Uint8Array,
  view: PlaneKey,
  { centreRasMm, sideMm }: SliceFrame,
  lines: readonly (readonly [Vec3, Vec3])[],
  pixels = SLICE_PIXELS,
): void {
  const { right, down } = VIEWS[view], reach = LINE_REACH * pixels / SLICE_PIXELS;
  const along = (axis: Vec3, p: Vec3) =>
    axis.reduce((sum, part, at) => sum + part * (p[at]! - centreRasMm[at]!), 0);
  const pixelOf = (p: Vec3): [number, number] => [
    along(right, p) * pixels / sideMm + pixels / 2 - 0.5,
    along(down, p) * pixels / sideMm + pixels / 2 - 0.5,
  ];
  const dot = (x: number, y: number) => {
    for (let row = Math.ceil(y - reach); row <= y + reach; row++) {
      for (let column = Math.ceil(x - reach); column <= x + reach; column++) {
        if (row < 0 || column < 0 || row >= pixels || column >= pixels) continue;
        rgb.set(LINE_RGB, 3 * (row * pixels + column));
      }
    }
  };
  const draw = ([x0, y0]: [number, number], [x1, y1]: [number, number]) => {
    const steps = Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0)));
    for (let at = 0; at <= steps; at++) {
      dot(x0 + (x1 - x0) * at / steps, y0 + (y1 - y0) * at / steps);
    }
  };
  for (const line of lines) {
    const [a, b] = line.map(pixelOf) as [[number, number], [number, number]];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, bar = pixels / 64;
    const [dx, dy] = [-(b[1] - a[1]) / length * bar, (b[0] - a[0]) / length * bar];
    draw(a, b);
    for (const [x, y] of [a, b]) draw([x - dx, y - dy], [x + dx, y + dy]);
  }
}

/** PNG of a slice with regions and orientation letters; width and height are `pixels`. */
export function slicePng(
  volume: LabelledVolume,
  view: PlaneKey,
  frame: SliceFrame,
  pixels = SLICE_PIXELS,
  lines: readonly (readonly [Vec3, Vec3])[] = [],
): Uint8Array<ArrayBuffer> {
  const rgb = composeSlice(volume, view, frame, pixels);
  drawLines(rgb, view, frame, lines, pixels);
  drawMarks(rgb, view, pixels);
  return encodePng(rgb, pixels, pixels);
}
