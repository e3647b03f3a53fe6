import { printedPercentile } from "@/model/norms/rank_format.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type { RegionData } from "@/model/schema/studies/patients.ts";
import { DEEP, isWithinThreshold, PERIVENTRICULAR, TABLE_SIZE } from "@/viewer/colours.ts";

/** Thickness represented by the value 255, mm (D2 §9). */
export const THICKNESS_MAX_MM = 5;
/** Maximum percentile of the threshold (D2 §5). */
export const THRESHOLD_MAX = 20;

/** Thickness in mm that an overlay's value represents. */
export const thicknessMm = (value: number): number => value / 255 * THICKNESS_MAX_MM;

/** Overlay value that represents a thickness in mm; 0 for no thickness. */
export const thicknessValue = (mm: number): number =>
  mm > 0 ? Math.min(Math.max(Math.round(mm / THICKNESS_MAX_MM * 255), 1), 255) : 0;

/** Displayed normative percentile of each of 256 labels; NaN where none is displayed. */
export function percentilesOf(
  results: readonly RegionData[],
  basis: "region" | "icv",
): Float64Array {
  const out = new Float64Array(TABLE_SIZE).fill(NaN);
  for (const { label, hemisphere } of REGIONS) {
    const row = results.find((each) => each.part_index.includes(label));
    const side = hemisphere === "L" ? "left" : hemisphere === "R" ? "right" : "total";
    const rank = row
      ?.[basis === "icv" ? `rank_icv_${side}` as const : `rank_volume_${side}` as const];
    out[label] = printedPercentile(rank) ?? NaN;
  }
  return out;
}

/**
 * Visible labels: not hidden and, with a threshold,
 * with a percentile in 0..threshold ({@link isWithinThreshold}).
 *
 * @param percentiles Result of {@link percentilesOf}.
 * @param threshold   0..20, or `null` for all regions.
 * @returns 256 flags; allocated.
 */
export function shownRegions(
  hidden: ReadonlySet<number>,
  percentiles: Float64Array,
  threshold: number | null,
): Uint8Array {
  const flags = new Uint8Array(TABLE_SIZE);
  for (const { label } of REGIONS) {
    const isWithin = threshold === null || isWithinThreshold(label, percentiles[label]!, threshold);
    flags[label] = isWithin && !hidden.has(label) ? 1 : 0;
  }
  return flags;
}

/** Visible thickness values: `low`..`high` mm, inclusive. */
export function shownThickness(low: number, high: number): Uint8Array {
  // tolerance of half a step, so that both ends are included
  const flags = new Uint8Array(TABLE_SIZE), slack = THICKNESS_MAX_MM / 255 / 2;
  for (let value = 1; value < TABLE_SIZE; value++) {
    const mm = thicknessMm(value);
    flags[value] = mm >= low - slack && mm <= high + slack ? 1 : 0;
  }
  return flags;
}

/** Flags for the 256 values of the lesion volume: the visible lesion kinds. */
export function shownLesions(isDeepVisible: boolean, isPeriVisible: boolean): Uint8Array {
  const flags = new Uint8Array(TABLE_SIZE);
  flags[PERIVENTRICULAR] = isPeriVisible ? 1 : 0;
  flags[DEEP] = isDeepVisible ? 1 : 0;
  return flags;
}

/** A thickness range within 0..5 mm in steps of 0.1 mm, low ≤ high. */
export function thicknessRange(low: number, high: number): { low: number; high: number } {
  const clean = (mm: number) => Math.round(Math.min(Math.max(mm, 0), THICKNESS_MAX_MM) * 10) / 10;
  const [a, b] = [clean(low), clean(high)];
  return a <= b ? { low: a, high: b } : { low: b, high: a };
}
