/** Results at other systems that a change at this site makes outdated: the one table of the rule. */
import type { SeriesKind } from "@/model/schema/studies/study.ts";

/**
 * Results that a correction of a series leaves valid: segmentations of the other series, and the
 * readers' own choices.
 */
const UNTOUCHED: Readonly<Record<SeriesKind, readonly string[]>> = {
  t1: ["lesions", "changes", "key_images", "images"],
  t2: ["regions", "key_images", "images"],
};

/** Whether results of a kind are others after a correction of a series. */
export const isChangedBy = (series: SeriesKind, kind: string): boolean =>
  !UNTOUCHED[series].includes(kind);

/** The report in its forms; a message has it as a PDF. */
const REPORT = ["report", "pages", "hl7", "fhir"];

/**
 * Changes of results other than those of label maps, with the kinds of results that contain them:
 * - `signature`: a text was signed, or its signature withdrawn;
 * - `verdicts`: a reader confirmed or refused a changed lesion, or took that back;
 * - `grade`: a physician entered another MTA grade;
 * - `patient`: name, ID, sex, birth date or study date were edited, which every object names;
 * - `norms`: percentiles are read with other local norms.
 */
const CHANGED_KINDS = {
  signature: [...REPORT, "measurements"],
  verdicts: [...REPORT, "measurements", "changes"],
  grade: REPORT,
  patient: [...REPORT, "measurements", "regions", "lesions", "changes", "key_images"],
  norms: [...REPORT, "measurements"],
} as const satisfies Record<string, readonly string[]>;
export type ResultChange = keyof typeof CHANGED_KINDS;

/** Whether results of a kind are others after a change. */
export const isOutdatedBy = (change: ResultChange, kind: string): boolean =>
  (CHANGED_KINDS[change] as readonly string[]).includes(kind);

/**
 * Changed results are sent this long after the last change, so that one session of painting is sent
 * once. A signature ends the session and is sent at once.
 */
export const QUIET_MINUTES = 5;
