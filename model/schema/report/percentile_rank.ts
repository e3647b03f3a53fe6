import * as z from "zod/mini";

/**
 * Rank of a measured value among healthy people, with the measurement error.
 * See `model/norms/percentile_rank.ts`. Levels count the thresholds that the value exceeds,
 * for fluid from the high end.
 */
export const percentileRank = z.object({
  /** percentile 0..100 of the value after removal of the method's bias */
  percentile: z.number(),
  /** ends of the 80 % interval; not shown unless `isDetermined` accepts it */
  low: z.number(),
  high: z.number(),
  /**
   * false: the error is too large for a percentile and a band
   * only the interval is shown, if the interval is informative
   */
  has_bands: z.boolean(),
  /** number of thresholds exceeded with a probability of at least 80 % */
  level: z.number(),
  /** number of thresholds exceeded with a probability of at least 50 %; never less than `level` */
  possible_level: z.number(),
  /** whether the value is within all thresholds with a probability of at least 80 % */
  is_usual: z.boolean(),
  /**
   * why the segmentation should be checked: the value is outside the range of the norms (`value`),
   * the sides differ implausibly (`sides`), or uncertain borders prevent a percentile (`region`)
   */
  doubt: z.nullable(z.enum(["value", "sides", "region"])),
});
export type PercentileRank = z.infer<typeof percentileRank>;
