import * as z from "zod/mini";

/** Results of a study as DICOM objects: Encapsulated PDF, SR, SEG of each series, outlines as SR, Parametric Maps. */
export const dicomKind = z.enum([
  "report",
  "measurements",
  "regions",
  "lesions",
  "outlines",
  "changes",
  "thickness",
  "percentiles",
]);
/** Pattern for the kind of result in the address of a DICOM export. */
export const DICOM_KIND_PATTERN = dicomKind.options.join("|");
export type DicomKind = z.infer<typeof dicomKind>;

/** Query of `GET /api/v1/patients/{pid}/dicom/deidentified`. */
export const deidentifyQuery = z.object({
  /**
   * `shifted`: all dates of a patient are moved by the same number of days
   * intervals between studies are thus kept
   */
  dates: z._default(z.enum(["removed", "shifted"]), "removed"),
});
export type DeidentifyQuery = z.infer<typeof deidentifyQuery>;
