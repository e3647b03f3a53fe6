// Requests to the server about a study being uploaded, and handling of the responses.
import type {
  StoredStudiesRequest,
  StoredStudiesResponse,
  UploadFailure,
  UploadResponse,
} from "@/model/schema/studies/upload.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type { FoundStudy } from "@/model/worklist/upload_study.ts";
import type { StudyProgress } from "@/model/worklist/upload_progress.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import {
  namedFiles,
  newUploadId,
  type SizedFile,
} from "@/components/worklist/upload/upload_files.ts";

/** Codes of temporary reasons, after which a retry may succeed. */
const TEMPORARY_ERRORS: readonly string[] = [
  "study.being_analyzed",
  "credit.none",
  "storage.full",
  "storage.read_only",
  "storage.unavailable",
  "server.busy",
  "internal",
];

/** Whether sending the same files again may succeed. */
export const isTemporary = ({ code, reason }: UploadFailure): boolean =>
  TEMPORARY_ERRORS.includes(code) || reason === "reading_ended";

/** State of a study that is being uploaded. */
export interface Entry extends StudyProgress {
  /** kind of the series; absent: the server decides by the DICOM attributes */
  seriesType: SeriesType | undefined;
  uploadId: string;
  /** files of the study, by name in the request */
  files: ReadonlyMap<string, SizedFile>;
  /** names of files that the server has confirmed */
  known: Set<string>;
  /** whether a request ended without a response: the state is then requested from the server */
  isUnclear: boolean;
  /** whether this page has sent a part of the study under the upload's name */
  isBegun: boolean;
  /** whether this page has begun to send the last part, after which the study may be stored */
  wasWhole: boolean;
  /** whether the server was asked for the whole study before sending */
  isAsked: boolean;
}

/** State of a study that waits in the queue of the upload. */
export const newEntry = (
  study: FoundStudy,
  files: readonly ChosenFile[],
  seriesType: SeriesType | undefined,
): Entry => ({
  study,
  stage: "waiting",
  sentBytes: 0,
  code: null,
  pids: [],
  failures: [],
  seriesType,
  ...namedFiles(study, files, seriesType),
  known: new Set(),
  // an earlier browser session may have sent a part of the study
  isUnclear: true,
  isBegun: false,
  wasWhole: false,
  isAsked: false,
});

/** Total size of some of the upload's files. */
export const sizeOf = ({ files }: Entry, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (files.get(name)?.sizeBytes ?? 0), 0);

/**
 * Whether all files have a SOP Instance UID, by which the server can be asked for existing files.
 */
export const isNamed = ({ study }: Entry): boolean =>
  study.files.every(({ tags }) => tags.instanceUid !== "");

/** Request that asks before an upload which images of a study the server has already stored. */
export const questionOf = (
  { study: { studyUid, patientId, files, sizeBytes } }: Entry,
): StoredStudiesRequest["studies"][0] => ({
  study_uid: studyUid,
  patient_id: patientId,
  size_bytes: sizeBytes,
  instances: files.map(({ tags }) => tags.instanceUid),
});

/** Handles a study that the server would refuse: no file of the study is sent. */
function takeRefusal(
  entry: Entry,
  { code, reason, pid, patient: stored }: NonNullable<StoredStudiesResponse["refused"]>[0],
): void {
  const isFull = code === "storage.full";
  Object.assign(entry, { stage: isFull ? "failed" : "refused", code });
  entry.pids = pid === undefined ? [] : [String(pid)];
  const { patientId: patient_id, patientName: patient_name, files } = entry.study;
  const sent = { patient_id, patient_name, slices: files.length };
  const patients = stored && { patients: [sent, stored] };
  entry.failures = isFull
    ? []
    : files.map(({ path }) => ({ file_name: path, code, reason, pid, ...patients }));
}

/** Handles the response to the check before an upload; a cancelled study stays cancelled. */
export function takeStored(
  entry: Entry,
  { stored, busy = [], refused = [] }: StoredStudiesResponse,
): void {
  const ofStudy = <T extends { study_uid: string }>(list: readonly T[]) =>
    list.find(({ study_uid }) => study_uid === entry.study.studyUid);
  entry.isAsked = true;
  if (entry.stage !== "waiting") return;
  const changing = ofStudy(busy), refusal = ofStudy(refused), found = ofStudy(stored);
  if (changing) {
    Object.assign(entry, {
      stage: "failed",
      code: "study.being_analyzed",
      pids: [String(changing.pid)],
    });
  } else if (refusal) takeRefusal(entry, refusal);
  else if (found) {
    entry.pids = [String(found.pid)];
    if (found.is_analyzing) Object.assign(entry, { stage: "failed", code: "study.being_analyzed" });
    else entry.stage = "known";
  }
}

/** Adds the series, as read by this page, to problems of files that the server could not read. */
function nameSeries({ study, files }: Entry, failed: readonly UploadFailure[]): UploadFailure[] {
  const names = new Map([...files.keys()].map((name, n) => [name, study.files[n]!.tags]));
  return failed.map((failure): UploadFailure => {
    const tags = names.get(failure.file_name);
    const series = tags && study.series.find(({ seriesUid }) => seriesUid === tags.seriesUid);
    if (failure.series?.series_uid !== undefined || !series) return failure;
    const { description, slices, seriesUid } = series;
    const patient = study.patientName || study.patientId;
    return { ...failure, series: { description, slices, patient, series_uid: seriesUid } };
  });
}

/** Handles the response about a complete study. */
export function takeAnswer(
  entry: Entry,
  { success, pid_list, failed, stored_series }: UploadResponse,
): void {
  entry.sentBytes = entry.study.sizeBytes;
  if (stored_series) entry.taken = stored_series;
  entry.failures = nameSeries(entry, failed.filter(({ code }) => code !== "study.duplicate"));
  if (success > 0) {
    Object.assign(entry, { stage: "stored", pids: pid_list.map(String) });
    return;
  }
  // a temporary error, or a study stored before, has priority over a problem of another series
  const reason = failed.find(isTemporary) ??
    failed.find(({ code }) => code === "study.duplicate") ?? failed[0];
  entry.stage = reason && isTemporary(reason)
    ? "failed"
    : reason?.code === "study.duplicate"
    ? "known"
    : "refused";
  // a new upload name: under the old one, the server would only repeat the earlier response
  if (entry.stage === "failed") Object.assign(entry, { uploadId: newUploadId(), wasWhole: false });
  entry.code = reason?.code ?? "upload.format_not_supported";
  entry.pids = [...new Set(failed.flatMap(({ pid }) => pid === undefined ? [] : [String(pid)]))];
}
