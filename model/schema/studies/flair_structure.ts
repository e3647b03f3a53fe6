import * as z from "zod/mini";

/**
 * A deep structure measured on a FLAIR series without a T1w series. Volumes in mL (2 decimals);
 * `low` to `high` is the 80 % interval of the total.
 */
export const flairStructure = z.object({
  part_index: z.array(z.number()).check(z.minLength(1), z.maxLength(2)),
  brain_regions: z.string(),
  volume_left: z.nullable(z.number()),
  volume_right: z.nullable(z.number()),
  volume_total: z.number(),
  low: z.number(),
  high: z.number(),
});
export type FlairStructure = z.infer<typeof flairStructure>;
