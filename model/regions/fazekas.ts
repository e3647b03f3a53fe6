/**
 * Total volumes at which a deep-learning segmentation told the grades of the Fazekas scale apart best, mL: 596 people with
 * memory complaints of one hospital. Ours is another segmentation: the grade is a comparison, no grading.
 * @see Joo 2022, doi:10.1371/journal.pone.0274562.
 */
export const FAZEKAS_CUTOFFS_ML = [3.4, 9.6, 17.1] as const;

/** Grade 0..3 that the total volume corresponds to; the scale itself grades the pattern by eye. */
export const fazekasEquivalentOf = (totalMl: number): 0 | 1 | 2 | 3 =>
  FAZEKAS_CUTOFFS_ML.filter((cutoff) => totalMl >= cutoff).length as 0 | 1 | 2 | 3;
