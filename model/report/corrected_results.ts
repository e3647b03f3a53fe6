/** Table of the sent results that become outdated when something changes at this site. */
import type { SeriesKind } from "@/model/schema/studies/study.ts";

/**
 * Result kinds that a correction of a series leaves valid:
 * segmentations of the other series, and the users' choices of images.
 */
const UNTOUCHED: Readonly<Record<SeriesKind, readonly string[]>> = {
  t1: ["lesions", "outlines", "changes", "key_images", "images"],
  t2: ["regions", "thickness", "percentiles", "key_images", "images"],
};

/** Whether a correction of a series changes results of a kind. */
export const isChangedBy = (series: SeriesKind, kind: string): boolean =>
  !UNTOUCHED[series].includes(kind);

/** Result kinds that contain the report; an HL7 message contains it as a PDF. */
const REPORT = ["report", "pages", "hl7", "fhir"];

/**
 * Other changes of results than those of label maps, with the kinds of results that contain them:
 * - `signature`: a text was signed, or a signature withdrawn;
 * - `verdicts`: a user confirmed or rejected a changed lesion, or withdrew the verdict;
 * - `grade`: a physician entered another MTA grade;
 * - `patient`: name, ID, sex, birth date or study date were edited, which all objects contain;
 * - `norms`: percentiles use other local norms;
 * - `visits`: a compared study was deleted, is of another person, or is compared again.
 */
const CHANGED_KINDS = {
  signature: [...REPORT, "measurements", "outlines"],
  verdicts: [...REPORT, "measurements", "changes"],
  grade: REPORT,
  patient: [
    ...REPORT,
    "measurements",
    "regions",
    "lesions",
    "outlines",
    "changes",
    "thickness",
    "percentiles",
    "key_images",
  ],
  norms: [...REPORT, "measurements", "percentiles"],
  visits: [...REPORT, "measurements", "changes"],
} as const satisfies Record<string, readonly string[]>;
export type ResultChange = keyof typeof CHANGED_KINDS;

/** Whether a change at this site outdates results of a kind. */
export const isOutdatedBy = (change: ResultChange, kind: string): boolean =>
  (CHANGED_KINDS[change] as readonly string[]).includes(kind);

/**
 * Delay in minutes between the last change and sending changed results: a series of strokes is sent
 * once. A signature is sent at once.
 */
export const QUIET_MINUTES = 5;
