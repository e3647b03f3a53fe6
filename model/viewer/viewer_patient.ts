import type { AnalysisQuality, Patient } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { qualityText, qualityWarningText, warningsText } from "@/model/text/quality.ts";

/** Fields of a study that are sent to the viewer page. */
const FIELDS = [
  "pid",
  "patient_id",
  "patient_name",
  "patient_sex",
  "patient_age",
  "study_date",
  "t1_analysis_status",
  "t2_analysis_status",
  "is_t1_uploaded",
  "is_t2_uploaded",
  "t1w_file",
  "t1w_mask_file",
  "thick_mask_file",
  "thickness_reason",
  "t1w_np_mask_file",
  "icv_mask_file",
  "t2w_file",
  "t2w_mask_file",
  "t2w_region_mask_file",
  "flair_structures",
  "surface_files",
  "t1_result",
  "t1_thick_result",
  "aggregates",
  "wm",
  "wmh",
  "deep_wmh",
  "peri_wmh",
  "wmh_detail",
  "icv",
  "norm_reason",
  "method_error_heads",
  "threshold_list",
  "local_norms",
] as const satisfies readonly (keyof Patient)[];

type Shown = Pick<Patient, (typeof FIELDS)[number]>;

/** One analysed study in the form that the viewer uses. */
export interface ViewerPatient extends Shown {
  /**
   * quality warnings of each series, in the page's language; `null` without any
   * `provisional`: present if the scanner is not accepted for percentiles
   */
  quality_notes: { t1: string | null; t2: string | null; provisional?: string };
  /** present for a case of a reading study, without identity: images alone, or with results */
  blinded?: "images" | "results";
}

/** Texts about a patient that the server renders; replaced when the language changes. */
export type PatientTexts = Pick<ViewerPatient, "patient_name" | "quality_notes">;

/** {@link PatientTexts} of a patient. */
export const textsOf = ({ patient_name, quality_notes }: ViewerPatient): PatientTexts => ({
  patient_name,
  quality_notes,
});

const warningsIn = ({ warnings }: AnalysisQuality, language: Language): string =>
  warningsText(warnings, language);

/** Codes that are about the scanner, and shown apart from the quality of the segmentation. */
const SCANNER_CODES = [
  "scanner_stopped",
  "scanner_unread",
  "scanner_refused",
  "scanner_not_accepted",
  "volumes_not_accepted",
];

/**
 * Texts of the reasons to check the segmentation.
 * Grade C is omitted, because it is stated where the percentiles are missing.
 */
function t1NoteOf(whole: AnalysisQuality | null, language: Language): string | null {
  // a stopped scanner is named as the reason for missing percentiles, and the mark of a scanner
  // that is not accepted is no reason to check the segmentation
  const quality = whole &&
    { ...whole, warnings: whole.warnings.filter((code) => !SCANNER_CODES.includes(code)) };
  if (!quality?.grade || quality.grade === "A" && quality.warnings.length === 0) return null;
  const words = warningsIn(quality, language);
  const grade = `${textIn(qualityText.grade, language)} ${
    textIn(qualityText[quality.grade], language)
  }`;
  return words ? `${grade}. ${words}` : grade;
}

/** Removes the patient's identity from a study; `name` replaces the patient name. */
export const anonymousPatient = (patient: ViewerPatient, name: string): ViewerPatient => ({
  ...patient,
  patient_id: "",
  patient_name: name,
});

/**
 * Removes all fields that the viewer does not show,
 * because the page sends the study to the browser.
 */
export function viewerPatientOf(patient: Patient, language: Language): ViewerPatient {
  const shownFields = Object.fromEntries(FIELDS.map((field) => [field, patient[field]])) as Shown;
  return { ...shownFields, quality_notes: qualityNotesOf(patient, language) };
}

/** Text of the quality warnings of each series. */
export function qualityNotesOf(
  { t1_quality, t2_quality }: Pick<Patient, "t1_quality" | "t2_quality">,
  language: Language,
): ViewerPatient["quality_notes"] {
  // a FLAIR's grade is not sent: it equals the T1w grade, or shows as low confidence of its volumes
  const t2 = t2_quality && warningsIn(t2_quality, language) || null;
  return {
    t1: t1NoteOf(t1_quality, language),
    t2,
    ...t1_quality?.warnings.includes("volumes_not_accepted") &&
      { provisional: textIn(qualityWarningText.volumes_not_accepted, language) },
    ...t1_quality?.warnings.includes("scanner_not_accepted") &&
      { provisional: textIn(qualityWarningText.scanner_not_accepted, language) },
  };
}
