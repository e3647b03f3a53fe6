/** Checks that slices form one evenly spaced, straight volume, and computes its affine. */
import { type Affine, cross, dot, type Shape, type Vec3 } from "@/model/geometry.ts";
import { affineOfStack, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import type { SlicePlane } from "@/server/core/dicom/read/plane.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { type InstanceFile, isParallel } from "@/server/core/dicom/stack/parts.ts";

/** A complete stack of slices that can become a volume. */
export interface SliceStack {
  seriesUid: string;
  /** header of the first slice, which gives the attributes stored for the series */
  header: InstanceHeader;
  /**
   * files by increasing position · (row × column); one file for a multi-frame series
   */
  files: InstanceFile[];
  /** shape of the stack: [columns, rows, slices] */
  shape: Shape;
  /** maps [column, row, slice] to RAS mm, by the headers alone */
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** distance between slices, mm */
  stepMm: number;
}

/** Maximum deviation of a gap between slices, relative to the median gap. */
const GAP_TOLERANCE = 0.05;

/** One slice of a file, and its position along the normal. */
export interface Slice extends InstanceFile {
  plane: SlicePlane;
  positionMm: number;
}

/** Slices of files in stack order. */
export const slicesOf = (stack: readonly InstanceFile[]): Slice[] =>
  stack.flatMap((file): Slice[] =>
    file.header.planes.map((plane) => ({ ...file, plane, positionMm: stackPositionMm(plane) }))
  ).sort((a, b) => a.positionMm - b.positionMm);

/**
 * Checks the geometry of slices in stack order, independent of the image content.
 * @throws {AppError} `upload.format_not_supported` for slices that form no evenly spaced volume.
 */
export function stackOf(slices: readonly Slice[]): SliceStack {
  checkSameGrid(slices);
  const stepMm = checkSteps(slices), { header } = slices[0]!;
  return {
    seriesUid: header.seriesUid,
    header,
    files: [
      ...new Map(slices.map((s) => [s.fileName, { fileName: s.fileName, header: s.header }]))
        .values(),
    ],
    shape: [header.columns, header.rows, slices.length],
    rasFromIjk: affineOfStack(slices.map((s) => s.plane)),
    stepMm,
  };
}

const mixed = (what: string) =>
  rejected("mixed_slices", `Cannot stack slices: ${what} differs`, { what });

function checkSameGrid(slices: readonly Slice[]): void {
  const first = slices[0]!;
  for (const { header: h, plane } of slices) {
    if (h.rows !== first.header.rows || h.columns !== first.header.columns) {
      throw mixed("matrix size");
    }
    if (
      plane.pixelSpacingMm.some((s, axis) =>
        Math.abs(s / first.plane.pixelSpacingMm[axis]! - 1) > 1e-3
      )
    ) {
      throw mixed("pixel spacing");
    }
    if (!isParallel(plane.orientationLps, first.plane.orientationLps)) throw mixed("orientation");
    if (
      h.bitsAllocated !== first.header.bitsAllocated || h.isSigned !== first.header.isSigned ||
      h.photometric !== first.header.photometric
    ) throw mixed("pixel format");
  }
}

/** Maximum number of repeated slices that a refusal names. */
const MAX_NAMED = 3;

/**
 * Error for slices at the same position. More than {@link MAX_NAMED} indicate two acquisitions with
 * one series number: the error then says so, and names no slice.
 */
function repeatedError(slices: readonly Slice[], gaps: readonly number[], median: number) {
  const repeated = gaps.flatMap((gap, at) =>
    gap < 0.01 * Math.max(median, 0.1) ? [slices[at]!] : []
  );
  if (repeated.length > MAX_NAMED) return mixed("position");
  const names = repeated.map(({ header: { instanceNumber, frameCount }, positionMm }) =>
    `${frameCount === 1 && instanceNumber !== undefined ? `${instanceNumber}, ` : ""}${
      positionMm.toFixed(1)
    }\u00a0mm`
  );
  return rejected("repeated_slice", "Cannot stack slices: a slice is there twice", {
    what: "position",
    count: names.length,
    slices: names.join("; "),
  });
}

/** Slice spacing, mm; the stack must be evenly spaced, complete and straight. */
function checkSteps(slices: readonly Slice[]): number {
  if (slices.length < 2) return slices[0]!.header.sliceThicknessMm ?? 0;
  const gaps = slices.slice(1).map((s, i) => s.positionMm - slices[i]!.positionMm);
  const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]!;
  const smallest = Math.min(...gaps), largest = Math.max(...gaps);
  if (smallest < 0.01 * Math.max(median, 0.1)) throw repeatedError(slices, gaps, median);
  const stepsIn = (gap: number) => Math.round(gap / median);
  const missing = gaps.reduce((sum, gap) => sum + Math.max(0, stepsIn(gap) - 1), 0);
  const isUneven = (gap: number) => Math.abs(gap / median - 1) > GAP_TOLERANCE;
  if (
    missing > 0 &&
    gaps.every((g) =>
      stepsIn(g) >= 1 && Math.abs(g / median - stepsIn(g)) <= GAP_TOLERANCE * stepsIn(g)
    )
  ) {
    throw rejected("missing_slice", `Cannot stack slices: ${missing} missing`, { missing });
  }
  if (gaps.some(isUneven)) {
    throw rejected("slice_gap", "Cannot stack slices: gaps differ", {
      smallest: Number(smallest.toFixed(2)),
      largest: Number(largest.toFixed(2)),
    });
  }
  const [row, column] = slices[0]!.plane.orientationLps, normal = cross(row, column);
  const first = slices[0]!.plane.positionLpsMm, last = slices.at(-1)!.plane.positionLpsMm;
  const run = last.map((p, axis) => p - first[axis]!) as Vec3;
  const along = dot(run, normal), across = Math.hypot(dot(run, row), dot(run, column));
  // a sheared stack (slices shifted within their plane) has no rigid affine
  if (across > 0.01 * along + 0.5) throw mixed("in-plane position");
  checkLine(slices);
  return (slices.at(-1)!.positionMm - slices[0]!.positionMm) / (slices.length - 1);
}

/** Maximum distance of a slice from the straight line of the stack, in pixels of its plane. */
const MAX_BESIDE = 0.49;

/** Refuses slices shifted within their plane by half a pixel: their pixels would not be aligned. */
function checkLine(slices: readonly Slice[]): void {
  const [from, to] = [slices[0]!, slices.at(-1)!];
  const { orientationLps, pixelSpacingMm: [betweenRows, betweenColumns] } = from.plane;
  for (const { plane, positionMm } of slices) {
    const done = (positionMm - from.positionMm) / (to.positionMm - from.positionMm);
    const beside = plane.positionLpsMm.map((mm, axis) => {
      const [a, b] = [from.plane.positionLpsMm[axis]!, to.plane.positionLpsMm[axis]!];
      return mm - a - done * (b - a);
    }) as Vec3;
    const [inRow, inColumn] = orientationLps.map((axis) => Math.abs(dot(beside, axis)));
    if (inRow! > MAX_BESIDE * betweenColumns || inColumn! > MAX_BESIDE * betweenRows) {
      throw mixed("in-plane position");
    }
  }
}
