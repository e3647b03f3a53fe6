import * as z from "zod/mini";
import { typedText } from "@/model/schema/typed_text.ts";

/** An archive (PACS) that users may search. */
const archive = z.object({ id: z.number(), name: z.string() });
export type Archive = z.infer<typeof archive>;
/** Response of `GET /api/v1/pacs`: the archives that the caller may search. */
export const archives = z.object({ systems: z.array(archive) });

const text = z.string().check(typedText, z.trim(), z.maxLength(64));
const date = z.union([z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)), z.literal("")]);
const uid = z.string().check(z.maxLength(64), z.regex(/^[0-9]+(\.[0-9]+)*$/));
/**
 * `POST /api/v1/pacs/{id}/search`: search terms; at least a name, number, UID or date is required.
 */
export const archiveSearch = z.object({
  patient_id: z._default(text, ""),
  /** prefix of the patient name (family name first) */
  patient_name: z._default(text, ""),
  accession_number: z._default(text, ""),
  /** Study Instance UID; empty: any study */
  study_uid: z._default(z.union([uid, z.literal("")]), ""),
  date_from: z._default(date, ""),
  date_to: z._default(date, ""),
});
export type ArchiveSearch = z.input<typeof archiveSearch>;

/** A study as described by an archive; attributes that the archive does not return are empty. */
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
  /** number of the study on this site; `null` for a study that is not stored */
  pid: z.nullable(z.number()),
});
export type ArchivedStudy = z.infer<typeof archivedStudy>;

/** Failure of the archive: key in model/text/site/connections.ts, and its error text. */
const failure = z.nullable(z.object({ failure: z.string(), text: z.string() }));

export const archiveFound = z.object({
  studies: z.array(archivedStudy),
  /** whether the archive returned more studies than the list contains */
  is_cut: z.boolean(),
  failure,
});
export type ArchiveFound = z.infer<typeof archiveFound>;

/** Body of `POST /api/v1/pacs/{id}/series`. */
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
  /** number of received images, and of images in the archive; 0: unknown */
  arrived: z.number(),
  expected: z.number(),
  failure,
  /** number of the study on this site; absent until it is stored */
  pid: z.nullable(z.number()),
});
export type Pull = z.infer<typeof pull>;
/**
 * Retrievals that the caller has requested, newest first: response of `GET /api/v1/pacs/pulls`,
 * and of `POST /api/v1/pacs/{id}/pulls`.
 */
export const pulls = z.object({ pulls: z.array(pull) });
