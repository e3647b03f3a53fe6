// Forms that PS3.5, 6.2 demands of values. Files from the field break them; an object of ours
// repeats none of that.

/** AS: three digits and a unit. Of an age without a unit nothing is written: "42" may be months. */
function age(value: string): string | undefined {
  const [, digits, unit] = /^(\d{1,3})\s*([DWMY])$/i.exec(value.trim()) ?? [];
  return digits === undefined ? undefined : digits.padStart(3, "0") + unit!.toUpperCase();
}

/** DA: eight digits, a day of the calendar; dots and hyphens of older files are left out. */
function date(value: string): string | undefined {
  const digits = value.trim().replace(/^(\d{4})[.-](\d{2})[.-](\d{2})$/, "$1$2$3");
  if (!/^\d{8}$/.test(digits)) return undefined;
  const iso = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`,
    day = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== iso ? undefined : digits;
}

/** TM: hours, and minutes, seconds and a fraction where they are there. */
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

/**
 * An attribute's value as the standard demands it; `undefined` when nothing valid can be made of
 * it.
 */
export const validForm = (keyword: string, value: string): string | undefined =>
  value === "" ? undefined : FORMS[keyword] ? FORMS[keyword](value) : value;

/**
 * Whether a text is one DS or IS value. JavaScript's own readers take "2,1" for 2 and "3x" for 3.
 */
export const isDecimal = (text: string): boolean =>
  /^ *[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[ \0]*$/i.test(text);
