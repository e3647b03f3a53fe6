import type { Sex } from "@/model/norms/norms.ts";

/** Patient identity in a record. */
export interface RecordIdentity {
  patientId: string;
  patientName: string;
  birthDate: string | null;
  sex: Sex | null;
  /** age in whole years at the study date */
  age: number | null;
}

/** The patient of an order, without age: the study that determines the age does not exist yet. */
export type OrderedPatient = Omit<RecordIdentity, "age">;
