import type { Database } from "@/server/core/database/database.ts";

/** Links an exported study to the person that its pseudonym is made from. */
export interface HeldPerson {
  studyUid: string;
  person: string;
  digest: string;
}

/** Maximum number of study UIDs in one SQL statement. */
const UIDS = 500;

/** Persons that the pseudonyms of exported studies are made from, first exported first. */
export async function heldBy(db: Database, studyUids: readonly string[]): Promise<HeldPerson[]> {
  const rows = [];
  for (let at = 0; at < studyUids.length; at += UIDS) {
    rows.push(
      ...await db.selectFrom("pseudonyms").selectAll()
        .where("study_uid", "in", studyUids.slice(at, at + UIDS)).execute(),
    );
  }
  return rows.sort((a, b) => a.id - b.id)
    .map(({ study_uid, person, digest }) => ({ studyUid: study_uid, person, digest }));
}

/** UIDs of studies exported under a person's pseudonym, in order; "" for a deleted study. */
export async function holdersOf(db: Database, digest: string): Promise<string[]> {
  const rows = await db.selectFrom("pseudonyms").select("study_uid").where("digest", "=", digest)
    .orderBy("id").execute();
  return rows.map(({ study_uid }) => study_uid);
}

export async function hold(
  db: Database,
  { studyUid, person, digest }: HeldPerson,
): Promise<void> {
  await db.insertInto("pseudonyms").values({ study_uid: studyUid, person, digest })
    .onConflict((conflict) => conflict.doNothing()).execute();
}

/** Deletes the pseudonym entries of a study that was permanently deleted. */
export async function releaseStudy(db: Database, studyUid: string): Promise<void> {
  await db.deleteFrom("pseudonyms").where("study_uid", "=", studyUid).execute();
}
