import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { limitsOf, rankOfZ, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/** A rank as the viewer reads it, for tests: at a percentile, measured with next to no error or with one of `sd`. */
export const rankAt = (
  percentile: number,
  { isInverted = false, sd = 0, hasBands = true } = {},
): PercentileRank => ({
  ...rankOfZ(
    zOfPercentile(percentile),
    sd,
    { limits: limitsOf(DEFAULT_THRESHOLDS), isInverted },
    hasBands,
  ),
  percentile,
});
