import { createHmac } from "node:crypto";
import { mayBeOnePerson } from "@/model/patient/one_person.ts";
import type { RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import { heldBy, hold, releaseStudy } from "@/server/core/exports/storage/pseudonyms.ts";
import { studyRecords } from "@/server/core/studies/storage/bin.ts";

const SITE = "site", SCOPE = "forgotten_persons";
/** Name of the setting with the secret key for pseudonyms. */
export const PSEUDONYM_KEY = "deidentification_key";

/** Secret key for the site's pseudonyms; `null` before the first export. */
export async function pseudonymKey(db: Database): Promise<Uint8Array | null> {
  const stored = (await readSettings(db, SITE))[PSEUDONYM_KEY];
  return typeof stored === "string" ? Buffer.from(stored, "hex") : null;
}

/** Name under which a patient ID has an entry in the settings; does not reveal the ID. */
const nameOf = (key: Uint8Array, patientId: string): string =>
  createHmac("sha256", key).update(`forgotten:${patientId}`).digest("hex");

/** Number of people with a patient ID of whom all studies were permanently deleted. */
export async function forgottenPersons(
  db: Database,
  key: Uint8Array,
  patientId: string,
): Promise<number> {
  return Number((await readSettings(db, SCOPE))[nameOf(key, patientId)] ?? 0);
}

/**
 * Records that a study was permanently deleted; call it in the transaction that deletes the study.
 * After the last study of a person, the next person with the same ID gets another pseudonym.
 * Nothing is recorded if the site has not exported any study.
 */
export async function forgetStudy(
  tx: Database,
  record: RecordedIdentity & { study_uid: string },
): Promise<void> {
  const { patient_id, study_uid } = record, key = await pseudonymKey(tx);
  if (key === null) return;
  const others = patient_id === "" ? [] : await studyRecords(tx, patient_id);
  const heir = others.find((other) => mayBeOnePerson(other, record));
  // the pseudonym goes to another study of the person; without one it remains reserved
  for (const { digest, person } of await heldBy(tx, [study_uid])) {
    await hold(tx, { digest, studyUid: heir?.study_uid ?? "", person: heir ? person : "" });
  }
  await releaseStudy(tx, study_uid);
  if (heir || patient_id === "") return;
  const count = 1 + await forgottenPersons(tx, key, patient_id);
  await writeSettings(tx, SCOPE, { [nameOf(key, patient_id)]: count });
}
