import { compareIds } from "@/model/patient/id_order.ts";
import type { ContrastHeader } from "@/model/dicom/classify.ts";

/**
 * Attributes of a DICOM file before its upload. Texts are decoded and trimmed, empty when absent.
 */
export interface FileTags {
  patientId: string;
  /** patient name for display: "Hong Gildong" */
  patientName: string;
  studyUid: string;
  seriesUid: string;
  instanceUid: string;
  seriesDescription: string;
  /** study date, YYYY-MM-DD, or empty */
  studyDate: string;
  modality: string;
  imageType: readonly string[];
  protocolName?: string;
  sopClassUid?: string;
  /** attributes that show whether contrast agent was given: those of {@link READ_ATTRIBUTES} */
  contrast?: ContrastHeader;
}

/**
 * Attributes for classification that are read before the upload: those stored before the Series
 * Instance UID in a file.
 */
export const READ_ATTRIBUTES: readonly string[] = [
  "SeriesDescription",
  "ProtocolName",
  "SequenceName",
  "PulseSequenceName",
  "ScanningSequence",
  "SequenceVariant",
  "ScanOptions",
  "ImageType",
  "StudyDescription",
  "AcquisitionContrast",
  "AngioFlag",
];

/** A readable DICOM file of the selection. */
export interface FoundFile {
  /** index of the file in the selection */
  index: number;
  /** path relative to the chosen folder, such as `folder/series/0001.dcm` */
  path: string;
  sizeBytes: number;
  /** hash of the beginning of the file, up to its pixels in nearly every file */
  head?: number;
  tags: FileTags;
}

/** A series of the selected files. */
export interface FoundSeries {
  seriesUid: string;
  description: string;
  modality: string;
  /** folder of the first file; empty when files were chosen individually */
  folderName: string;
  /** number of files: equals the number of slices except for multi-frame files */
  slices: number;
  /** attributes of the first file */
  first?: FileTags;
}

/** A study of the selected files: one row in the worklist. */
export interface FoundStudy {
  studyUid: string;
  patientId: string;
  patientName: string;
  studyDate: string;
  series: FoundSeries[];
  files: FoundFile[];
  sizeBytes: number;
  /** patients named in the files, if certainly several: the server refuses such a study */
  patients?: FoundPatient[];
}

/** A patient in the files of a study. */
export interface FoundPatient {
  patientId: string;
  patientName: string;
  slices: number;
}

/** IDs that browser and server decode alike, regardless of the declared character set. */
const isPlainId = (patientId: string) => /^[\x20-\x7e]*$/.test(patientId);

/** Patients of a study by ID; empty when there is one, or when the IDs may only look different. */
function patientsOf(files: readonly FoundFile[]): FoundPatient[] {
  const patients = new Map<string, FoundPatient>();
  for (const { tags: { patientId, patientName } } of files) {
    const patient = patients.get(patientId);
    if (patient) patient.slices++;
    else patients.set(patientId, { patientId, patientName, slices: 1 });
  }
  const isCertain = patients.size > 1 && [...patients.keys()].every(isPlainId);
  return isCertain ? [...patients.values()].sort((a, b) => b.slices - a.slices) : [];
}

/** Name of the folder that contains a file. */
const folderOf = (path: string): string => path.split("/").at(-2) ?? "";

/**
 * Sorts files into studies and series, by patient id and study date. A copy of a file that came
 * before is in `repeated`: it is not sent a second time. Different files with one SOP Instance UID
 * are all sent: the server says which images have lost their identifiers.
 */
export function groupStudies(
  files: readonly FoundFile[],
): { studies: FoundStudy[]; repeated: FoundFile[] } {
  const studies = new Map<string, FoundStudy>(), series = new Map<string, FoundSeries>();
  const copies = new Set<string>(), repeated: FoundFile[] = [];
  for (const file of files) {
    const { tags } = file, copyKey = `${tags.instanceUid}|${file.sizeBytes}|${file.head ?? ""}`;
    if (copies.has(copyKey)) {
      repeated.push(file);
      continue;
    }
    if (tags.instanceUid !== "") copies.add(copyKey);
    let study = studies.get(tags.studyUid);
    if (!study) {
      const { studyUid, patientId, patientName, studyDate } = tags;
      study = { studyUid, patientId, patientName, studyDate, series: [], files: [], sizeBytes: 0 };
      studies.set(studyUid, study);
    }
    const key = `${tags.studyUid}|${tags.seriesUid}`;
    let seriesEntry = series.get(key);
    if (!seriesEntry) {
      seriesEntry = {
        seriesUid: tags.seriesUid,
        description: tags.seriesDescription,
        modality: tags.modality,
        folderName: folderOf(file.path),
        slices: 0,
        first: tags,
      };
      series.set(key, seriesEntry);
      study.series.push(seriesEntry);
    }
    seriesEntry.slices++;
    study.files.push(file);
    study.sizeBytes += file.sizeBytes;
  }
  const order = (a: FoundStudy, b: FoundStudy) =>
    compareIds(a.patientId, b.patientId) ||
    a.studyDate.localeCompare(b.studyDate);
  for (const study of studies.values()) {
    const patients = patientsOf(study.files);
    if (patients.length > 0) study.patients = patients;
  }
  return { studies: [...studies.values()].sort(order), repeated };
}

/** Number of different patients among the studies. */
export const patientCount = (studies: readonly FoundStudy[]): number =>
  new Set(
    studies.flatMap((study): Pick<FoundPatient, "patientId" | "patientName">[] =>
      study.patients ?? [study]
    ).map(({ patientId, patientName }) => patientId || patientName),
  ).size;
