import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

const LOW = ["low", "very low"], HIGH = ["high", "very high"];

/**
 * The band of a rank for tables and DICOM objects, in English as their heads: "very low", "possibly low", "usual", "not
 * distinguishable from usual", "check segmentation", or "none" where the error is too large for a band. Bands begin at
 * the thresholds of {@link BAND_THRESHOLDS}.
 */
export function bandNameOf(rank: PercentileRank, isFluid: boolean): string {
  const names = isFluid ? HIGH : LOW, { level, possible_level: possible } = rank;
  if (!rank.has_bands) return "none";
  if (level > 0) {
    return possible > level ? `${names[level - 1]}, possibly ${names[possible - 1]}` : names[level - 1]!;
  }
  if (rank.doubt !== null) return "check segmentation";
  if (possible > 0) return `possibly ${names[possible - 1]}`;
  return rank.is_usual ? "usual" : "not distinguishable from usual";
}
