import { AppError } from "@/model/errors.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";

/** Fields of a page that change when a patient record is edited. */
const EDITED_FIELDS = [
  "patient_id",
  "patient_name",
  "patient_sex",
  "patient_age",
  "study_date",
] as const;

/**
 * Whether a study was deleted, or the study's record changed, since a page was opened.
 * Fields that an anonymised page leaves out are not compared.
 *
 * @param onRead Receives the current study.
 *
 * @throws {AppError} if the server does not respond.
 */
export async function findMissedChange(
  pid: number,
  opened: Partial<Patient>,
  onRead?: (now: Patient) => void,
): Promise<"deleted" | "updated" | null> {
  try {
    const current = await getPatient(browserApi, pid);
    onRead?.(current);
    const isAnonymous = opened.patient_id === "";
    const isChanged = EDITED_FIELDS.some((field) =>
      opened[field] !== undefined && opened[field] !== current[field] &&
      !(isAnonymous && (field === "patient_id" || field === "patient_name"))
    );
    return isChanged ? "updated" : null;
  } catch (error) {
    if (error instanceof AppError && (error.status === 410 || error.status === 404)) {
      return "deleted";
    }
    throw error;
  }
}
