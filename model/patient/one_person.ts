/** Identity in a study's record, beside its patient ID. */
export interface RecordedPerson {
  /** YYYY-MM-DD */
  patient_birthdate: string | null;
  patient_sex: string | null;
}

const agree = (a: string | null, b: string | null): boolean => !a || !b || a === b;

/**
 * Whether two records with one patient ID may be of one person. Two hospitals give the same numbers,
 * and anonymisers and worklists write placeholders. Names are not compared: they have many spellings
 * and change.
 */
export const mayBeOnePerson = (a: RecordedPerson, b: RecordedPerson): boolean =>
  agree(a.patient_birthdate, b.patient_birthdate) && agree(a.patient_sex, b.patient_sex);

/** Whether all records may be of one person: a record without dates contradicts none. */
export const mayAllBeOnePerson = (records: readonly RecordedPerson[]): boolean =>
  records.every((one, at) => records.slice(at + 1).every((other) => mayBeOnePerson(one, other)));
