/** What becomes of results that other systems have when a reader corrects what they are of. */
import type { SeriesKind } from "@/model/schema/studies/study.ts";

/** What a correction of a series does not change: the other series' segmentations, and what readers chose themselves. */
const UNTOUCHED: Readonly<Record<SeriesKind, readonly string[]>> = {
  t1: ["lesions", "changes", "key_images", "images"],
  t2: ["regions", "key_images", "images"],
};

/** Whether results of a kind are others after a correction of a series. */
export const isChangedBy = (series: SeriesKind, kind: string): boolean => !UNTOUCHED[series].includes(kind);

/** How long after the last correction corrected results are sent: what is painted in one go is sent once. */
export const QUIET_MINUTES = 5;
