import { type BenchSizes, USUAL_SIZES } from "@/viewer/bench/cases.ts";
import type { OwnVolume } from "@/viewer/bench/own_volume.ts";

/** Data and sizes of a run. */
export interface BenchChoice {
  /** a volume of the user's own, or `null` */
  own: OwnVolume | null;
  /** side of a pane, pixels */
  pane: number;
}
export const USUAL_CHOICE: BenchChoice = { own: null, pane: USUAL_SIZES.pane };

/** Sizes of the inputs of a benchmark run. */
export const sizesOf = ({ own, pane }: BenchChoice): BenchSizes => ({
  ...USUAL_SIZES,
  pane,
  ...(own && { shape: own.shape, file: own.shape, dtype: own.dtype }),
});
