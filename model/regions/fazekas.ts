/**
 * Total volumes, mL, at which a deep-learning segmentation separated the Fazekas grades best,
 * in 596 memory clinic patients of one hospital.
 * This product's segmentation differs, so the grade is only for comparison.
 * @see Joo 2022, doi:10.1371/journal.pone.0274562.
 */
export const FAZEKAS_CUTOFFS_ML = [3.4, 9.6, 17.1] as const;

/** Fazekas grade 0..3 for a total lesion volume, mL; Fazekas himself graded the visual pattern. */
export const fazekasEquivalentOf = (totalMl: number): 0 | 1 | 2 | 3 =>
  FAZEKAS_CUTOFFS_ML.filter((cutoff) => totalMl >= cutoff).length as 0 | 1 | 2 | 3;

/** Sort positions that belong to 0 mL and to the three cut-offs. */
const ORDER_AT = [50, 25, 5, 1] as const;

/**
 * Sort position of a lesion volume among percentiles counted from the abnormal end.
 * For sorting studies by deviation; not a percentile, because lesions have no norms.
 * Grade 1 begins at 25, grade 2 at 5, grade 3 at 1.
 * @returns 0..50; decreases with volume.
 */
export function lesionOrderOf(totalMl: number): number {
  const volumes = [0, ...FAZEKAS_CUTOFFS_ML], last = FAZEKAS_CUTOFFS_ML[2];
  if (totalMl >= last) return ORDER_AT[3] * last / totalMl;
  const at = volumes.findLastIndex((volume) => totalMl >= volume);
  const low = volumes[at]!, high = volumes[at + 1]!, from = ORDER_AT[at]!, to = ORDER_AT[at + 1]!;
  return from + (to - from) * (totalMl - low) / (high - low);
}
