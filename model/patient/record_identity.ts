import type { Sex } from "@/model/norms/norms.ts";

/** Patient identity in a record. */
export interface RecordIdentity {
  patientId: string;
  patientName: string;
  birthDate: string | null;
  sex: Sex | null;
  /** whole years at the study date */
  age: number | null;
}
