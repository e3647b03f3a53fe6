import {
  areSameNames,
  type RecordedIdentity,
  type SharedId,
  sharedIdOf,
} from "@/model/patient/shared_id.ts";

/** Identity in a study's record, without the patient ID. */
export interface RecordedPerson {
  /** birth date, YYYY-MM-DD */
  patient_birthdate: string | null;
  patient_sex: string | null;
}

const agree = (a: string | null, b: string | null): boolean => !a || !b || a === b;

/**
 * Whether two records with one patient ID may be of one person. Two hospitals may give the same ID,
 * and anonymisers and worklists write placeholders.
 * Names are not compared: names change and have many spellings.
 */
export const mayBeOnePerson = (a: RecordedPerson, b: RecordedPerson): boolean =>
  agree(a.patient_birthdate, b.patient_birthdate) && agree(a.patient_sex, b.patient_sex);

/** Whether all records may be of one person: a record without dates contradicts no other. */
export const mayAllBeOnePerson = (records: readonly RecordedPerson[]): boolean =>
  (["patient_birthdate", "patient_sex"] as const).every((attribute) =>
    new Set(records.map((record) => record[attribute]).filter(Boolean)).size <= 1
  );

type Known = "patient_birthdate" | "patient_sex";

/** Maps each value of one attribute to the values of another attribute; `null`: not recorded. */
function valuesBy(all: readonly RecordedPerson[], of: Known, by: Known) {
  const values = new Map<string | null, Set<string>>();
  for (const record of all) {
    const value = record[of], set = values.get(record[by] || null) ?? new Set();
    values.set(record[by] || null, set);
    if (value) set.add(value);
  }
  return values;
}

/**
 * Key of the person that each record is of. `null` for a record that may be of two
 * persons, because it agrees with two records that contradict each other.
 */
function personsIn(all: readonly RecordedPerson[]): (own: RecordedPerson) => string | null {
  const births = valuesBy(all, "patient_birthdate", "patient_sex"),
    sexes = valuesBy(all, "patient_sex", "patient_birthdate");
  const agreeing = (own: string | null, other: string | null, values: typeof births) =>
    own
      ? new Set([own])
      : other
      ? new Set([...values.get(other) ?? [], ...values.get(null) ?? []])
      : new Set([...values.values()].flatMap((set) => [...set]));
  return ({ patient_birthdate: birth, patient_sex: sex }) => {
    const [possibleBirths, possibleSexes] = [
      agreeing(birth, sex, births),
      agreeing(sex, birth, sexes),
    ];
    if (possibleBirths.size > 1 || possibleSexes.size > 1) return null;
    return `${[...possibleBirths][0] ?? ""} ${[...possibleSexes][0] ?? ""}`;
  };
}

/** Records with one patient ID, grouped by person. */
export interface Persons {
  /** key of a record's person; `null` for a record that may be of two persons */
  of: (record: RecordedPerson) => string | null;
  /** why no two of the records are assigned to one person; `null` if they can be */
  shared: SharedId | null;
  /** Whether all records count as records of one person. */
  isOne: boolean;
  /** Studies of the same person as a given record, in order; empty if the person is unknown. */
  sameAs: <R extends RecordedPerson>(own: RecordedPerson, studies: readonly R[]) => R[];
  /** Studies of each known person, in order. */
  groups: <R extends RecordedPerson>(studies: readonly R[]) => R[][];
}

/**
 * The persons among all records with one patient ID. Comparisons, reports, findings, history and
 * exports use this function to decide which studies are of one person.
 */
export function personsAmong(records: readonly RecordedIdentity[]): Persons {
  const shared = sharedIdOf(records), personOf = shared ? () => null : personsIn(records);
  return {
    of: personOf,
    shared,
    isOne: shared === null && mayAllBeOnePerson(records),
    sameAs: (own, studies) => {
      const person = personOf(own);
      return person === null ? [] : studies.filter((study) => personOf(study) === person);
    },
    groups: (studies) => {
      const ofPersons = studies.filter((study) => personOf(study) !== null);
      return [...Map.groupBy(ofPersons, personOf).values()];
    },
  };
}

/** Recorded attributes in which two records contradict each other. */
export const contradictionsOf = (a: RecordedPerson, b: RecordedPerson): PersonAttribute[] => [
  ...agree(a.patient_birthdate, b.patient_birthdate) ? [] : ["birthdate"] as const,
  ...agree(a.patient_sex, b.patient_sex) ? [] : ["sex"] as const,
];
export type PersonAttribute = "birthdate" | "sex";

/**
 * Whether a hospital's data about a patient ID are of the person in a record with this ID, so that
 * they may replace the record. A single contradiction is a correction of the birth date or the sex
 * if the names are the same; otherwise the hospital may have assigned the ID to a second person.
 */
export function isSurelyOf(record: RecordedIdentity, given: RecordedIdentity): boolean {
  const { length } = contradictionsOf(record, given);
  return length === 0 || (length === 1 && areSameNames(record.patient_name, given.patient_name));
}
