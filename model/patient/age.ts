/**
 * Whole years between two dates `YYYY-MM-DD`, rounded down; `null` when one is unknown or they are
 * reversed.
 */
export function ageInYears(birthDate: string | null, atDate: string | null): number | null {
  if (!birthDate || !atDate || birthDate > atDate) return null;
  const years = Number(atDate.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return atDate.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/** Rounding of an age, and a birthday between two dates of one examination. */
const MAX_DIFFERENCE_YEARS = 1;

/**
 * Whether a date of birth and an age cannot both be right: anonymisers put 1900-01-01 and leave
 * Patient's Age.
 * @param computed Whole years from the date of birth. @param stated Whole years of Patient's Age
 *   (0010,1010).
 */
export const agesContradict = (computed: number | null, stated: number | null): boolean =>
  computed !== null && stated !== null && Math.abs(computed - stated) > MAX_DIFFERENCE_YEARS;

/**
 * The age of a patient at a study. Of a date of birth and an age that contradict, the stated age is
 * kept beside the date: both are marked wherever they are shown, and no norm is applied
 * (`doubtsOf`).
 */
export function ageAtStudy(
  birthDate: string | null,
  studyDate: string | null,
  stated: number | null,
): number | null {
  const computed = ageInYears(birthDate, studyDate);
  return agesContradict(computed, stated) ? stated : computed ?? stated;
}
