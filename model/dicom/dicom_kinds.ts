import { printedPercentile, shownRank } from "@/model/norms/rank_format.ts";
import type { DicomKind } from "@/model/schema/report/dicom.ts";
import type { RegionData } from "@/model/schema/studies/patients.ts";

/** Results of an analysed study that can be exported as DICOM. */
export const dicomKindsOf = (
  { hasT1, hasFlair, hasChanges = false, hasThickness = false, hasPercentiles = false }: {
    hasT1: boolean;
    hasFlair: boolean;
    hasChanges?: boolean;
    hasThickness?: boolean;
    hasPercentiles?: boolean;
  },
): DicomKind[] => [
  "report",
  "measurements",
  ...hasT1 ? ["regions" as const] : [],
  ...hasFlair ? ["lesions" as const, "outlines" as const] : [],
  ...hasChanges ? ["changes" as const] : [],
  ...hasT1 && hasThickness ? ["thickness" as const] : [],
  ...hasT1 && hasPercentiles ? ["percentiles" as const] : [],
];

/**
 * Whether a percentile map can be made: a region has a percentile, and the scanner is accepted.
 * A map cannot show the mark of a scanner that is not accepted: `scanner_not_accepted` if this is
 * the only reason against a map.
 */
export function percentileMapOf(
  regions: readonly RegionData[],
  warnings: readonly string[],
): "possible" | "scanner_not_accepted" | "no_percentiles" {
  const hasPercentile = regions.some((row) =>
    (row.part_index.length === 1 ? ["total" as const] : ["left" as const, "right" as const])
      .some((side) => printedPercentile(shownRank(row, side)) !== null)
  );
  if (!hasPercentile) return "no_percentiles";
  return warnings.includes("scanner_not_accepted") ? "scanner_not_accepted" : "possible";
}
