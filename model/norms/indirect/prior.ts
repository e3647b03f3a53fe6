import { isInvertedKey, type MeasureKey } from "@/model/regions/measures.ts";
import { ICV_MEAN_ML, type Measure } from "@/model/norms/norms.ts";
import { errorSpreads } from "@/model/norms/percentile_rank.ts";
import type { FitPrior } from "@/model/norms/indirect/healthy_fit.ts";

/** Minimum between-scanner SD, z: an error table from few heads may underestimate it. */
const MIN_OFFSET_SD = 0.1;

/**
 * Prior SDs of a measure's offset and scale at a site, from the table of measurement errors.
 * Evaluated at age 60, the middle of the normative sample. `null` without a norm or an error.
 */
export function priorOf(
  measure: Measure,
  key: MeasureKey,
  hasOpinion: boolean,
): FitPrior | null {
  const both = (["female", "male"] as const).map((sex) =>
    errorSpreads(measure, key, { age: 60, sex, icvMl: ICV_MEAN_ML[sex] }, hasOpinion)
  );
  const [woman, man] = both;
  if (!woman || !man) return null;
  return {
    offsetSd: Math.max(MIN_OFFSET_SD, (woman.biasSd + man.biasSd) / 2),
    randomSd: (woman.randomSd + man.randomSd) / 2,
    direction: isInvertedKey(key) ? 1 : -1,
  };
}
