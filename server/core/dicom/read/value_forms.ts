// Value formats required by PS3.5, 6.2, for the files that this program writes.
// Files received from other systems may violate these formats.
import { yearsOfAge } from "@/model/patient/age.ts";

/**
 * Age (AS): three digits and a unit. An age without unit is dropped: "42" may mean months.
 * Placeholders for an unknown age are dropped too.
 */
function age(value: string): string | undefined {
  if (yearsOfAge(value) === null) return undefined;
  const [, digits, unit] = /^(\d{1,3})\s*([DWMY])$/i.exec(value.trim()) ?? [];
  return digits === undefined ? undefined : digits.padStart(3, "0") + unit!.toUpperCase();
}

/** Date (DA): eight digits of a calendar date; separators of older files are removed. */
function date(value: string): string | undefined {
  const digits = value.trim().replace(/^(\d{4})[.-](\d{2})[.-](\d{2})$/, "$1$2$3");
  if (!/^\d{8}$/.test(digits)) return undefined;
  const iso = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`,
    day = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== iso ? undefined : digits;
}

/** Time (TM): hours, and optionally minutes, seconds and a fraction. */
function time(value: string): string | undefined {
  const digits = value.trim().replace(/^(\d{2}):(\d{2}):(\d{2})/, "$1$2$3");
  return /^([01]\d|2[0-3])([0-5]\d([0-5]\d|60)?)?$/.test(
      digits.replace(/(?<=^\d{6})\.\d{1,6}$/, ""),
    )
    ? digits
    : undefined;
}

const sex = (value: string): string | undefined => /^[MFO]$/i.exec(value.trim())?.[0].toUpperCase();

const FORMS: Readonly<Record<string, (value: string) => string | undefined>> = {
  PatientAge: age,
  PatientBirthDate: date,
  StudyDate: date,
  StudyTime: time,
  PatientSex: sex,
};

/** An attribute's value in the required format; `undefined` if it cannot be converted. */
export const validForm = (keyword: string, value: string): string | undefined =>
  value === "" ? undefined : FORMS[keyword] ? FORMS[keyword](value) : value;

/** Whether a text is a single DS or IS value. JavaScript would parse "2,1" as 2 and "3x" as 3. */
export const isDecimal = (text: string): boolean =>
  /^ *[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?[ \0]*$/i.test(text);
