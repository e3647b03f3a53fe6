import { type Affine, type Shape } from "@/model/geometry.ts";
import { AppError } from "@/model/errors.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import { affineOfStack, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { SlicePlane } from "@/server/core/dicom/read/plane.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

/** One slice of a series: its plane, its file and its frame. */
export interface SourceSlice extends SlicePlane {
  sopInstanceUid: string;
  /** of the file: an acquisition may have come under several */
  seriesUid: string;
  /** from 1; `undefined` in a file of one slice */
  frameNumber: number | undefined;
}

/** Attributes of a series that objects derived from it repeat. */
export interface SourceSeries {
  /** patient and study as the files have them, or as a person has edited them */
  identity: Dataset;
  studyUid: string;
  seriesUid: string;
  sopClassUid: string;
  frameOfReferenceUid: string;
  positionReference: string;
  rows: number;
  columns: number;
  /** of the slice's signal, mm */
  sliceThicknessMm: number | undefined;
  /** in stack order: along row × column */
  slices: readonly SourceSlice[];
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** The part of a {@link SourceSeries} that one of its files holds. */
export type SourceHead =
  & Omit<SourceSeries, "shape" | "rasFromIjk" | "slices">
  & { slices: SourceSlice[] };

/** The error of a stored file or series that cannot be used. */
export const damaged = (message: string, cause?: unknown): AppError =>
  new AppError("engine.unsupported_input", `Cannot read the stored series: ${message}`, {
    reason: "dicom",
  }, {
    cause,
  });

/**
 * Puts a series together from its files, see `sourceHead`.
 *
 * @param heads  Of the files, any order, one at a time; attributes are those of the first.
 * @throws {AppError} `engine.unsupported_input` when there is none, or no size of an image.
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
