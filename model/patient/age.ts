/**
 * Whole years between two dates `YYYY-MM-DD`, rounded down.
 * `null` if a date is unknown, or the dates are reversed.
 */
export function ageInYears(birthDate: string | null, atDate: string | null): number | null {
  if (!birthDate || !atDate || birthDate > atDate) return null;
  const years = Number(atDate.slice(0, 4)) - Number(birthDate.slice(0, 4));
  return atDate.slice(5) < birthDate.slice(5) ? years - 1 : years;
}

/** Greatest recorded age of a person, years. */
export const MAX_AGE_YEARS = 122;

/** Years in one unit of an age in DICOM (VR AS): day, week, month or year. */
const UNIT_YEARS = { D: 1 / 365.25, W: 7 / 365.25, M: 1 / 12, Y: 1 };

/**
 * Whole years of a Patient's Age (AS: "042Y", "018M"; some scanners: fewer digits). `null` without
 * an age, and for zero or impossible ages, which are placeholders of anonymisers and worklists.
 * An age of days is computed from the birth date.
 */
export function yearsOfAge(value: string): number | null {
  const [, digits, unit] = /^(\d{1,3})\s*([DWMY])$/.exec(value.trim().toUpperCase()) ?? [];
  const years = Number(digits) * (UNIT_YEARS[unit as keyof typeof UNIT_YEARS] ?? NaN);
  // tolerance: 12 M must be one year, although a twelfth is no binary fraction
  return years > 0 && years <= MAX_AGE_YEARS ? Math.floor(years + 1e-9) : null;
}

/**
 * Tolerance in years: ages are rounded, and a birthday may fall between two dates of an
 * examination.
 */
const MAX_DIFFERENCE_YEARS = 1;

/**
 * Whether a birth date and an age contradict each other.
 * Some anonymisers write the birth date 1900-01-01 but keep Patient's Age.
 * @param computed Whole years from the birth date.
 * @param stated Whole years of Patient's Age (0010,1010).
 */
export const agesContradict = (computed: number | null, stated: number | null): boolean =>
  computed !== null && stated !== null && Math.abs(computed - stated) > MAX_DIFFERENCE_YEARS;

/**
 * Age of a patient at a study. If birth date and stated age contradict, the stated age is kept:
 * both are shown with a mark, and no norm is applied (`doubtsOf`).
 */
export function ageAtStudy(
  birthDate: string | null,
  studyDate: string | null,
  stated: number | null,
): number | null {
  const computed = ageInYears(birthDate, studyDate);
  return agesContradict(computed, stated) ? stated : computed ?? stated;
}

/** Dates that determine a patient's age at a study, YYYY-MM-DD. */
interface AgeDates {
  birthDate: string | null;
  studyDate: string | null;
}

/**
 * Age of a patient after an edit of the record. It changes only with the birth date or the study
 * date: otherwise a correction of the name would remove the mark of contradicting data.
 * @param before.stated Age in whole years that the images state.
 */
export const ageAfterEdit = (
  before: AgeDates & { age: number | null; stated: number | null },
  after: AgeDates,
): number | null =>
  before.birthDate === after.birthDate && before.studyDate === after.studyDate
    ? before.age
    : ageAtStudy(after.birthDate, after.studyDate, before.stated);
