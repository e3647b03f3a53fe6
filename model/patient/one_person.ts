import {
  areSameNames,
  differentIdentities,
  identityOf,
  isOtherByName,
  type NamedPerson,
  type RecordedIdentity,
  type SharedId,
  sharedIdOf,
} from "@/model/patient/shared_id.ts";

/** Identity in a study's record, without the patient ID and the name. */
export type RecordedPerson = Omit<NamedPerson, "patient_name">;

const agree = (a: string | null, b: string | null): boolean => !a || !b || a === b;

/**
 * Whether birth date and sex of two records with one patient ID allow one person. Two hospitals may
 * give the same ID, and anonymisers and worklists write placeholders.
 * The hospital's messages and orders are matched by this: they may change a name.
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

/**
 * {@link personsIn}, with the persons that only their names tell apart. A record that agrees with
 * two contradicting records is of no known person here either.
 */
function namedPersonsIn(
  all: readonly NamedPerson[],
): (own: NamedPerson) => string | null {
  const byBirthAndSex = personsIn(all), identities = differentIdentities(all);
  const hasOtherNames = (among: typeof identities) =>
    among.some((one, at) => among.slice(at + 1).some((other) => isOtherByName(one, other)));
  if (!hasOtherNames(identities)) return byBirthAndSex;
  return (own) => {
    const person = byBirthAndSex(own), identity = identityOf(own);
    if (person === null) return null;
    const sameBirthAndSex = identities.filter(({ record }) => mayBeOnePerson(own, record));
    const agreeing = sameBirthAndSex.filter((other) => !isOtherByName(identity, other));
    if (agreeing.length === sameBirthAndSex.length && !hasOtherNames(agreeing)) return person;
    if (hasOtherNames(agreeing)) return null;
    const names = agreeing.map(({ record }) => record.patient_name).filter((name) => name !== "");
    return `${person} ${names.toSorted().join(" / ")}`;
  };
}

/** Records with one patient ID, grouped by person. */
export interface Persons {
  /** key of a record's person; `null` for a record that may be of two persons */
  of: (record: NamedPerson) => string | null;
  /** why no two of the records are assigned to one person; `null` if they can be */
  shared: SharedId | null;
  /** Whether all records count as records of one person. */
  isOne: boolean;
  /** Studies of the same person as a given record, in order; empty if the person is unknown. */
  sameAs: <R extends NamedPerson>(own: NamedPerson, studies: readonly R[]) => R[];
  /** Studies of each known person, in order. */
  groups: <R extends NamedPerson>(studies: readonly R[]) => R[][];
}

/**
 * The persons among all records with one patient ID. Comparisons, reports, findings, history and
 * exports use this function to decide which studies are of one person.
 */
export function personsAmong(records: readonly RecordedIdentity[]): Persons {
  const shared = sharedIdOf(records);
  const named = shared ? () => null : namedPersonsIn(records);
  const found = new Map<string, string | null>();
  const personOf = ({ patient_name, patient_birthdate, patient_sex }: NamedPerson) => {
    const key = JSON.stringify([patient_name, patient_birthdate, patient_sex]);
    if (!found.has(key)) found.set(key, named({ patient_name, patient_birthdate, patient_sex }));
    return found.get(key)!;
  };
  const isOne = shared === null && mayAllBeOnePerson(records) &&
    new Set(records.map(personOf)).size <= 1 && !records.some((one) => personOf(one) === null);
  return {
    of: personOf,
    shared,
    isOne,
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

/**
 * Recorded attributes that show that two records with one patient ID are of two persons. The name
 * is among them only without equal birth dates.
 */
export const contradictionsOf = (a: NamedPerson, b: NamedPerson): PersonAttribute[] => [
  ...contradictionsOfPersons(a, b),
  ...isOtherByName(identityOf(a), identityOf(b)) ? ["name"] as const : [],
];
export type PersonAttribute = "birthdate" | "sex" | "name";

const contradictionsOfPersons = (a: RecordedPerson, b: RecordedPerson): PersonAttribute[] => [
  ...agree(a.patient_birthdate, b.patient_birthdate) ? [] : ["birthdate"] as const,
  ...agree(a.patient_sex, b.patient_sex) ? [] : ["sex"] as const,
];

/**
 * Whether a hospital's data about a patient ID are of the person in a record with this ID, so that
 * they may replace the record. A single contradiction is a correction of the birth date or the sex
 * if the names are the same; otherwise the hospital may have assigned the ID to a second person.
 */
export function isSurelyOf(record: RecordedIdentity, given: RecordedIdentity): boolean {
  const { length } = contradictionsOfPersons(record, given);
  return length === 0 || (length === 1 && areSameNames(record.patient_name, given.patient_name));
}
