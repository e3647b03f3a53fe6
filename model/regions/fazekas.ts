/** Volumes at which the grade that a volume corresponds to goes up, mL. */
export const FAZEKAS_CUTOFFS_ML = [3.4, 9.6, 17.1] as const;

/** Grade 0..3 that the total volume corresponds to; the scale itself grades the pattern by eye. */
export const fazekasEquivalentOf = (totalMl: number): 0 | 1 | 2 | 3 =>
  FAZEKAS_CUTOFFS_ML.filter((cutoff) => totalMl >= cutoff).length as 0 | 1 | 2 | 3;
