import type { Patient } from "@/model/schema/patients.ts";

/** Fields of a study that the viewer's page is given. */
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
  "t1w_np_mask_file",
  "t2w_file",
  "t2w_mask_file",
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
  "t1_quality",
  "t2_quality",
] as const satisfies readonly (keyof Patient)[];

/** What the viewer knows of one analysed study. */
export type ViewerPatient = Pick<Patient, (typeof FIELDS)[number]>;

/** The study without its patient's identity; `name` stands in place of it. */
export const anonymousPatient = (patient: ViewerPatient, name: string): ViewerPatient => ({
  ...patient,
  patient_id: "",
  patient_name: name,
});

/** Leaves out what the viewer does not show: the page carries it to the browser. */
export const viewerPatientOf = (patient: Patient): ViewerPatient =>
  Object.fromEntries(FIELDS.map((field) => [field, patient[field]])) as ViewerPatient;
