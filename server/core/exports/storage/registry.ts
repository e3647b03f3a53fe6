import { DEMO_LABEL } from "@/model/schema/site/demo.ts";
import { labelKey } from "@/model/schema/worklist/labels.ts";
import type { Sex } from "@/model/norms/norms.ts";
import { imageDateColumn } from "@/server/core/database/image_date.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** Attributes of a study by which a person could be identified, as stored in the database. */
export interface StoredPlace {
  pid: number;
  patient_id: string;
  patient_birthdate: string | null;
  patient_age: number | null;
  patient_sex: Sex | null;
  study_date: string | null;
  /** study date by the images, as in the header */
  image_date: string | null;
  received_at: string | null;
  t1_engine: string | null;
  flair_engine: string | null;
  t1_scanner: string | null;
  t1_protocol: string | null;
  flair_scanner: string | null;
  flair_protocol: string | null;
}

/** Studies with an ended analysis, ordered by number, without those labelled as demo patients. */
const places = (db: Database) =>
  db.selectFrom("patients as p")
    .leftJoin("analyses as a1", "a1.id", "p.t1_analysis_id")
    .leftJoin("analyses as a2", "a2.id", "p.t2_analysis_id")
    .leftJoin("series as s1", "s1.id", "a1.series_id")
    .leftJoin("series as s2", "s2.id", "a2.series_id")
    .leftJoin("series_headers as h", "h.series_id", "a1.series_id")
    .select([
      "p.pid",
      "p.patient_id",
      "p.patient_birthdate",
      "p.patient_age",
      "p.patient_sex",
      "p.study_date",
      "p.created_at as received_at",
      "a1.engine_version as t1_engine",
      "a2.engine_version as flair_engine",
      "s1.scanner as t1_scanner",
      "s1.protocol as t1_protocol",
      "s2.scanner as flair_scanner",
      "s2.protocol as flair_protocol",
      imageDateColumn.as("image_date"),
    ])
    .where((e) =>
      e.or([
        e("a1.status", "in", ["completed", "failed"]),
        e("a2.status", "in", ["completed", "failed"]),
      ])
    )
    .where((e) =>
      e.not(e.exists(
        e.selectFrom("patient_labels as pl").innerJoin("labels as l", "l.id", "pl.label_id")
          .select("pl.pid").whereRef("pl.pid", "=", "p.pid")
          .where("l.name_key", "=", labelKey(DEMO_LABEL)),
      ))
    )
    .orderBy("p.pid");

/**
 * Reads the next `limit` studies after the study number `afterPid`.
 * @param demoPids Numbers of demo patients, of which a user may have removed the label.
 */
export const listPlaces = (
  db: Database,
  { afterPid, limit, demoPids }: {
    afterPid: number;
    limit: number;
    demoPids: readonly number[];
  },
): Promise<StoredPlace[]> =>
  places(db).where("p.pid", ">", afterPid)
    .where((e) => e.not(isAmong(db, "p.pid", numberList(db, demoPids)))).limit(limit).execute();

/** Reads the identifying attributes of given studies; studies deleted since are missing. */
export const readPlaces = (db: Database, pids: readonly number[]): Promise<StoredPlace[]> =>
  places(db).where("p.pid", "in", [...pids]).execute();

/** Number of studies for which a text was ever signed. */
export async function countSigned(db: Database): Promise<number> {
  const { n } = await db.selectFrom("report_texts")
    .select((e) => e.fn.count<number>("pid").distinct().as("n"))
    .where("state", "=", "signed").executeTakeFirstOrThrow();
  return Number(n);
}

/** Names of people at the site: users by name and by e-mail address, and authors of texts. */
export async function listPeople(db: Database): Promise<string[]> {
  const users = await db.selectFrom("users").select(["name", "email"]).execute();
  const authors = await db.selectFrom("report_texts").select("author").distinct().execute();
  return [
    ...users.flatMap(({ name, email }) => [name ?? "", (email ?? "").split("@")[0]!]),
    ...authors.map(({ author }) => author ?? ""),
  ];
}

/** Names and identifiers of a study's patient and staff, as stored by the site. */
export interface StoredIdentity {
  names: string[];
  identifiers: string[];
  institutions: string[];
}

/** Texts of some keys in stored JSON; damaged JSON gives none. */
function textsIn(json: string | null, keys: readonly string[]): string[] {
  try {
    const value = JSON.parse(json ?? "null") as Record<string, unknown> | null;
    return keys.flatMap((key) => typeof value?.[key] === "string" ? [value[key]] : []);
  } catch {
    return [];
  }
}

/** DICOM tags of institution name, address and department; tag of the station name. */
const INSTITUTION = ["00080080", "00080081", "00081040"], STATION = "00081010";

/** Adds the persons named in an image header (DICOM JSON, PS3.18 F.2), including staff. */
function addAttributes(identity: StoredIdentity, attributes: string | null): void {
  let json: Record<string, { vr?: string; Value?: unknown[] }>;
  try {
    json = JSON.parse(attributes ?? "{}") ?? {};
  } catch {
    return;
  }
  for (const [tag, { vr, Value: values }] of Object.entries(json)) {
    if (!Array.isArray(values)) continue;
    for (const value of values) {
      if (vr === "PN" && typeof value === "object" && value !== null) {
        for (const group of Object.values(value)) {
          if (typeof group === "string") identity.names.push(group);
        }
      }
      if (typeof value !== "string") continue;
      if (INSTITUTION.includes(tag)) identity.institutions.push(value);
      else if (tag === STATION) identity.identifiers.push(value);
    }
  }
}

/** All names and identifiers in a study's record, its earlier states, and its image headers. */
export async function identityOfStudy(db: Database, pid: number): Promise<StoredIdentity> {
  const identity: StoredIdentity = { names: [], identifiers: [], institutions: [] };
  const patient = await db.selectFrom("patients").select([
    "patient_name",
    "patient_id",
    "study_uid",
    "accession_number",
    "received_identity",
  ]).where("pid", "=", pid).executeTakeFirst();
  if (patient) {
    identity.names.push(
      patient.patient_name,
      ...textsIn(patient.received_identity, ["patientName"]),
    );
    identity.identifiers.push(
      patient.patient_id,
      patient.study_uid,
      patient.accession_number ?? "",
      ...textsIn(patient.received_identity, ["patientId"]),
    );
  }
  const series = await db.selectFrom("series").select("series_uid").where("pid", "=", pid)
    .execute();
  identity.identifiers.push(...series.map(({ series_uid }) => series_uid));
  const headers = await db.selectFrom("series_headers").select([
    "patient_name",
    "referring_physician",
    "patient_id",
    "accession_number",
    "study_id",
    "attributes",
  ]).where("pid", "=", pid).execute();
  for (const header of headers) {
    addAttributes(identity, header.attributes);
    identity.names.push(header.patient_name, header.referring_physician);
    identity.identifiers.push(header.patient_id, header.accession_number, header.study_id);
  }
  const changes = await db.selectFrom("identity_changes").select(["before", "after"])
    .where("pid", "=", pid).execute();
  for (const state of changes.flatMap(({ before, after }) => [before, after])) {
    identity.names.push(...textsIn(state, ["patientName"]));
    identity.identifiers.push(...textsIn(state, ["patientId"]));
  }
  return identity;
}
