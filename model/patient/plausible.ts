import { ageInYears, agesContradict, MAX_AGE_YEARS } from "@/model/patient/age.ts";

/** Names of the patient data that can be implausible. */
export type DoubtfulField = "patient_birthdate" | "study_date" | "patient_age";

/** Limits of plausible dates: first MR images of people; tolerance for scanner clocks ahead. */
const FIRST_STUDY = "1977-01-01", MAX_DAYS_AHEAD = 2, DAY_MS = 86_400_000;

/** Dates and age of a patient: dates are YYYY-MM-DD, the age is in whole years. */
interface Subject {
  patient_birthdate: string | null;
  study_date: string | null;
  patient_age: number | null;
}

/** Whether the birth date implies a different age than the stated one. */
export const isContradictory = (subject: Subject): boolean =>
  agesContradict(ageInYears(subject.patient_birthdate, subject.study_date), subject.patient_age);

/** Finds implausible or contradictory dates and ages, which are marked and prevent percentiles. */
export function doubtsOf(
  subject: Subject,
  nowMs: number = Date.now(),
): DoubtfulField[] {
  const { patient_birthdate: birth, study_date: study, patient_age: age } = subject;
  const today = new Date(nowMs + MAX_DAYS_AHEAD * DAY_MS).toISOString().slice(0, 10),
    doubts: DoubtfulField[] = [];
  const latest = study !== null && study < today ? study : today;
  const earliest = `${
    String(Number((study ?? today).slice(0, 4)) - MAX_AGE_YEARS).padStart(4, "0")
  }-01-01`;
  if (birth !== null && (birth > latest || birth < earliest)) doubts.push("patient_birthdate");
  if (study !== null && (study < FIRST_STUDY || study > today)) doubts.push("study_date");
  if (age !== null && (age < 0 || age > MAX_AGE_YEARS)) doubts.push("patient_age");
  if (isContradictory(subject)) {
    for (const field of ["patient_birthdate", "patient_age"] as const) {
      if (!doubts.includes(field)) doubts.push(field);
    }
  }
  return doubts;
}

/** Age for the norms; `null` with implausible dates, so that no norm is applied. */
export const soundAge = (subject: Parameters<typeof doubtsOf>[0], nowMs?: number): number | null =>
  doubtsOf(subject, nowMs).length > 0 ? null : subject.patient_age;
