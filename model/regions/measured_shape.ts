import type { MeasurementKind } from "@/model/schema/reading/measurements.ts";

/** RAS axes (0..2) of a plane, across and down the screen. */
export const IN_PLANE = { axial: [0, 1], coronal: [0, 2], sagittal: [1, 2] } as const;

/**
 * A length, an angle or a region in the images: RAS mm, three numbers per point.
 * A region is a box (two corners) or an outline.
 */
interface Shape {
  kind: MeasurementKind;
  plane: keyof typeof IN_PLANE;
  pointsMm: readonly number[];
}

const from = (pointsMm: readonly number[], a: number, b: number): [number, number, number] => [
  pointsMm[3 * b]! - pointsMm[3 * a]!,
  pointsMm[3 * b + 1]! - pointsMm[3 * a + 1]!,
  pointsMm[3 * b + 2]! - pointsMm[3 * a + 2]!,
];

/** Distance between the first two points, mm. */
export const lengthMm = ({ pointsMm }: Pick<Shape, "pointsMm">): number =>
  Math.hypot(...from(pointsMm, 0, 1));

/** Angle at the second point, degrees 0..180; 0 when two points coincide. */
export function angleDeg({ pointsMm }: Pick<Shape, "pointsMm">): number {
  const a = from(pointsMm, 1, 0), b = from(pointsMm, 1, 2);
  const across = Math.hypot(
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  );
  return Math.atan2(across, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * 180 / Math.PI;
}

/**
 * Area of a region, mm². Points are projected onto the plane's two axes:
 * on an oblique grid, the area is too small by the cosine of the tilt.
 */
export function areaMm2({ kind, plane, pointsMm }: Shape): number {
  const [a, b] = IN_PLANE[plane];
  if (kind !== "freehand") {
    const box = Math.abs((pointsMm[3 + a]! - pointsMm[a]!) * (pointsMm[3 + b]! - pointsMm[b]!));
    return kind === "ellipse" ? Math.PI / 4 * box : box;
  }
  let twice = 0;
  for (let at = 0, n = pointsMm.length; at < n; at += 3) {
    const following = (at + 3) % n;
    twice += pointsMm[at + a]! * pointsMm[following + b]! -
      pointsMm[following + a]! * pointsMm[at + b]!;
  }
  return Math.abs(twice) / 2;
}

/** Minimum distance between two points of a measurement, mm. */
const MIN_EXTENT_MM = 0.5;

/** Whether a length, an arm of an angle or a side of a region is below the minimum. */
export function isTinyShape({ kind, plane, pointsMm }: Shape): boolean {
  if (kind === "freehand") return false;
  if (kind === "ruler" || kind === "angle") {
    const arms = kind === "ruler" ? [[0, 1]] as const : [[0, 1], [1, 2]] as const;
    return arms.some(([a, b]) => Math.hypot(...from(pointsMm, a, b)) < MIN_EXTENT_MM);
  }
  const sides = from(pointsMm, 0, 1);
  return IN_PLANE[plane].some((axis) => Math.abs(sides[axis]!) < MIN_EXTENT_MM);
}

/** Measured value as text with unit: "12.3 mm", "47.1°", "157 mm²". */
export function geometryOf(shape: Shape): string {
  if (shape.kind === "ruler") return `${lengthMm(shape).toFixed(1)}\u00a0mm`;
  return shape.kind === "angle"
    ? `${angleDeg(shape).toFixed(1)}°`
    : `${areaMm2(shape).toFixed(0)}\u00a0mm²`;
}

/** Formats region statistics for image, list and report, with one decimal up to an SD of 10. */
export const valueDigits = ({ sd }: { sd: number }) => (value: number): string =>
  value.toFixed(sd < 10 ? 1 : 0);
