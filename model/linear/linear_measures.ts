// Widths and angles of the ventricles as radiologists measure them.
// All of them are measured in planes along the line through both commissures.
import { type Affine, affineFromRows, compose, type Vec3 } from "@/model/geometry.ts";
import { applyAffine } from "@/model/geometry.ts";
import { type Commissures, headFromRas } from "@/model/linear/head_axes.ts";
import {
  countOf,
  extentOfRow,
  insideOf,
  placeOf,
  type Plane,
  planeReader,
  type Steps,
  type VoxelMap,
} from "@/model/linear/head_field.ts";

/** Endpoints of a line in head coordinates, mm: see {@link headFromRas}. */
export type HeadLine = [from: Vec3, to: Vec3];

/**
 * A measured value with its range under small errors of the borders and of the head's orientation.
 */
export interface LinearValue {
  value: number;
  low: number;
  high: number;
  /** lines on which the value was measured: one line, or the two sides of an angle */
  lines: HeadLine[];
}

export const LINEAR_KEYS = [
  "frontal_horns",
  "inner_skull",
  "evans",
  "third_ventricle",
  "callosal_angle",
] as const;
/**
 * `frontal_horns`, `inner_skull`, `third_ventricle` in mm; `evans`: ratio of the first two;
 * `callosal_angle` in degrees.
 */
export type LinearKey = (typeof LINEAR_KEYS)[number];
/** Linear measures; `null`: not measured, as the structure is too small or cut. */
export type LinearMeasures = Record<LinearKey, LinearValue | null>;

/** Labels of the lateral and third ventricles. */
const LEFT_LATERAL = 15, RIGHT_LATERAL = 16, THIRD = 25;
export const LINEAR_LABELS: readonly number[] = [LEFT_LATERAL, RIGHT_LATERAL, THIRD];
const LATERAL = insideOf([LEFT_LATERAL, RIGHT_LATERAL]), IS_THIRD = insideOf([THIRD]);
const IS_INSIDE = insideOf([1]);

/** Search region of the frontal horns: in front of and above the anterior commissure. */
const HORNS: { across: Steps; along: Steps; heights: Steps } = {
  across: { from: -50, to: 50, stepMm: 0.5 },
  along: { from: 0, to: 50, stepMm: 1 },
  heights: { from: 0, to: 45, stepMm: 1 },
};
const SKULL: { across: Steps; along: Steps } = {
  across: { from: -100, to: 100, stepMm: 1 },
  along: { from: -120, to: 100, stepMm: 2 },
};
/** Search region of the third ventricle, between the commissures. */
const THIRD_AT: { across: Steps; heights: Steps } = {
  across: { from: -20, to: 20, stepMm: 0.25 },
  heights: { from: -4, to: 10, stepMm: 1 },
};
const BODIES: { across: Steps; along: Steps } = {
  across: { from: -60, to: 60, stepMm: 0.5 },
  along: { from: -5, to: 60, stepMm: 0.5 },
};

const AXIAL = [0, 1, 2] as const, CORONAL = [0, 2, 1] as const;
/** Minimum side length of a callosal angle, mm: shorter sides have no reliable direction. */
const LEAST_SIDE_MM = 4;

interface Frame {
  headFromRas: Affine<"Ras", "Ras">;
  /**
   * position of the posterior commissure in front of the anterior one, mm; negative, as it is
   * behind
   */
  posteriorMm: number;
}

/** Finds the row of pixels in which the structure is widest, and returns the line across it. */
function widestRow(planes: readonly { plane: Plane; at: number }[]): HeadLine | null {
  let widest: HeadLine | null = null, width = 0;
  for (const { plane, at } of planes) {
    for (let row = 0; row < countOf(plane.along); row++) {
      const extent = extentOfRow(plane, row);
      if (!extent || extent[1] - extent[0] <= width) continue;
      const front = placeOf(plane.along, row);
      width = extent[1] - extent[0];
      widest = [[extent[0], front, at], [extent[1], front, at]];
    }
  }
  return widest;
}

const places = (steps: Steps) =>
  Array.from({ length: countOf(steps) }, (_, at) => placeOf(steps, at));
const lengthOf = ([from, to]: HeadLine) => to[0] - from[0];

/** Line across the widest part of the frontal horns; both horns must be present. */
function frontalHorns(labels: VoxelMap, { headFromRas }: Frame): HeadLine | null {
  const read = planeReader(labels, headFromRas);
  const line = widestRow(
    places(HORNS.heights).map((at) => ({ plane: read(LATERAL, AXIAL, { ...HORNS, at }), at })),
  );
  return line && line[0][0] < -2 && line[1][0] > 2 ? line : null;
}

/** Line across the widest part of the inner skull in the slice of the frontal horns. */
const innerSkull = (inside: VoxelMap, { headFromRas }: Frame, at: number): HeadLine | null =>
  widestRow([{ plane: planeReader(inside, headFromRas)(IS_INSIDE, AXIAL, { ...SKULL, at }), at }]);

