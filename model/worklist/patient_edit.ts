import { isDay } from "@/model/time/day.ts";
import {
  hasControlCharacter,
  MAX_IDENTITY_LENGTH,
  type PatientRow,
  type PatientUpdate,
} from "@/model/schema/studies/patients.ts";

/** Edit form of a row, as typed; dates are `YYYY-MM-DD`, empty, or incomplete input. */
export interface PatientForm {
  patient_id: string;
  patient_name: string;
  patient_sex: "male" | "female" | "";
  patient_birthdate: string;
  study_date: string;
}
export type PatientField = keyof PatientForm;

/** Fields of the edit form in the order of the row. */
const PATIENT_FIELDS = [
  "patient_id",
  "patient_name",
  "patient_sex",
  "patient_birthdate",
  "study_date",
] as const satisfies readonly PatientField[];

/** Validation error of a field (D1 §5), or of the age that results from the two dates. */
type PatientProblem = "required" | "tooLong" | "controlCharacter" | "check";
export type PatientProblems = Partial<Record<PatientField | "age", PatientProblem>>;

/** Maximum age, years: a larger age means that one of the dates is wrong. */
const MAX_AGE = 199;

export const formOfRow = (row: PatientRow): PatientForm => ({
  patient_id: row.patient_id,
  patient_name: row.patient_name,
  patient_sex: row.patient_sex ?? "",
  patient_birthdate: row.patient_birthdate ?? "",
  study_date: row.study_date ?? "",
});

/** Fields that differ between two forms, ignoring leading and trailing spaces. */
export const changedFields = (a: PatientForm, b: PatientForm): PatientField[] =>
  PATIENT_FIELDS.filter((field) => a[field].trim() !== b[field].trim());

/**
 * Age in whole years at the study; `null` when a date is missing or impossible.
 * Negative when the birth date is later.
 */
export function ageOf(form: PatientForm): number | null {
  const { patient_birthdate: birth, study_date: study } = form;
  if (!isDay(birth) || !isDay(study)) return null;
  const years = Number(study.slice(0, 4)) - Number(birth.slice(0, 4));
  return study.slice(5) < birth.slice(5) ? years - 1 : years;
}

/**
 * Validates the form by D1 §5.
 *
 * @param before The stored values:
 * an unchanged study date of the images may be in the future, an edited one may not.
 * @param today  Date at the hospital, `YYYY-MM-DD`.
 */
export function problemsOfPatient(
  form: PatientForm,
  before: PatientForm,
  today: string,
): PatientProblems {
  const problems: PatientProblems = {};
  for (const field of ["patient_id", "patient_name"] as const) {
    const text = form[field].trim();
    if (text.length === 0) problems[field] = "required";
    else if (text.length > MAX_IDENTITY_LENGTH) problems[field] = "tooLong";
    else if (hasControlCharacter(text)) problems[field] = "controlCharacter";
  }
  if (form.patient_sex === "") problems.patient_sex = "check";
  for (const field of ["patient_birthdate", "study_date"] as const) {
    const isAhead = form[field] > today && form[field] !== before[field];
    if (!isDay(form[field]) || isAhead) problems[field] = "check";
  }
  const age = ageOf(form);
  if (age !== null && (age < 0 || age > MAX_AGE)) problems.age = "check";
  return problems;
}

/** Request body of a valid form. */
export const updateOf = (form: PatientForm): PatientUpdate => ({
  ...form,
  patient_id: form.patient_id.trim(),
  patient_name: form.patient_name.trim(),
  patient_sex: form.patient_sex === "female" ? "female" : "male",
});

/** A row being edited, and its position on the page. */
export interface EditedRow {
  row: PatientRow;
  index: number;
}

/**
 * Rows of a page; the row being edited keeps its position, even when it no longer matches the list.
 */
export function withEdited(
  rows: readonly PatientRow[],
  edited: EditedRow | null,
): readonly PatientRow[] {
  if (edited === null || rows.some(({ pid }) => pid === edited.row.pid)) return rows;
  return [...rows.slice(0, edited.index), edited.row, ...rows.slice(edited.index)];
}
