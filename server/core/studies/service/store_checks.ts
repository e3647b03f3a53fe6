// Checks whether uploaded files may be stored together with the files that a study already has.
// If files of several patients are mixed, the error names the patients.
import { AppError, type ErrorDetails } from "@/model/errors.ts";
import type { NamedPatient } from "@/model/schema/studies/upload.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import {
  type FoundPatient,
  mixedPatientsIn,
  patientsIn,
} from "@/server/core/dicom/choice/patients.ts";
import type { InstanceFile, SeriesGroup, StudyGroup } from "@/server/core/dicom/read/series.ts";
import { rejected as unusable, type Verdict } from "@/server/core/dicom/read/verdict.ts";
import { partCopies } from "@/server/core/dicom/stack/copies.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { findSeries, listInstancesOfSeries } from "@/server/core/studies/storage/series.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import type { FileErrors, ReceivedFile } from "@/server/core/studies/service/receive.ts";
import type { ReadySeries } from "@/server/core/studies/service/ready_series.ts";
import { isPatientOf } from "@/server/core/studies/service/stored_studies.ts";

const beingAnalyzed = (pid: number) =>
  new AppError("study.being_analyzed", `Cannot change study ${pid}: it is being analysed`, { pid });

const isBusy = ({ row }: StoredPatient) =>
  isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status);

/**
 * Checks that a study in the worklist may receive new files.
 * @throws {AppError} `study.being_analyzed` during an analysis;
 * `upload.format_not_supported` for a study of another patient.
 */
export function checkExisting(existing: StoredPatient, { header }: StudyGroup): void {
  const { row } = existing;
  if (!isPatientOf(existing, header)) {
    throw unusable("other_patient", `Cannot change study ${row.pid}: stored under another patient`);
  }
  if (isBusy(existing)) throw beingAnalyzed(row.pid);
}

/**
 * Checks that new slices of a stored series are uploaded together with its stored slices.
 * Otherwise the new slices alone would become the analysed volume.
 * @throws {AppError} `upload.format_not_supported` if stored slices are not sent.
 */
export async function checkWhole(db: Database, pid: number, group: SeriesGroup): Promise<void> {
  const sent = new Set(group.files.map((file) => file.header.instanceUid));
  const stored = await listInstancesOfSeries(db, pid, group.seriesUid);
  if (stored.some((sopUid) => !sent.has(sopUid))) {
    throw unusable(
      "series_incomplete",
      `Cannot extend a series of study ${pid}: stored slices are not sent`,
    );
  }
}

/**
 * Checks that a series is not stored both as T1w and as FLAIR; if it is, deletes the new volume.
 * @throws {AppError} `upload.format_not_supported` if both series have the same images.
 */
export async function checkOther(
  db: Database,
  existing: StoredPatient | null,
  ready: readonly ReadySeries[],
  { group, volume }: ReadySeries,
): Promise<void> {
  const kind = group.kind === "t1" ? "t2" : "t1", storedId = existing?.seriesId[kind] ?? null;
  const stored = storedId === null ? null : await findSeries(db, storedId);
  const otherHashes = ready.filter((other) => other.group.kind === kind).map((other) =>
    other.volume.hash
  );
  if (stored?.volumeBlob === volume.hash || otherHashes.includes(volume.hash)) {
    await volume.discard();
    throw unusable(
      "same_images",
      "Cannot store a series: its images are those of the other series",
    );
  }
}

const namedPatient = (
  { patientId, patientName, birthDate, sex, ageYears, slices }: FoundPatient,
): NamedPatient => ({
  patient_id: patientId,
  patient_name: displayName(patientName),
  ...birthDate && { birth_date: birthDate },
  ...sex && { sex },
  ...ageYears !== undefined && { age: Math.floor(ageYears) },
  slices,
});

/** Maximum number of patients that a message names; the details contain the total number. */
const MAX_NAMED = 5;

/** Patients in the files of a study; the patient with the most slices comes first. */
const namedPatients = (patients: FoundPatient[]): NamedPatient[] =>
  patients.sort((a, b) => b.slices - a.slices).slice(0, MAX_NAMED).map(namedPatient);

/** Patients in the files of a study, followed by the patient in the study's record. */
export function sentAndStored({ series }: StudyGroup, { row }: StoredPatient): NamedPatient[] {
  const { pid, patient_id, patient_name, patient_birthdate: birth_date } = row;
  return [
    ...namedPatients(patientsIn(series.flatMap(({ files }) => files))),
    { pid, patient_id, patient_name, ...birth_date && { birth_date } },
  ];
}

/** Refuses files that cannot be stored. If patients are mixed, the error names each patient. */
export function refuseRejected(
  rejected: readonly Verdict[],
  sent: ReadonlyMap<string, readonly InstanceFile[]>,
  files: readonly ReceivedFile[],
  fileErrors: FileErrors,
): void {
  const mixed = new Map<string, NamedPatient[]>();
  const isMixed = new Set(
    rejected.filter(({ reason }) => reason === "mixed_patients").map(({ fileName }) => fileName),
  );
  for (const instances of sent.values()) {
    const refused = instances.filter(({ fileName }) => isMixed.has(fileName));
    const patients = refused.length > 0 ? namedPatients(mixedPatientsIn(instances)) : [];
    for (const { fileName } of refused) mixed.set(fileName, patients);
  }
  for (const { fileName, code, reason, details } of rejected) {
    const at = Number(fileName);
    const error = new AppError(code, "", { reason, ...details } as ErrorDetails);
    fileErrors.refuse(at, files[at]!.fileName, error, undefined, mixed.get(fileName));
  }
}

/** Maximum number of copies that one line of the log names. */
const MAX_LOGGED = 10;

/**
 * Leaves out images that a series contains again under another SOP Instance UID, refused as sent
 * twice and named in the log.
 */
export async function withoutCopies(
  { log }: Pick<ServiceContext, "log">,
  instances: readonly InstanceFile[],
  files: readonly ReceivedFile[],
  fileErrors: FileErrors,
): Promise<InstanceFile[]> {
  const { unique, copies } = await partCopies(
    instances,
    ({ fileName }) => files[Number(fileName)]!.staged.path,
  );
  const error = unusable("duplicate_instance", "Cannot use instance: sent twice");
  for (const { copy: { fileName } } of copies) {
    fileErrors.refuse(Number(fileName), files[Number(fileName)]!.fileName, error);
  }
  if (copies.length > 0) {
    log("warn", "Left out copies of images under other instance UIDs", {
      copies: copies.length,
      instances: copies.slice(0, MAX_LOGGED).map(({ copy, used }) =>
        `${copy.header.instanceUid} of ${used.header.instanceUid}`
      ).join(", "),
    });
  }
  return unique;
}