function thirdVentricle(labels: VoxelMap, { headFromRas, posteriorMm }: Frame): HeadLine | null {
  const read = planeReader(labels, headFromRas);
  // uses the middle half between the commissures, without the recesses at both ends
  const along: Steps = {
    from: Math.round(0.75 * posteriorMm),
    to: Math.round(0.25 * posteriorMm),
    stepMm: 1,
  };
  return widestRow(
    places(THIRD_AT.heights).map((at) => ({
      plane: read(IS_THIRD, AXIAL, { across: THIRD_AT.across, along, at }),
      at,
    })),
  );
}

/** Points of the upper inner border of a ventricle's body, from the midline to the top. */
function upperInnerBorder(plane: Plane, side: 1 | -1): [across: number, top: number][] {
  const { values, across, along } = plane, columns = countOf(across), rows = countOf(along);
  const isIn = (column: number, row: number) => values[row * columns + column]! >= 0.5;
  const inward = (row: number): number | null => {
    const middle = Math.round(-across.from / across.stepMm);
    for (let column = middle; column >= 0 && column < columns; column += side) {
      if (isIn(column, row)) return column;
    }
    return null;
  };
  const topOf = (column: number): number | null => {
    for (let row = rows - 1; row >= 0; row--) if (isIn(column, row)) return row;
    return null;
  };
  // a border is between two samples, where the interpolated value is 0.5
  const edge = (a: number, b: number) => (a - 0.5) / (a - b);
  const value = (column: number, row: number) => values[row * columns + column] ?? 0;
  const inner: [number, number][] = [], upper: [number, number][] = [];
  for (let row = 0; row < rows; row++) {
    const column = inward(row);
    if (column === null) continue;
    const off = edge(value(column, row), value(column - side, row));
    inner.push([placeOf(across, column - side * off), placeOf(along, row)]);
  }
  for (let column = 0; column < columns; column++) {
    if (Math.sign(placeOf(across, column)) !== side) continue;
    const row = topOf(column);
    if (row === null) continue;
    const off = edge(value(column, row), value(column, row + 1));
    upper.push([placeOf(across, column), placeOf(along, row + off)]);
  }
  if (inner.length === 0 || upper.length === 0) return [];
  const innermost = inner.reduce((a, b) => side * b[0] < side * a[0] ? b : a);
  const highest = upper.reduce((a, b) => b[1] > a[1] ? b : a);
  const isBetween = ([u, w]: [number, number]) =>
    w >= innermost[1] && side * u <= side * highest[0];
  const border = [...inner, ...upper].filter(isBetween);
  // keeps the straight middle of the wall, because rounded ends would tilt the fitted line
  const [du, dw] = [highest[0] - innermost[0], highest[1] - innermost[1]],
    length = Math.hypot(du, dw);
  if (length < LEAST_SIDE_MM) return [];
  return border.filter(([u, w]) => {
    const part = ((u - innermost[0]) * du + (w - innermost[1]) * dw) / length ** 2;
    return part > 0.15 && part < 0.85;
  });
}

