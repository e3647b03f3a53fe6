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

/** The patient of an order: the age is that at the study, which is not there yet. */
export type OrderedPatient = Omit<RecordIdentity, "age">;
