import type { NextReading, ReadingFile } from "@/model/schema/reading/reading_studies.ts";
import type { Language } from "@/model/text.ts";
import { qualityNotesOf, type ViewerPatient } from "@/model/viewer/viewer_patient.ts";

/**
 * Makes a case of a reading study for the viewer: without number and identity,
 * and without results if the arm shows images alone.
 * @param addressOf Returns the address of a file of the case.
 */
export function blindedPatient(
  { arm, files, results }: NextReading,
  addressOf: (file: ReadingFile) => string,
  language: Language,
): ViewerPatient {
  const fileOf = (file: ReadingFile) => files.includes(file) ? addressOf(file) : null;
  const hasT1 = files.includes("t1w_file"), hasFlair = files.includes("t2w_file");
  return {
    pid: 0,
    patient_id: "",
    patient_name: "",
    patient_sex: null,
    patient_age: null,
    study_date: null,
    t1_analysis_status: hasT1 ? "completed" : null,
    t2_analysis_status: hasFlair ? "completed" : null,
    is_t1_uploaded: hasT1,
    is_t2_uploaded: hasFlair,
    t1w_file: fileOf("t1w_file"),
    t1w_mask_file: fileOf("t1w_mask_file"),
    thick_mask_file: fileOf("thick_mask_file"),
    t1w_np_mask_file: null,
    icv_mask_file: fileOf("icv_mask_file"),
    t2w_file: fileOf("t2w_file"),
    t2w_mask_file: fileOf("t2w_mask_file"),
    surface_files: null,
    thickness_reason: results?.thickness_reason ?? null,
    t1_result: results?.t1_result ?? null,
    t1_thick_result: results?.t1_thick_result ?? null,
    aggregates: results?.aggregates ?? null,
    wm: results?.wm ?? null,
    wmh: results?.wmh ?? null,
    deep_wmh: results?.deep_wmh ?? null,
    peri_wmh: results?.peri_wmh ?? null,
    wmh_detail: results?.wmh_detail ?? null,
    icv: results?.icv ?? null,
    norm_reason: results?.norm_reason ?? null,
    threshold_list: results?.threshold_list,
    quality_notes: results ? qualityNotesOf(results, language) : { t1: null, t2: null },
    blinded: arm === "with" ? "results" : "images",
  };
}
