import { type Affine, applyAffine, invert, type Shape, type Vec3 } from "@/model/geometry.ts";
import { REGIONS } from "@/model/regions.ts";
import type { PlaneKey } from "@/model/schema/report.ts";
import { drawLetter } from "@/core/report/letters.ts";
import { encodePng } from "@/core/report/png.ts";

/** The analysed grid: intensities 0..255 and labels 0..104, i fastest. */
export interface LabelledVolume {
  intensities: Uint8Array;
  labels: Uint8Array;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** Where the three slices are cut: RAS mm. `sideMm`: edge of the square that is shown. */
export interface SliceFrame {
  centreRasMm: Vec3;
  sideMm: number;
  cutRasMm: Vec3;
}

/** Pixels per edge of a picture. */
export const SLICE_PIXELS = 640;
const FILL = 0.4, FILL_WHITE_MATTER = 0.08, OUTLINE = 0.85;
const MARGIN_MM = 10;
const LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20, LEFT_THALAMUS = 7, RIGHT_THALAMUS = 8;

/** Directions on the picture in RAS: `right` and `down` as they are on paper; radiological. */
const VIEWS: Record<PlaneKey, { right: Vec3; down: Vec3; marks: [string, string, string, string] }> = {
  // marks: left, right, top, bottom edge
  axial: { right: [-1, 0, 0], down: [0, -1, 0], marks: ["R", "L", "A", "P"] },
  coronal: { right: [-1, 0, 0], down: [0, 0, -1], marks: ["R", "L", "S", "I"] },
  sagittal: { right: [0, -1, 0], down: [0, 0, -1], marks: ["A", "P", "S", "I"] },
};

/** Axis of a plane's position in RAS. */
export const AXIS: Record<PlaneKey, 0 | 1 | 2> = { axial: 2, coronal: 1, sagittal: 0 };

/**
 * Chooses the slices: axial through the thalami, coronal through the hippocampi, sagittal in the middle between the
 * thalami; the middle of the brain where these are missing. One square frame around the brain for all three.
 */
export function sliceFrameOf(volume: LabelledVolume): SliceFrame {
  const { labels, shape: [nx, ny, nz], rasFromIjk } = volume;
  const sums = new Map<number, [number, number, number, number]>();
  const wanted = [LEFT_HIPPOCAMPUS, RIGHT_HIPPOCAMPUS, LEFT_THALAMUS, RIGHT_THALAMUS];
  const low: Vec3 = [nx, ny, nz], high: Vec3 = [-1, -1, -1];
  for (let k = 0, at = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, at++) {
        const label = labels[at]!;
        if (label === 0) continue;
        if (i < low[0]) low[0] = i;
        if (j < low[1]) low[1] = j;
        if (k < low[2]) low[2] = k;
        if (i > high[0]) high[0] = i;
        if (j > high[1]) high[1] = j;
        if (k > high[2]) high[2] = k;
        if (!wanted.includes(label)) continue;
        const sum = sums.get(label) ?? [0, 0, 0, 0];
        sum[0] += i, sum[1] += j, sum[2] += k, sum[3]++;
        sums.set(label, sum);
      }
    }
  }
  if (high[0] < 0) low.fill(0), high[0] = nx - 1, high[1] = ny - 1, high[2] = nz - 1;
  const a = applyAffine(rasFromIjk, low), b = applyAffine(rasFromIjk, high);
  const centreRasMm: Vec3 = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];
  const sideMm = Math.max(...[0, 1, 2].map((axis) => Math.abs(a[axis]! - b[axis]!))) + 2 * MARGIN_MM;
  const middleOf = (left: number, right: number): Vec3 => {
    const l = sums.get(left), r = sums.get(right);
    if (!l || !r) return centreRasMm;
    const mean = (axis: 0 | 1 | 2) => (l[axis] / l[3] + r[axis] / r[3]) / 2;
    return applyAffine(rasFromIjk, [mean(0), mean(1), mean(2)]);
  };
  const thalami = middleOf(LEFT_THALAMUS, RIGHT_THALAMUS);
  const hippocampi = middleOf(LEFT_HIPPOCAMPUS, RIGHT_HIPPOCAMPUS);
  return { centreRasMm, sideMm, cutRasMm: [thalami[0], hippocampi[1], thalami[2]] };
}

/** Intensity from which a voxel belongs to the head, of 255. */
const HEAD = 40;

/**
 * Chooses the slices of a volume whose labels are lesions: of each plane the one with the most of them, the middle of
 * the head without any. The frame is around the head.
 */
export function lesionFrameOf(volume: LabelledVolume): SliceFrame {
  const { intensities, labels, shape, rasFromIjk } = volume;
  const [nx, ny, nz] = shape;
  const counts = shape.map((size) => new Uint32Array(size)) as [Uint32Array, Uint32Array, Uint32Array];
  const low: Vec3 = [nx, ny, nz], high: Vec3 = [-1, -1, -1];
  for (let k = 0, at = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, at++) {
        if (labels[at] !== 0) counts[0][i]!++, counts[1][j]!++, counts[2][k]!++;
        if (intensities[at]! < HEAD) continue;
        if (i < low[0]) low[0] = i;
        if (j < low[1]) low[1] = j;
        if (k < low[2]) low[2] = k;
        if (i > high[0]) high[0] = i;
        if (j > high[1]) high[1] = j;
        if (k > high[2]) high[2] = k;
      }
    }
  }
  if (high[0] < 0) low.fill(0), high[0] = nx - 1, high[1] = ny - 1, high[2] = nz - 1;
  const a = applyAffine(rasFromIjk, low), b = applyAffine(rasFromIjk, high);
  const cut = [0, 1, 2].map((axis) => {
    const most = counts[axis]!.reduce((best, n, at) => n > counts[axis]![best]! ? at : best, 0);
    return counts[axis]![most] === 0 ? (low[axis]! + high[axis]!) / 2 : most;
  }) as Vec3;
  return {
    centreRasMm: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2],
    sideMm: Math.max(...[0, 1, 2].map((axis) => Math.abs(a[axis]! - b[axis]!))) + MARGIN_MM,
    cutRasMm: applyAffine(rasFromIjk, cut),
  };
}

