/** Results at other systems that a correction or a signature makes outdated. */
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

/** Results that the physician's text is a part of. */
const WITH_TEXT: readonly string[] = ["report", "pages", "measurements", "hl7", "fhir"];

/** Whether results of a kind are others after a signature or its withdrawal. */
export const hasPhysiciansText = (kind: string): boolean => WITH_TEXT.includes(kind);

/**
 * Corrected results are sent this long after the last correction, so that one session of painting
 * is sent once.
 */
export const QUIET_MINUTES = 5;
