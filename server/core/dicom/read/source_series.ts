import { type Affine, type Shape } from "@/model/geometry.ts";
import { AppError } from "@/model/errors.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import { affineOfStack, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { SlicePlane } from "@/server/core/dicom/read/plane.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

/** One slice of a series: its plane, and its file and frame. */
export interface SourceSlice extends SlicePlane {
  sopInstanceUid: string;
  /** UIDs of the series that contains the slice: an acquisition may be divided into several */
  seriesUid: string;
  /** frame number from 1; `undefined` for a single-frame file */
  frameNumber: number | undefined;
}

/** Attributes of a source series, which objects derived from it copy. */
export interface SourceSeries {
  /** patient and study attributes, as in the files or as edited by a user */
  identity: Dataset;
  studyUid: string;
  seriesUid: string;
  sopClassUid: string;
  frameOfReferenceUid: string;
  positionReference: string;
  rows: number;
  columns: number;
  /** slice thickness, mm */
  sliceThicknessMm: number | undefined;
  /** slices in stack order: by position along row × column */
  slices: readonly SourceSlice[];
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** Part of a {@link SourceSeries}: the slices in one file. */
export type SourceHead =
  & Omit<SourceSeries, "shape" | "rasFromIjk" | "slices">
  & { slices: SourceSlice[] };

/** Error for a stored file or series that cannot be used. */
export const damaged = (message: string, cause?: unknown): AppError =>
  new AppError("engine.unsupported_input", `Cannot read the stored series: ${message}`, {
    reason: "dicom",
  }, {
    cause,
  });

/**
 * Combines the files of a series into a {@link SourceSeries}, see `sourceHead`.
 *
 * @param heads  Result for each file, in any order; the first gives the attributes.
 * @throws {AppError} `engine.unsupported_input` without files, or without an image size.
 */
export async function sourceSeriesOf(heads: AsyncIterable<SourceHead>): Promise<SourceSeries> {
  let first: SourceHead | undefined;
  const slices: SourceSlice[] = [];
  for await (const head of heads) {
    first ??= head;
    slices.push(...head.slices);
  }
  if (!first || slices.length < 2) throw damaged("no slices");
  slices.sort((a, b) => stackPositionMm(a) - stackPositionMm(b));
  const { rows, columns, frameOfReferenceUid, seriesUid } = first;
  if (rows === 0 || columns === 0) throw damaged("no rows or columns");
  return {
    ...first,
    frameOfReferenceUid: frameOfReferenceUid || uidOf("frame of reference", seriesUid),
    slices,
    shape: [columns, rows, slices.length],
    rasFromIjk: affineOfStack(slices),
  };
}
