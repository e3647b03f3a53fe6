/** Patients in the files of a study: several if files of different people were mixed. */
import type { AppError } from "@/model/errors.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { InstanceFile } from "@/server/core/dicom/stack/parts.ts";

/** Identity of the patient in a file or a stored study. */
interface PatientIdentity {
  patientId: string;
  patientName: string;
  /** date of birth, YYYY-MM-DD */
  birthDate?: string | null | undefined;
}

/**
 * Whether two identities may belong to one patient: equal patient ids and no contradicting birth
 * dates. Names have many spellings, and are compared only when both identities lack a patient ID.
 */
export function isSamePatient(a: PatientIdentity, b: PatientIdentity): boolean {
  if (a.patientId !== b.patientId) return false;
  if (a.birthDate && b.birthDate && a.birthDate !== b.birthDate) return false;
  return a.patientId !== "" || a.patientName === b.patientName;
}

/** A patient in the files of a study, with identity attributes and files. */
export interface FoundPatient extends PatientIdentity {
  birthDate: string | undefined;
  slices: number;
}

/** Patients in the files of one study, in the order of their first files. */
export function patientsIn(instances: readonly InstanceFile[]): FoundPatient[] {
  const patients: FoundPatient[] = [], byName = new Map<string, FoundPatient[]>();
  for (const { header } of instances) {
    const { patientId, patientName, birthDate } = header, slices = header.planes.length;
    const key = JSON.stringify(patientId === "" ? ["", patientName] : [patientId]);
    const same = byName.get(key) ?? [];
    byName.set(key, same);
    const patient = same.find((one) => isSamePatient(one, header));
    if (!patient) {
      const found: FoundPatient = { patientId, patientName, birthDate, slices };
      patients.push(found);
      same.push(found);
      continue;
    }
    patient.slices += slices;
    // a later file adds attributes that the patient's first file lacks
    patient.birthDate ??= header.birthDate;
    patient.patientName ||= header.patientName;
  }
  return patients;
}

/** Files of studies with a single patient, and an error for each file of studies with several. */
export function partMixedPatients(instances: readonly InstanceFile[]): {
  clear: InstanceFile[];
  mixed: (readonly [InstanceFile, AppError])[];
} {
  const clear: InstanceFile[] = [], mixed: (readonly [InstanceFile, AppError])[] = [];
  for (const ofStudy of Map.groupBy(instances, ({ header }) => header.studyUid).values()) {
    const { length: count } = patientsIn(ofStudy);
    if (count === 1) clear.push(...ofStudy);
    else {
      const message = `Cannot use study: its files name ${count} patients`;
      const error = rejected("mixed_patients", message, { patients: count });
      mixed.push(...ofStudy.map((file) => [file, error] as const));
    }
  }
  return { clear, mixed };
}
