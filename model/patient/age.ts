/**
 * Whole years between two dates `YYYY-MM-DD`, rounded down;
 * `null` when one is unknown or they are reversed.
 */
export function ageInYears(birthDate: string | null, atDate: string | null): number | null {
  if (!birthDate || !atDate || birthDate > atDate) return null;
  const years = Number(atDate.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return atDate.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/**
 * Tolerance, years: ages are rounded, and a birthday may fall between two dates of an examination.
 */
const MAX_DIFFERENCE_YEARS = 1;

/**
 * Whether a birth date and an age contradict: some anonymisers write the birth date 1900-01-01
 * but keep Patient's Age.
 * @param computed Whole years from the birth
 * date. @param stated Whole years of Patient's Age (0010,1010).
 */
export const agesContradict = (computed: number | null, stated: number | null): boolean =>
  computed !== null && stated !== null && Math.abs(computed - stated) > MAX_DIFFERENCE_YEARS;

/**
 * Age of a patient at a study. When the birth date and the stated age contradict, the stated age is
 * kept: both are marked wherever they are shown, and no norm is applied (`doubtsOf`).
 */
export function ageAtStudy(
  birthDate: string | null,
  studyDate: string | null,
  stated: number | null,
): number | null {
  const computed = ageInYears(birthDate, studyDate);
  return agesContradict(computed, stated) ? stated : computed ?? stated;
}
