/** Detects series named T1w or FLAIR that are dynamic series, or maps of measured quantities. */
import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { AppError } from "@/model/errors.ts";
import { isQuantity } from "@/server/core/dicom/choice/units.ts";
import { rejected, withKind } from "@/server/core/dicom/read/verdict.ts";
import type { Slice } from "@/server/core/dicom/stack/even_stack.ts";

/** Minimum number of time points, or of images at each slice position, of a dynamic series. */
const MIN_TIME_POINTS = 3;
/** Distance along the slice normal below which two images have the same position, mm. */
const SAME_POSITION_MM = 0.05;
/** Minimum number of slice positions: rotated projections have only one. */
const MIN_POSITIONS = 3;

/**
 * Refuses a dynamic series, a map of a measured quantity, and a T1w or FLAIR with such a map among
 * the images. A user's choice of the series type makes no such series usable.
 * @param slices Slices of the series in stack order.
 * @param kind Kind of the series by tags or choice; `null`: neither T1w nor FLAIR.
 * @throws {AppError} reasons `time_points`, `quantity`, `mixed_slices`, `repeated_positions`.
 */
export function checkAnatomical(slices: readonly Slice[], kind: SeriesKind | null): void {
  const headers = [...new Set(slices.map(({ header }) => header))];
  const timePoints = Math.max(...headers.map(({ timePoints = 1 }) => timePoints));
  if (timePoints >= MIN_TIME_POINTS) {
    throw rejected("time_points", `Cannot use series: it has ${timePoints} time points`, {
      count: timePoints,
    });
  }
  checkUnits(headers.flatMap(({ units = [] }) => units), kind);
  const count = imagesAtPosition(slices);
  if (count >= MIN_TIME_POINTS) {
    throw rejected("repeated_positions", `Cannot use series: ${count} images at each position`, {
      count,
    });
  }
}

/** @param stated Units of the values of all images of a series, as stated. */
function checkUnits(stated: readonly string[], kind: SeriesKind | null): void {
  const unit = stated.find(isQuantity);
  if (unit === undefined) return;
  if (kind !== null && !stated.every(isQuantity)) {
    const error = rejected("mixed_slices", "Cannot stack slices: their units differ", {
      what: MIXED_BY,
    });
    throw withKind(error, kind);
  }
  throw rejected("quantity", "Cannot use series: its values are a measured quantity", { unit });
}

/** Difference, by {@link differenceText}, of images and maps in one series. */
const MIXED_BY = "unit";

/** Whether a series is refused because of units alone, so that the slices can form a volume. */
export const isMixedByUnit = ({ details }: AppError): boolean =>
  details.reason === "mixed_slices" && details.what === MIXED_BY;

/** Mean number of images at a slice position, rounded; 1 for a few positions. */
function imagesAtPosition(slices: readonly Slice[]): number {
  const positions =
    slices.filter(({ positionMm }, at) =>
      at === 0 || positionMm - slices[at - 1]!.positionMm > SAME_POSITION_MM
    ).length;
  return positions < MIN_POSITIONS ? 1 : Math.round(slices.length / positions);
}
