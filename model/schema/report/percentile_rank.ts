import * as z from "zod/mini";

/**
 * Position of a measured value among healthy people, with the error of the method: see
 * `model/norms/percentile_rank.ts`. Levels count the thresholds that the value is beyond; of fluid,
 * from the other end.
 */
export const percentileRank = z.object({
  /** 0..100, of the value without the method's bias */
  percentile: z.number(),
  /** 80 % interval; not shown unless `isDetermined` accepts it */
  low: z.number(),
  high: z.number(),
  /**
   * false: the error is too large for a percentile and a band; the interval alone is shown, if it
   * says something
   */
  has_bands: z.boolean(),
  /** holds with 80 % or more */
  level: z.number(),
  /** holds with 50 % or more; at least `level` */
  possible_level: z.number(),
  /** beyond no threshold with 80 % or more */
  is_usual: z.boolean(),
  /**
   * the value is beyond the range of the norms, or its sides differ by more; or the sources of the
   * region's borders disagree, so that it has no percentile: check the segmentation
   */
  doubt: z.nullable(z.enum(["value", "sides", "region"])),
});
export type PercentileRank = z.infer<typeof percentileRank>;
