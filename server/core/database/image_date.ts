// Study date as the images state it. An edit of the study's record does not change it.
import { sql } from "kysely";

/**
 * Study date of the images, ISO 8601 or as in DICOM. Needs the tables `patients as p` and
 * `series_headers as h`. An edited record has the date of the header; `null` if that is not read
 * yet. The record of a study that was never edited has the date of the images.
 */
export const imageDateColumn = sql<string | null>`CASE
  WHEN p.received_identity IS NULL OR p.study_date_source IS NOT NULL THEN p.study_date
  ELSE h.study_date END`;

/** The date of {@link imageDateColumn} in ISO 8601; `null` for an absent or unusual date. */
export function isoImageDate(date: string | null): string | null {
  const [, year, month, day] = /^(\d{4})[-.]?(\d\d)[-.]?(\d\d)$/.exec(date?.trim() ?? "") ?? [];
  const iso = `${year}-${month}-${day}`;
  return Number.isNaN(Date.parse(iso)) ? null : iso;
}