/** Least-squares line through points, from the innermost to the outermost point. */
function lineThrough(points: readonly [number, number][], side: 1 | -1): [number, number][] | null {
  if (points.length < 4) return null;
  const mean = (of: (point: [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const u = mean(([u]) => u), w = mean(([, w]) => w);
  const uu = mean(([a]) => (a - u) ** 2), ww = mean(([, b]) => (b - w) ** 2);
  const uw = mean(([a, b]) => (a - u) * (b - w)), angle = Math.atan2(2 * uw, uu - ww) / 2;
  const [du, dw] = [Math.cos(angle), Math.sin(angle)];
  const along = points.map(([a, b]) => (a - u) * du + (b - w) * dw);
  const ends = [Math.min(...along), Math.max(...along)]
    .map((t): [number, number] => [u + t * du, w + t * dw]);
  return ends.sort((a, b) => side * a[0] - side * b[0] || a[1] - b[1]);
}

/** The angle between the upper inner walls of both bodies, at the posterior commissure. */
function callosalAngle(
  labels: VoxelMap,
  { headFromRas, posteriorMm: at }: Frame,
): { degrees: number; lines: HeadLine[] } | null {
  const read = planeReader(labels, headFromRas), lines: HeadLine[] = [], rises: number[] = [];
  for (const [label, side] of [[LEFT_LATERAL, -1], [RIGHT_LATERAL, 1]] as const) {
    const plane = read(insideOf([label]), CORONAL, { ...BODIES, at });
    const line = lineThrough(upperInnerBorder(plane, side), side);
    if (!line) return null;
    const [[u0, w0], [u1, w1]] = line as [[number, number], [number, number]];
    rises.push(Math.atan2(w1 - w0, side * (u1 - u0)) * 180 / Math.PI);
    lines.push([[u0, at, w0], [u1, at, w1]]);
  }
  return { degrees: 180 - rises[0]! - rises[1]!, lines };
}

/**
 * Assumed errors from which ranges are computed: head orientation, degrees; border position, mm.
 */
const TILT_DEG = 3, BORDER_MM = 0.5;

/**
 * Head frames: the measured frame, and frames rotated a little in both directions about each axis.
 */
function framesOf(commissures: Commissures): Frame[] {
  const head = headFromRas(commissures);
  const turned = [0, 1, 2].flatMap((axis) =>
    [-1, 1].map((sign) => rotation(axis, sign * TILT_DEG))
  );
  const [, posteriorMm] = applyAffine(head, commissures.posterior);
  return [head, ...turned.map((turn) => compose(turn, head))].map((headFromRas) => ({
    headFromRas,
    posteriorMm,
  }));
}

function rotation(axis: number, degrees: number): Affine<"Ras", "Ras"> {
  const [c, s] = [Math.cos(degrees * Math.PI / 180), Math.sin(degrees * Math.PI / 180)];
  const rows = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
  const [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
  rows[a]![a] = c, rows[a]![b] = -s, rows[b]![a] = s, rows[b]![b] = c;
  return affineFromRows(rows);
}

/** Labels of the thalami, the reference tissue: the third ventricle must be darker. */
const THALAMI: readonly number[] = [7, 8];

/**
 * The label map without bright voxels of the third ventricle, as the label is often wider than the
 * fluid. Bright: at least halfway from the lateral ventricles to the thalami.
 *
 * @param intensities T1w intensities on the grid of the labels.
 */
function withDarkThird(labels: VoxelMap, intensities: Uint8Array): VoxelMap {
  const sums = { fluid: 0, fluids: 0, tissue: 0, tissues: 0 };
  labels.voxels.forEach((label, at) => {
    if (label === LEFT_LATERAL || label === RIGHT_LATERAL) {
      sums.fluid += intensities[at]!, sums.fluids++;
    } else if (THALAMI.includes(label)) sums.tissue += intensities[at]!, sums.tissues++;
  });
  const halfway = (sums.fluid / sums.fluids + sums.tissue / sums.tissues) / 2;
  const voxels = labels.voxels.map((label, at) =>
    label === THIRD && !(intensities[at]! < halfway) ? 0 : label
  );
  return { ...labels, voxels };
}

/**
 * Value in the measured frame with the range over all frames, widened by `byBorder` at both ends.
 */
function ranged(
  values: readonly (number | null)[],
  lines: HeadLine[],
  byBorder: number,
): LinearValue {
  const read = values.filter((value) => value !== null), value = read[0]!;
  return {
    value,
    low: Math.max(0, Math.min(...read) - byBorder),
    high: Math.max(...read) + byBorder,
    lines,
  };
}

/**
 * Evans index, width of the frontal horns and of the third ventricle, and callosal angle.
 *
 * Ranges: measured again with the head rotated by 3° about each axis,
 * and with each border moved by half a 1 mm voxel in or out.
 * Segmentation errors are not included.
 *
 * @param labels Label map of the study. @param inside 1 inside the skull, on the same grid.
 * @param intensities T1w, on the grid of the labels; fluid in the third ventricle is dark.
 * @see Evans 1942, Arch Neurol Psychiatry 47:931 (index).
 * Turner et al. 2001, doi:10.1007/s002340000457 (widths of the third ventricle and frontal horns).
 * Ishii et al. 2008, Eur Radiol 18:2678 (callosal angle).
 * Virhammar et al. 2014, doi:10.3171/2013.8.JNS13575 (callosal angle at the posterior commissure).
 */
export function measureLinear(
  labels: VoxelMap,
  inside: VoxelMap | null,
  commissures: Commissures,
  intensities: Uint8Array | null = null,
): LinearMeasures {
  const frames = framesOf(commissures);
  const horns = frames.map((frame) => frontalHorns(labels, frame));
  const skull = frames.map((frame, at) =>
    inside && horns[at] ? innerSkull(inside, frame, horns[at][0][2]) : null
  );
  const width = (line: HeadLine | null) => line && lengthOf(line);
  const ratio = horns.map((line, at) =>
    line && skull[at] ? lengthOf(line) / lengthOf(skull[at]) : null
  );
  const dark = intensities ? withDarkThird(labels, intensities) : labels;
  const third = frames.map((frame) => thirdVentricle(dark, frame));
  const angles = frames.map((frame) => callosalAngle(labels, frame));
  const hornsMm = width(horns[0] ?? null), skullMm = width(skull[0] ?? null);
  return {
    frontal_horns: hornsMm === null ? null : ranged(horns.map(width), [horns[0]!], 2 * BORDER_MM),
    inner_skull: skullMm === null ? null : ranged(skull.map(width), [skull[0]!], 2 * BORDER_MM),
    evans: hornsMm === null || skullMm === null
      ? null
      : ranged(ratio, [horns[0]!, skull[0]!], 2 * BORDER_MM / skullMm),
    third_ventricle: third[0] ? ranged(third.map(width), [third[0]], 2 * BORDER_MM) : null,
    callosal_angle: angles[0]
      ? ranged(angles.map((angle) => angle?.degrees ?? null), angles[0].lines, 0)
      : null,
  };
}
