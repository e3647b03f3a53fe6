import * as z from "zod/mini";

/** An archive that may be searched. */
const archive = z.object({ id: z.number(), name: z.string() });
export type Archive = z.infer<typeof archive>;
/** `GET /api/v1/pacs`. */
export const archives = z.object({ systems: z.array(archive) });

const text = z.string().check(z.trim(), z.maxLength(64));
const date = z.union([z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)), z.literal("")]);
const uid = z.string().check(z.maxLength(64), z.regex(/^[0-9]+(\.[0-9]+)*$/));
/** `POST /api/v1/pacs/{id}/search`: search terms, at least a name, a number, a UID or a date. */
export const archiveSearch = z.object({
  patient_id: z._default(text, ""),
  /** beginning of the family name, or more of the name */
  patient_name: z._default(text, ""),
  accession_number: z._default(text, ""),
  /** of one study */
  study_uid: z._default(z.union([uid, z.literal("")]), ""),
  date_from: z._default(date, ""),
  date_to: z._default(date, ""),
});
export type ArchiveSearch = z.input<typeof archiveSearch>;

/** A study as described by an archive; attributes that it does not send are empty. */
const archivedStudy = z.object({
  study_uid: z.string(),
  patient_id: z.string(),
  patient_name: z.string(),
  birth_date: z.nullable(z.string()),
  study_date: z.nullable(z.string()),
  description: z.string(),
  accession_number: z.string(),
  modalities: z.array(z.string()),
  series: z.nullable(z.number()),
  images: z.nullable(z.number()),
  /** number of the study here, if it is here */
  pid: z.nullable(z.number()),
});
export type ArchivedStudy = z.infer<typeof archivedStudy>;

/**
 * A failure at the other side: a key of model/text/site/connections.ts, and the text that it sent.
 */
const failure = z.nullable(z.object({ failure: z.string(), text: z.string() }));

export const archiveFound = z.object({
  studies: z.array(archivedStudy),
  /** there are more than are shown */
  is_cut: z.boolean(),
  failure,
});
export type ArchiveFound = z.infer<typeof archiveFound>;

/** `POST /api/v1/pacs/{id}/series`: of which study. */
export const archivedSeriesRequest = z.object({ study_uid: uid });
const archivedSeries = z.object({
  number: z.nullable(z.number()),
  modality: z.string(),
  description: z.string(),
  images: z.nullable(z.number()),
});
export type ArchivedSeries = z.infer<typeof archivedSeries>;
export const archivedSeriesFound = z.object({ series: z.array(archivedSeries), failure });
export type ArchivedSeriesFound = z.infer<typeof archivedSeriesFound>;

export const MAX_PULLS = 50;
/** `POST /api/v1/pacs/{id}/pulls`. */
export const pullRequest = z.object({
  studies: z.array(z.object({
    study_uid: uid,
    description: z._default(text, ""),
    study_date: z._default(date, ""),
    images: z._default(z.number().check(z.int(), z.gte(0), z.lte(1e6)), 0),
  })).check(z.minLength(1), z.maxLength(MAX_PULLS)),
});
export type PullRequest = z.input<typeof pullRequest>;

const pull = z.object({
  id: z.number(),
  system: z.string(),
  study_uid: z.string(),
  description: z.string(),
  study_date: z.string(),
  state: z.enum(["waiting", "running", "done", "failed"]),
  /** images that have come, and that the archive has; 0: it did not say */
  arrived: z.number(),
  expected: z.number(),
  failure,
  /** the study here, once it is stored */
  pid: z.nullable(z.number()),
});
export type Pull = z.infer<typeof pull>;
/** Answer to a request, and `GET /api/v1/pacs/pulls`: one's own, newest first. */
export const pulls = z.object({ pulls: z.array(pull) });
