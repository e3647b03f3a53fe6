import { type RecordedIdentity, type SharedId, sharedIdOf } from "@/model/patient/shared_id.ts";

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
  (["patient_birthdate", "patient_sex"] as const).every((attribute) =>
    new Set(records.map((record) => record[attribute]).filter(Boolean)).size <= 1
  );

type Known = "patient_birthdate" | "patient_sex";

/** Values of one attribute, by the value of the other one; `null`: not recorded. */
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
 * Person of each of the records with one patient ID, as a key; `null` for a record that may be of two
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

/** Records with one patient ID, by the person that each is of. */
export interface Persons {
  /** key of a record's person; `null`: it may be of two persons */
  of: (record: RecordedPerson) => string | null;
  /** why no two records are taken for one person's; `null`: they can be */
  shared: SharedId | null;
  /** Whether all records are taken for one person's. */
  isOne: boolean;
  /** Studies of the own person, in their order; empty when the own person is unknown. */
  sameAs: <R extends RecordedPerson>(own: RecordedPerson, studies: readonly R[]) => R[];
  /** Studies of each known person, in their order. */
  groups: <R extends RecordedPerson>(studies: readonly R[]) => R[][];
}

/**
 * The persons among all records with one patient ID. Comparisons, reports, findings, the history and
 * exports ask this one function which studies are one person's.
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
      const known = studies.filter((study) => personOf(study) !== null);
      return [...Map.groupBy(known, personOf).values()];
    },
  };
}

/** Recorded attributes in which two records contradict each other. */
export const contradictionsOf = (a: RecordedPerson, b: RecordedPerson): PersonAttribute[] => [
  ...agree(a.patient_birthdate, b.patient_birthdate) ? [] : ["birthdate"] as const,
  ...agree(a.patient_sex, b.patient_sex) ? [] : ["sex"] as const,
];
export type PersonAttribute = "birthdate" | "sex";
