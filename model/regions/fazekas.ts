/**
 * Total volumes at which a deep-learning segmentation separated the grades of the Fazekas scale
 * best, mL: 596 people with memory complaints of one hospital. Ours is another segmentation: the
 * grade is a comparison, no grading.
 * @see Joo 2022, doi:10.1371/journal.pone.0274562.
 */
export const FAZEKAS_CUTOFFS_ML = [3.4, 9.6, 17.1] as const;

/** Grade 0..3 that the total volume corresponds to; the scale itself grades the pattern by eye. */
export const fazekasEquivalentOf = (totalMl: number): 0 | 1 | 2 | 3 =>
  FAZEKAS_CUTOFFS_ML.filter((cutoff) => totalMl >= cutoff).length as 0 | 1 | 2 | 3;

/** Places of 0 mL and of the cut-offs in the order of findings. */
const ORDER_AT = [50, 25, 5, 1] as const;

/**
 * Position of a lesion load among percentiles of volumes, counted from their conspicuous end, for
 * sorting studies by deviation. It is not a percentile: lesions have no norms. Grade 1 begins at
 * 25, 2 at 5, 3 at 1.
 * @returns 0..50; less with every mL.
 */
export function lesionOrderOf(totalMl: number): number {
  const volumes = [0, ...FAZEKAS_CUTOFFS_ML], last = FAZEKAS_CUTOFFS_ML[2];
  if (totalMl >= last) return ORDER_AT[3] * last / totalMl;
  const at = volumes.findLastIndex((volume) => totalMl >= volume);
  const low = volumes[at]!, high = volumes[at + 1]!, from = ORDER_AT[at]!, to = ORDER_AT[at + 1]!;
  return from + (to - from) * (totalMl - low) / (high - low);
}
