/** Decides which studies belong to one person and therefore share a pseudonym. */
import { createHmac } from "node:crypto";
import { personsAmong } from "@/model/patient/one_person.ts";
import type { RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { forgottenPersons } from "@/server/core/exports/service/forgotten_persons.ts";
import {
  heldBy,
  type HeldPerson,
  hold,
  holdersOf,
} from "@/server/core/exports/storage/pseudonyms.ts";
import { studyRecord, studyRecords } from "@/server/core/studies/storage/bin.ts";

type Study = RecordedIdentity & { study_uid: string };

/** The studies of a person, and a text that names the person by the present records. */
interface Group {
  person: string;
  studyUids: ReadonlySet<string>;
}

/** Hash that identifies a person without revealing the patient ID. */
const digestOf = (key: Uint8Array, person: string): string =>
  createHmac("sha256", key).update(`person:${person}`).digest("hex");

/**
 * The person of a study by the present records, including records in the bin.
 * If records with one patient ID contradict each other, birth date, sex and name count as well.
 * A study counts as a person of its own if the person remains uncertain.
 */
async function groupOf(db: Database, key: Uint8Array, study: Study): Promise<Group> {
  const { patient_id, study_uid } = study;
  const alone = { person: `study:${study_uid}`, studyUids: new Set([study_uid]) };
  // studies without a patient ID are never taken for one person
  if (patient_id === "") return alone;
  const forgotten = await forgottenPersons(db, key, patient_id);
  const id = `id:${patient_id}${forgotten > 0 ? ` after:${forgotten}` : ""}`;
  const records = await studyRecords(db, patient_id), persons = personsAmong(records);
  const uidsOf = (same: readonly Study[]) => new Set(same.map((one) => one.study_uid));
  if (persons.isOne) return { person: id, studyUids: uidsOf(records) };
  const person = persons.of(study);
  return person === null
    ? alone
    : { person: `${id} person:${person}`, studyUids: uidsOf(persons.sameAs(study, records)) };
}

interface Search {
  tx: Database;
  key: Uint8Array;
  own: Group;
}

/**
 * Whether a person keeps a pseudonym with which studies of other people were exported too.
 * The person named by the pseudonym keeps it; otherwise the person of the study exported first.
 */
async function isKept(
  { tx, key, own }: Search,
  { person, digest }: Pick<HeldPerson, "person" | "digest">,
): Promise<boolean> {
  if (person === own.person) return true;
  const holders = await holdersOf(tx, digest);
  for (const uid of holders) {
    const study = own.studyUids.has(uid) ? null : await studyRecord(tx, uid);
    if (study && (await groupOf(tx, key, study)).person === person) return false;
  }
  return own.studyUids.has(holders[0]!);
}

/** Text that names a person in a new pseudonym, with which no study was exported before. */
async function newPerson({ tx, key, own }: Search, studyUid: string): Promise<string> {
  const isFree = (await holdersOf(tx, digestOf(key, own.person))).length === 0;
  return isFree ? own.person : `${own.person} from:${studyUid}`;
}

/**
 * Returns and records the person that the pseudonym of an exported study is made from.
 * A person keeps the pseudonym when the patient ID is edited, merged or restored.
 * Two people never share a pseudonym, even after a deletion. Call this in a transaction.
 */
export async function personKey(tx: Database, key: Uint8Array, study: Study): Promise<string> {
  const own = await groupOf(tx, key, study), search = { tx, key, own };
  const held = await heldBy(tx, [...own.studyUids]);
  const wanted = [
    ...held.filter(({ person }) => person === own.person),
    ...held.filter(({ person }) => person !== own.person),
  ];
  let kept: string | null = null;
  for (const one of wanted) {
    if (kept === null && await isKept(search, one)) kept = one.person;
  }
  const person = kept ?? await newPerson(search, study.study_uid);
  await hold(tx, { studyUid: study.study_uid, person, digest: digestOf(key, person) });
  return person;
}