const colours = new Uint8Array(256 * 3);
for (const region of REGIONS) colours.set(region.rgb, region.label * 3);

/**
 * One slice with the regions over it: RGB, row by row from the top, `pixels`² of them. Intensities are linear in
 * the plane; the label of a pixel is the one with the largest bilinear weight, so edges are smooth and no label is
 * invented. Outside of the volume: black.
 */
export function composeSlice(
  volume: LabelledVolume,
  view: PlaneKey,
  frame: SliceFrame,
  pixels = SLICE_PIXELS,
): Uint8Array {
  const { intensities, labels, shape: [nx, ny, nz], rasFromIjk } = volume;
  const ijkFromRas = invert(rasFromIjk);
  const { right, down } = VIEWS[view];
  const step = frame.sideMm / pixels;
  const centre: Vec3 = [...frame.centreRasMm];
  centre[AXIS[view]] = frame.cutRasMm[AXIS[view]];

  const at = (column: number, row: number): Vec3 => {
    const u = (column + 0.5 - pixels / 2) * step, v = (row + 0.5 - pixels / 2) * step;
    return applyAffine(ijkFromRas, [
      centre[0] + u * right[0] + v * down[0],
      centre[1] + u * right[1] + v * down[1],
      centre[2] + u * right[2] + v * down[2],
    ]);
  };
  const origin = at(0, 0), across = at(1, 0), below = at(0, 1);
  const grey = new Float32Array(pixels * pixels), picked = new Uint8Array(pixels * pixels);
  const corner = new Uint8Array(8), weight = new Float64Array(8);
  for (let row = 0, out = 0; row < pixels; row++) {
    for (let column = 0; column < pixels; column++, out++) {
      const x = origin[0] + column * (across[0] - origin[0]) + row * (below[0] - origin[0]);
      const y = origin[1] + column * (across[1] - origin[1]) + row * (below[1] - origin[1]);
      const z = origin[2] + column * (across[2] - origin[2]) + row * (below[2] - origin[2]);
      const i = Math.floor(x), j = Math.floor(y), k = Math.floor(z);
      if (i < 0 || j < 0 || k < 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) continue;
      const fx = x - i, fy = y - j, fz = z - k;
      let sum = 0;
      for (let c = 0; c < 8; c++) {
        const dx = c & 1, dy = (c >> 1) & 1, dz = c >> 2;
        const w = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy) * (dz ? fz : 1 - fz);
        const index = i + dx + nx * (j + dy + ny * (k + dz));
        sum += w * intensities[index]!;
        corner[c] = labels[index]!;
        weight[c] = w;
      }
      grey[out] = sum;
      picked[out] = heaviest(corner, weight);
    }
  }

  const rgb = new Uint8Array(3 * pixels * pixels);
  for (let row = 0, p = 0; row < pixels; row++) {
    for (let column = 0; column < pixels; column++, p++) {
      const label = picked[p]!;
      const isEdge = label !== 0 && (
        (column > 0 && picked[p - 1] !== label) || (row > 0 && picked[p - pixels] !== label) ||
        (column < pixels - 1 && picked[p + 1] !== label) || (row < pixels - 1 && picked[p + pixels] !== label)
      );
      const alpha = label === 0 ? 0 : label <= 2 ? FILL_WHITE_MATTER : isEdge ? OUTLINE : FILL;
      for (let c = 0; c < 3; c++) {
        rgb[3 * p + c] = Math.round((1 - alpha) * grey[p]! + alpha * colours[3 * label + c]!);
      }
    }
  }
  return rgb;
}

function heaviest(labels: Uint8Array, weights: Float64Array): number {
  let best = 0, bestWeight = -1;
  for (let a = 0; a < 8; a++) {
    let sum = 0;
    for (let b = 0; b < 8; b++) if (labels[b] === labels[a]) sum += weights[b]!;
    if (sum > bestWeight + 1e-12) bestWeight = sum, best = labels[a]!;
  }
  return best;
}

/** Burns the orientation marks into the middle of the four edges. */
export function drawMarks(rgb: Uint8Array, view: PlaneKey, pixels = SLICE_PIXELS): void {
  const size = Math.round(pixels / 24), inset = Math.round(pixels / 26), middle = pixels / 2;
  const [left, right, top, bottom] = VIEWS[view].marks;
  drawLetter(rgb, pixels, left, inset, middle, size);
  drawLetter(rgb, pixels, right, pixels - inset, middle, size);
  drawLetter(rgb, pixels, top, middle, inset, size);
  drawLetter(rgb, pixels, bottom, middle, pixels - inset, size);
}

/** PNG of one slice with regions and marks, `pixels` square. */
export function slicePng(
  volume: LabelledVolume,
  view: PlaneKey,
  frame: SliceFrame,
  pixels = SLICE_PIXELS,
): Uint8Array<ArrayBuffer> {
  const rgb = composeSlice(volume, view, frame, pixels);
  drawMarks(rgb, view, pixels);
  return encodePng(rgb, pixels, pixels);
}
