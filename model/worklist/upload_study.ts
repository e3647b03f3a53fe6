import type { ContrastHeader } from "@/model/dicom/classify.ts";

/**
 * Attributes of a DICOM file before it is uploaded. Texts are decoded and trimmed, empty when
 * absent.
 */
export interface FileTags {
  patientId: string;
  /** for people: "Hong Gildong" */
  patientName: string;
  studyUid: string;
  seriesUid: string;
  instanceUid: string;
  seriesDescription: string;
  /** YYYY-MM-DD, or empty */
  studyDate: string;
  modality: string;
  imageType: readonly string[];
  protocolName?: string;
  sopClassUid?: string;
  /** the texts have {@link READ_ATTRIBUTES} */
  contrast?: ContrastHeader;
}

/**
 * Attributes for the rules of classification that are read before the upload: those that come
 * before the Series Instance UID in a file.
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

/** A readable file of the selection. */
export interface FoundFile {
  /** place in the selection */
  index: number;
  /** relative to the chosen folder, e.g. `folder/series/0001.dcm` */
  path: string;
  sizeBytes: number;
  tags: FileTags;
}

/** A series of the selection. */
export interface FoundSeries {
  seriesUid: string;
  description: string;
  modality: string;
  /** of its first file; empty when the files were chosen one by one */
  folderName: string;
  /** number of files, which for all but multi-frame files is that of the slices */
  slices: number;
  /** tags of its first file */
  first?: FileTags;
}

/** One study of the selection: one row in the worklist. */
export interface FoundStudy {
  studyUid: string;
  patientId: string;
  patientName: string;
  studyDate: string;
  series: FoundSeries[];
  files: FoundFile[];
  sizeBytes: number;
}

/** Name of the folder a file is in. */
const folderOf = (path: string): string => path.split("/").at(-2) ?? "";

/**
 * Sorts files into studies and series, by patient id and study date. A file with a SOP Instance UID
 * that came before is in `repeated`: it is not sent a second time.
 */
export function groupStudies(
  files: readonly FoundFile[],
): { studies: FoundStudy[]; repeated: FoundFile[] } {
  const studies = new Map<string, FoundStudy>(), series = new Map<string, FoundSeries>();
  const instanceUids = new Set<string>(), repeated: FoundFile[] = [];
  for (const file of files) {
    const { tags } = file;
    if (instanceUids.has(tags.instanceUid)) {
      repeated.push(file);
      continue;
    }
    if (tags.instanceUid !== "") instanceUids.add(tags.instanceUid);
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
    a.patientId.localeCompare(b.patientId, undefined, { numeric: true }) ||
    a.studyDate.localeCompare(b.studyDate);
  return { studies: [...studies.values()].sort(order), repeated };
}

/** Number of patients that studies are of. */
export const patientCount = (studies: readonly FoundStudy[]): number =>
  new Set(studies.map(({ patientId, patientName }) => patientId || patientName)).size;
