/** Patients in the files of a study: several if files of different people were mixed. */
import type { AppError } from "@/model/errors.ts";
import { areSameNames } from "@/model/patient/shared_id.ts";
import { foldText } from "@/model/worklist/search_text.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { type InstanceFile, partRepeated, stacksOf } from "@/server/core/dicom/stack/parts.ts";

/** Identity of the patient in a file or a stored study. */
interface PatientIdentity {
  patientId: string;
  patientName: string;
  /** date of birth, YYYY-MM-DD */
  birthDate?: string | null | undefined;
  sex?: "male" | "female" | undefined;
  /** stated age, years */
  ageYears?: number | undefined;
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

/** Words of a DICOM person name (PS3.5 §6.2) without prefix and suffix, of all its groups. */
const nameWords = (name: string): string =>
  name.split("=").map((group) => group.split("^").slice(0, 3).join(" ")).join(" ")
    .replaceAll(/[\s,.]+/g, " ").trim();

/**
 * Whether two names in the files of one volume are the same, apart from case, width, marks, spaces,
 * order of words, prefix, suffix, and groups in only one of them. A missing name is no other name.
 */
export function isSameName(a: string, b: string): boolean {
  const [one, other] = [nameWords(a), nameWords(b)];
  if (one === "" || other === "" || one === other) return true;
  const letters = (words: string) => foldText(words).replaceAll(" ", "");
  return letters(one) === letters(other) || areSameNames(one, other);
}

/** A patient in the files of a study, with identity attributes and files. */
export interface FoundPatient extends PatientIdentity {
  birthDate: string | undefined;
  sex: "male" | "female" | undefined;
  ageYears: number | undefined;
  slices: number;
}

/**
 * Patients in the files of one study, in the order of their first files.
 * @param isSame Whether an identity is of a patient; by default {@link isSamePatient}.
 */
export function patientsIn(
  instances: readonly InstanceFile[],
  isSame: typeof isSamePatient = isSamePatient,
): FoundPatient[] {
  const patients: FoundPatient[] = [], byName = new Map<string, FoundPatient[]>();
  for (const { header } of instances) {
    const { patientId, patientName, birthDate, sex, ageYears } = header;
    const slices = header.planes.length;
    const key = JSON.stringify(patientId === "" ? ["", patientName] : [patientId]);
    const same = byName.get(key) ?? [];
    byName.set(key, same);
    const patient = same.find((one) => isSame(one, header));
    if (!patient) {
      const found: FoundPatient = { patientId, patientName, birthDate, sex, ageYears, slices };
      patients.push(found);
      same.push(found);
      continue;
    }
    patient.slices += slices;
    // a later file adds attributes that the patient's first file lacks
    patient.birthDate ??= birthDate;
    patient.sex ??= sex;
    patient.ageYears ??= ageYears;
    patient.patientName ||= patientName;
  }
  return patients;
}

/** Maximum difference of ages stated in one volume, years: an acquisition may end after midnight. */
const MAX_AGE_DIFFERENCE = 1;

/** Whether two identities in the files of one volume agree in all that they state. */
const isSameInVolume: typeof isSamePatient = (a, b) =>
  isSamePatient(a, b) && isSameName(a.patientName, b.patientName) &&
  !(a.sex && b.sex && a.sex !== b.sex) &&
  !(a.ageYears !== undefined && b.ageYears !== undefined &&
    Math.abs(a.ageYears - b.ageYears) > MAX_AGE_DIFFERENCE);

/**
 * Whether a series, or a volume of several series, has slices with different names, sexes or ages.
 * Series of a study may differ in them, if the identity was corrected during the examination; one
 * volume may not.
 */
function isMixedVolume(ofStudy: readonly InstanceFile[]): boolean {
  const isMixed = (files: readonly InstanceFile[]) => patientsIn(files, isSameInVolume).length > 1;
  if (!isMixed(ofStudy)) return false;
  const series = Map.groupBy(ofStudy, ({ header }) => header.seriesUid);
  return [...series.values(), ...stacksOf(partRepeated(ofStudy).unique)].some(isMixed);
}

/**
 * Patients in the files of a study that is refused because its patients are mixed.
 * Names, sexes and ages are compared if the patient IDs and birth dates agree.
 */
export function mixedPatientsIn(ofStudy: readonly InstanceFile[]): FoundPatient[] {
  const patients = patientsIn(ofStudy);
  return patients.length > 1 ? patients : patientsIn(ofStudy, isSameInVolume);
}

/** Files of studies with a single patient, and an error for each file of studies with several. */
export function partMixedPatients(instances: readonly InstanceFile[]): {
  clear: InstanceFile[];
  mixed: (readonly [InstanceFile, AppError])[];
} {
  const clear: InstanceFile[] = [], mixed: (readonly [InstanceFile, AppError])[] = [];
  for (const ofStudy of Map.groupBy(instances, ({ header }) => header.studyUid).values()) {
    if (patientsIn(ofStudy).length === 1 && !isMixedVolume(ofStudy)) clear.push(...ofStudy);
    else {
      const { length: count } = mixedPatientsIn(ofStudy);
      const message = `Cannot use study: its files name ${count} patients`;
      const error = rejected("mixed_patients", message, { patients: count });
      mixed.push(...ofStudy.map((file) => [file, error] as const));
    }
  }
  return { clear, mixed };
}
