import { type BenchSizes, USUAL_SIZES } from "@/viewer/bench/cases.ts";
import type { OwnVolume } from "@/viewer/bench/own_volume.ts";

/** Input data and sizes that the user has chosen for a run. */
export interface BenchChoice {
  /** volume from the user's file, or `null` for a synthetic volume */
  own: OwnVolume | null;
  /** side of a square pane, pixels */
  pane: number;
}
export const USUAL_CHOICE: BenchChoice = { own: null, pane: USUAL_SIZES.pane };

/** Sizes of the inputs of a benchmark run. */
export const sizesOf = ({ own, pane }: BenchChoice): BenchSizes => ({
  ...USUAL_SIZES,
  pane,
  ...(own && { shape: own.shape, file: own.shape, dtype: own.dtype }),
});
