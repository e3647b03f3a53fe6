import type { Sex } from "@/model/norms/norms.ts";

/** Who a patient is, as a record says it. */
export interface RecordIdentity {
  patientId: string;
  patientName: string;
  birthDate: string | null;
  sex: Sex | null;
  /** whole years at the study date */
  age: number | null;
}
