import { type ReadingFile, readingFile } from "@/model/schema/reading/reading_studies.ts";
import type { ReadingArm } from "@/model/schema/reading/reading_studies.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";

/** Image files, which both arms of a reading study show. */
export const IMAGE_FILES: readonly ReadingFile[] = ["t1w_file", "t2w_file"];
const FLAIR_FILES: readonly ReadingFile[] = ["t2w_file", "t2w_mask_file"];

/**
 * Files that an arm of a reading study shows: images alone, or also the maps of the results.
 * A FLAIR that was analysed before the T1w is on another grid, which the panes cannot show.
 */
export function filesOfArm(
  patient: Pick<Patient, ReadingFile | "wmh_detail">,
  arm: ReadingArm,
): ReadingFile[] {
  const isOtherGrid = patient.t1w_file !== null && patient.wmh_detail?.tissue === "flair";
  return readingFile.options.filter((field) =>
    (patient[field] ?? null) !== null && (arm === "with" || IMAGE_FILES.includes(field)) &&
    !(isOtherGrid && FLAIR_FILES.includes(field))
  );
}
