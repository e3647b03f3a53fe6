/** Detects series named T1w or FLAIR that are dynamic series, or maps of measured quantities. */
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { Slice } from "@/server/core/dicom/stack/even_stack.ts";

/** Minimum number of time points, or of images at each slice position, of a dynamic series. */
const MIN_TIME_POINTS = 3;
/** Positions along the normal that are closer count as one, mm. */
const SAME_POSITION_MM = 0.05;
/** Minimum number of slice positions: rotated projections have only one. */
const MIN_POSITIONS = 3;

/** Units of relaxation times and rates, frequency, susceptibility, diffusion, flow and fractions. */
const QUANTITY =
  /^(m?s|sec|msec|(milli)?seconds?|(1|hz)?\/(m?s|sec)|m?s(-1|\^-1)|k?hz|pp[mb]|%|percent|rad(ians?)?|deg(rees?)?|.*[mu]m\^?2\/m?s|.*ml\/.*)$/i;

/** Values of Rescale Type that state no unit: absent, and "unspecified" (PS3.3 C.11.1.1.2). */
const NO_UNIT = /^(us)?$/i;

/**
 * Refuses a dynamic series, a map of a measured quantity, and images with values in several units.
 * A user's choice of the series type does not change this.
 * @param slices Slices of the series in stack order.
 * @throws {AppError} reasons `time_points`, `quantity`, `mixed_slices`, `repeated_positions`.
 */
export function checkAnatomical(slices: readonly Slice[]): void {
  const headers = [...new Set(slices.map(({ header }) => header))];
  const timePoints = Math.max(...headers.map(({ timePoints = 1 }) => timePoints));
  if (timePoints >= MIN_TIME_POINTS) {
    throw rejected("time_points", `Cannot use series: it has ${timePoints} time points`, {
      count: timePoints,
    });
  }
  checkUnits(headers.flatMap(({ units = [] }) => units));
  const count = imagesAtPosition(slices);
  if (count >= MIN_TIME_POINTS) {
    throw rejected("repeated_positions", `Cannot use series: ${count} images at each position`, {
      count,
    });
  }
}

/** @param stated Units of the values of all images of a series, as stated. */
function checkUnits(stated: readonly string[]): void {
  const units = new Map(stated.map((unit) => [NO_UNIT.test(unit) ? "" : unit.toLowerCase(), unit]));
  if (units.size > 1) {
    throw rejected("mixed_slices", "Cannot stack slices: their units differ", { what: "unit" });
  }
  for (const unit of units.values()) {
    if (!QUANTITY.test(unit)) continue;
    throw rejected("quantity", "Cannot use series: its values are a measured quantity", { unit });
  }
}

/** Mean number of images at a slice position, rounded; 1 for a few positions. */
function imagesAtPosition(slices: readonly Slice[]): number {
  const positions =
    slices.filter(({ positionMm }, at) =>
      at === 0 || positionMm - slices[at - 1]!.positionMm > SAME_POSITION_MM
    ).length;
  return positions < MIN_POSITIONS ? 1 : Math.round(slices.length / positions);
}
