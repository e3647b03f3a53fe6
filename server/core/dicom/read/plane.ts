import type { DataSet } from "dicom-parser";
import { dot, unit, type Vec3 } from "@/model/geometry.ts";
import { isDecimal } from "@/server/core/dicom/read/value_forms.ts";

/** Position and orientation of one slice in the patient, LPS mm as in DICOM. */
export interface SlicePlane {
  /** unit vectors of increasing column index, then of increasing row index */
  orientationLps: readonly [Vec3, Vec3];
  /** centre of the first voxel */
  positionLpsMm: Vec3;
  /** distance between rows, then between columns, mm (DICOM Pixel Spacing) */
  pixelSpacingMm: readonly [number, number];
}

/** Maximum length of an orientation: six numbers of sixteen characters. */
export const MAX_VALUE_BYTES = 1024;

const numbers = (
  dataSet: DataSet | undefined,
  tag: string,
  count: number,
): number[] | undefined => {
  const element = dataSet?.elements[tag];
  if (!dataSet || !element || element.length > MAX_VALUE_BYTES) return undefined;
  // the parser throws if the attribute has no value of this number
  const texts = dataSet.string(tag)?.split("\\") ?? [];
  const values = Array.from({ length: count }, (_, i) => {
    const text = texts[i] ?? "";
    // not parsed as a number: "2,1" would give 2
    return isDecimal(text) ? Number(text) : NaN;
  });
  return values.every(Number.isFinite) ? values : undefined;
};

/** Tolerance for the direction cosines of headers, which are rounded to six decimals. */
const ROUNDING = 1e-5;
/** Plausible positions in an image of the head, mm; values outside indicate damage. */
const MAX_POSITION_MM = 1e4, PIXEL_SPACING_MM = [0.05, 20] as const;

/**
 * Makes two directions perpendicular unit vectors, because some archives round them to three
 * decimals. Exact directions remain unchanged.
 */
function orthonormal(row: Vec3, column: Vec3): readonly [Vec3, Vec3] {
  const isExact = [dot(row, row) - 1, dot(column, column) - 1, dot(row, column)]
    .every((rest) => Math.abs(rest) < ROUNDING);
  if (isExact) return [row, column];
  const alongRow = unit(row), across = dot(alongRow, column);
  return [alongRow, unit(column.map((x, axis) => x - across * alongRow[axis]!) as Vec3)];
}

function plane(
  position: number[] | undefined,
  orientation: number[] | undefined,
  spacing: number[] | undefined,
): SlicePlane | undefined {
  if (!position || !orientation || !spacing) return undefined;
  if (position.some((mm) => Math.abs(mm) > MAX_POSITION_MM)) return undefined;
  if (spacing.some((mm) => mm < PIXEL_SPACING_MM[0] || mm > PIXEL_SPACING_MM[1])) return undefined;
  const [a, b, c, d, e, f] = orientation as [number, number, number, number, number, number];
  const isUnit = Math.abs(Math.hypot(a, b, c) - 1) < 0.02 &&
    Math.abs(Math.hypot(d, e, f) - 1) < 0.02;
  if (!isUnit || Math.abs(a * d + b * e + c * f) > 0.02) return undefined;
  return {
    orientationLps: orthonormal([a, b, c], [d, e, f]),
    positionLpsMm: position as Vec3,
    pixelSpacingMm: [spacing[0]!, spacing[1]!],
  };
}

/** First item of a sequence; `undefined` if the sequence is absent or empty. */
export const sequenceItem = (dataSet: DataSet | undefined, tag: string): DataSet | undefined =>
  dataSet?.elements[tag]?.items?.[0]?.dataSet;

/**
 * Planes of a file: of a single-frame image, or of each frame of an enhanced image, from its
 * functional groups (PS3.3 C.7.6.16).
 */
export function planesOf(dataSet: DataSet, frameCount: number): SlicePlane[] {
  const perFrame = dataSet.elements.x52009230?.items;
  if (!perFrame) {
    const single = frameCount === 1 &&
      plane(
        numbers(dataSet, "x00200032", 3),
        numbers(dataSet, "x00200037", 6),
        numbers(dataSet, "x00280030", 2),
      );
    return single ? [single] : [];
  }
  const shared = sequenceItem(dataSet, "x52009229");
  const planes = perFrame.map((item) => {
    const group = (tag: string) => sequenceItem(item.dataSet, tag) ?? sequenceItem(shared, tag);
    return plane(
      numbers(group("x00209113"), "x00200032", 3),
      numbers(group("x00209116"), "x00200037", 6),
      numbers(group("x00289110"), "x00280030", 2),
    );
  }).filter((p) => p !== undefined);
  return planes.length === frameCount ? planes : [];
}

/** Distance between the centres of adjacent slices, mm; `undefined` if the header lacks it. */
export function sliceSpacingOf(dataSet: DataSet): number | undefined {
  const [mm] = numbers(dataSet, "x00180088", 1) ??
    numbers(firstGroup(dataSet, "x00289110"), "x00180088", 1) ?? [];
  return mm !== undefined && mm > 0 ? mm : undefined;
}

/** Functional group of an enhanced image: shared by all frames, or of the first frame. */
export const firstGroup = (dataSet: DataSet, tag: string): DataSet | undefined =>
  sequenceItem(sequenceItem(dataSet, "x52009229"), tag) ??
    sequenceItem(sequenceItem(dataSet, "x52009230"), tag);

/** Repetition, echo and inversion time of an enhanced image from functional groups, ms. */
export function sharedTiming(dataSet: DataSet) {
  const group = (tag: string) => firstGroup(dataSet, tag);
  return {
    repetitionTimeMs: numbers(group("x00189112"), "x00180080", 1)?.[0],
    echoTimeMs: group("x00189114")?.double("x00189082"),
    inversionTimeMs: group("x00189115")?.double("x00189079"),
  };
}
