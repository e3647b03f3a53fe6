import { BETWEEN_FORMS } from "@/model/worklist/person_names.ts";
import { foldText } from "@/model/worklist/search_text.ts";

/** Identity in a study's record, without the patient ID. */
export interface NamedPerson {
  /** name: its forms are separated by {@link BETWEEN_FORMS} */
  patient_name: string;
  /** birth date, YYYY-MM-DD */
  patient_birthdate: string | null;
  patient_sex: string | null;
}

/** A study's record with its patient ID. */
export interface RecordedIdentity extends NamedPerson {
  patient_id: string;
}

/** Reason why no two studies with a patient ID are taken for studies of one person. */
export type SharedId = "placeholder" | "several_people";

/** Maximum number of different persons with one ID that wrong or missing entries can explain. */
const MOST_PERSONS = 3;
/** Maximum number of different spellings of an identity that are compared; limits the time. */
const MOST_SPELLINGS = 2000;
/** Maximum number of different identities that one person's records have; limits the time. */
const MOST_IDENTITIES = 200;

/**
 * IDs that anonymisers and scanners write as placeholders, in lower case and without separators.
 */
const PLACEHOLDER =
  /^(0+|x{2,}|-*|anon|anonym|anonymous|anonymi[sz]ed|deidentified|unknown|unk|none|null|na|noid|nopatientid|익명|미상|匿名|不明)$/;

/** Whether a patient ID is a placeholder: several people have it, sooner or later. */
export const isPlaceholder = (patientId: string): boolean =>
  PLACEHOLDER.test(foldText(patientId).replaceAll(/[\s._/\\()-]/g, ""));

/**
 * Words in the names of newborns and of patients with an unknown name. Several people have such a
 * name: twins, siblings, or all unknown patients of an emergency room.
 */
const STAND_IN_WORDS = new Set(
  "baby babyboy babygirl newborn neonate infant twin triplet unknown unk unidentified anonymous noname"
    .split(" "),
);
const STAND_IN_PARTS = /아기|애기|신생아|쌍둥이|무명|미상|불상|익명|不明|匿名|ベビー|新生児/;

/** Whether a name replaces the unknown or future name of a person, so that others have it too. */
const isStandIn = (name: string): boolean => {
  const folded = foldText(name);
  return STAND_IN_PARTS.test(folded) ||
    (folded.match(/\p{Letter}+/gu) ?? []).some((word) => STAND_IN_WORDS.has(word));
};

const SCRIPTS = ["Latin", "Hangul", "Han", "Cyrillic", "Arabic", "Thai"] as const;
const SCRIPT_WORD = SCRIPTS.map((script) => new RegExp(`\\p{Script=${script}}+`, "gu"));

/** Words of a name, by script; and the same words joined without spaces. */
const wordsOf = (name: string): { words: string[]; letters: string }[] => {
  const forms = name.split(BETWEEN_FORMS).map(foldText);
  return SCRIPT_WORD.map((script) => {
    const words = [...new Set(forms.flatMap((form) => form.match(script) ?? []))];
    return { words, letters: words.join("") };
  });
};

/** An identity with its name prepared for comparisons. */
export interface Identity {
  record: NamedPerson;
  words: ReturnType<typeof wordsOf>;
}

/**
 * Whether two names share a script but no word in it. Another spelling, a
 * changed family name and another order of the words are no contradiction.
 */
function areOtherNames(a: Identity["words"], b: Identity["words"]): boolean {
  const common = a.flatMap((one, script) => {
    const other = b[script]!;
    return one.words.length > 0 && other.words.length > 0 ? [[one, other] as const] : [];
  });
  return common.length > 0 &&
    common.every(([one, other]) =>
      !one.words.some((word) => other.words.includes(word)) &&
      !one.letters.includes(other.letters) && !other.letters.includes(one.letters)
    );
}

/**
 * Whether two names are the same: in each script that both have, and in at least one, they have the
 * same words in any order, or the same letters without spaces. Names of newborns and of unknown
 * patients are never the same, since they do not identify a person.
 */
export function areSameNames(a: string, b: string): boolean {
  if (isStandIn(a) || isStandIn(b)) return false;
  const second = wordsOf(b);
  const common = wordsOf(a).flatMap((one, script) =>
    one.words.length > 0 && second[script]!.words.length > 0
      ? [[one, second[script]!] as const]
      : []
  );
  const sorted = ({ words }: Identity["words"][number]) => words.toSorted().join(" ");
  return common.length > 0 &&
    common.every(([one, other]) => one.letters === other.letters || sorted(one) === sorted(other));
}

const differ = (a: string | null, b: string | null): boolean => !!a && !!b && a !== b;

const contradict = (a: Identity, b: Identity): boolean =>
  differ(a.record.patient_birthdate, b.record.patient_birthdate) ||
  differ(a.record.patient_sex, b.record.patient_sex) || areOtherNames(a.words, b.words);

export const identityOf = (record: NamedPerson): Identity => ({
  record,
  words: wordsOf(record.patient_name),
});

/**
 * Whether the names of two records with one patient ID show that they are of two persons. With the
 * same birth date in both, another name is taken for a changed or differently romanised name.
 */
export const isOtherByName = (a: Identity, b: Identity): boolean => {
  const birth = a.record.patient_birthdate;
  return !(birth && birth === b.record.patient_birthdate) && areOtherNames(a.words, b.words);
};

const keyOf = ({ patient_birthdate, patient_sex }: NamedPerson, name: unknown): string =>
  JSON.stringify([patient_birthdate || null, patient_sex || null, name]);

/** Records that differ in the spelling of the name, the birth date or the sex. */
const differentRecords = (
  records: readonly NamedPerson[],
): NamedPerson[] => [
  ...new Map(records.map((record) => [keyOf(record, record.patient_name), record])).values(),
];

/** The different identities among records. Records with the same words in the name count as one. */
export function differentIdentities(records: readonly NamedPerson[]): Identity[] {
  const identities = differentRecords(records).map(identityOf);
  return [...new Map(identities.map((one) => [keyOf(one.record, one.words), one])).values()];
}

/** Whether birth date, sex or name of two records exclude that they are of one person. */
export const areOtherPeople = (a: RecordedIdentity, b: RecordedIdentity): boolean =>
  contradict(identityOf(a), identityOf(b));

/** Whether more than a number of identities contradict each other pairwise. */
const hasMoreThan = (most: number, identities: readonly Identity[]): boolean =>
  most === 0
    ? identities.length > 0
    : identities.length > most && identities.some((one, at) =>
      hasMoreThan(most - 1, identities.slice(at + 1).filter((other) => contradict(one, other)))
    );

/**
 * Reason why records with one patient ID cannot be assigned to persons; `null`: they can. With many
 * persons, equal or missing entries of two records agree by chance.
 */
export function sharedIdOf(records: readonly RecordedIdentity[]): SharedId | null {
  if (records.length < 2) return null;
  if (isPlaceholder(records[0]!.patient_id)) return "placeholder";
  const different = differentRecords(records);
  // one person's name has not as many spellings
  if (different.length > MOST_SPELLINGS) return "several_people";
  const identities = differentIdentities(different);
  if (identities.length <= MOST_PERSONS) return null;
  return identities.length > MOST_IDENTITIES || hasMoreThan(MOST_PERSONS, identities)
    ? "several_people"
    : null;
}
