import type { DicomKind } from "@/model/schema/report/dicom.ts";

/** Results of an analysed study that can be exported as DICOM. */
export const dicomKindsOf = (
  { hasT1, hasFlair, hasChanges = false }: {
    hasT1: boolean;
    hasFlair: boolean;
    hasChanges?: boolean;
  },
): DicomKind[] => [
  "report",
  "measurements",
  ...hasT1 ? ["regions" as const] : [],
  ...hasFlair ? ["lesions" as const, "outlines" as const] : [],
  ...hasChanges ? ["changes" as const] : [],
];
