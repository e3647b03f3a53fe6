import type { DicomKind } from "@/model/schema/report/dicom.ts";

/** What an analysed study has of the results that can leave as DICOM. */
export const dicomKindsOf = ({ hasT1, hasFlair }: { hasT1: boolean; hasFlair: boolean }): DicomKind[] => [
  "report",
  "measurements",
  ...hasT1 ? ["regions" as const] : [],
  ...hasFlair ? ["lesions" as const] : [],
];
