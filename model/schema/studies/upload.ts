// Uploads: files in one request or several, and the check before files are sent.
import * as z from "zod/mini";
import { seriesType } from "@/model/schema/studies/study.ts";

/** A patient that the files of a refused study name, or the patient of the stored study. */
const namedPatient = z.object({
  patient_id: z.string(),
  patient_name: z.string(),
  /** birth date of the patient, YYYY-MM-DD */
  birth_date: z.optional(z.string()),
  sex: z.optional(z.enum(["male", "female"])),
  /** stated age, whole years */
  age: z.optional(z.number()),
  /** number of slices that name this patient; absent for a stored study */
  slices: z.optional(z.number()),
  /** number of the study that is stored under this patient */
  pid: z.optional(z.number()),
});
export type NamedPatient = z.infer<typeof namedPatient>;

/** A file that was refused, and the reason. */
const uploadFailure = z.object({
  file_name: z.string(),
  code: z.string(),
  /** key of the reason in model/text/worklist/upload.ts */
  reason: z.optional(z.string()),
  details: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))),
  pid: z.optional(z.number()),
  /** series of the file, if the header could be read */
  series: z.optional(z.object({
    description: z.string(),
    /** number of uploaded files of the series */
    slices: z.number(),
    /** patient name, or patient ID without a name */
    patient: z.string(),
    series_uid: z.optional(z.string()),
  })),
  /** patients that are mixed up, for `mixed_patients` and `other_patient` */
  patients: z.optional(z.array(namedPatient)),
});
export type UploadFailure = z.infer<typeof uploadFailure>;

/** A stored series, and whether it is analysed as T1w or as FLAIR. */
const storedSeries = z.object({
  series_uid: z.string(),
  kind: z.enum(["t1", "t2"]),
  /** number of slices in the series' volume */
  slices: z.optional(z.number()),
  /**
   * number of slices in all received files; larger than the volume if the files contain several
   * images
   */
  sent_slices: z.optional(z.number()),
});
export type StoredSeries = z.infer<typeof storedSeries>;

export const uploadResponse = z.object({
  /** number of studies in the uploaded files */
  total: z.number(),
  /** number of studies that the server stored */
  success: z.number(),
  pid_list: z.array(z.number()),
  failed: z.array(uploadFailure),
  /** series that this upload added to the study */
  stored_series: z.optional(z.array(storedSeries)),
  /** names of all files received so far; for every part but the last, and when files are missing */
  received: z.optional(z.array(z.string())),
});
export type UploadResponse = z.infer<typeof uploadResponse>;

export const uploadFields = z.object({ series_type: z.optional(seriesType) });

/** Client-generated id of an upload in several requests. */
export const uploadId = z.string().check(z.regex(/^[\w-]{16,64}$/));
/** Query of `POST /patients`; absent for an upload in one request. */
export const uploadQuery = z.object({
  upload_id: z.optional(uploadId),
  is_last: z.optional(z.enum(["0", "1"])),
  /**
   * number of files in the whole upload; if fewer were received, the last part stores nothing
   * and is answered like an earlier part
   */
  file_count: z.optional(z.coerce.number().check(z.int(), z.gte(0))),
});

/** State of an upload in parts. */
export const uploadState = z.object({
  /** names of the received files; empty once the upload is complete */
  received: z.array(z.string()),
  /** whether the last part was processed: repeating it without files returns the same answer */
  is_complete: z.boolean(),
});
export type UploadState = z.infer<typeof uploadState>;

/** Check before an upload, with studies identified by UIDs of the files. */
export const storedStudiesRequest = z.object({
  series_type: z.optional(seriesType),
  /** bytes to be uploaded before these studies */
  size_before: z.optional(z.number().check(z.int(), z.gte(0))),
  studies: z.array(z.object({
    study_uid: z.string(),
    patient_id: z.string(),
    /** size of all files to be uploaded; absent: disk space is not checked */
    size_bytes: z.optional(z.number().check(z.int(), z.gte(0))),
    /** SOP Instance UIDs of all files to be uploaded */
    instances: z.array(z.string()).check(z.minLength(1)),
  })).check(z.maxLength(1000)),
});
export type StoredStudiesRequest = z.infer<typeof storedStudiesRequest>;
/** Studies that need not be uploaded, because they are stored already. */
export const storedStudiesResponse = z.object({
  stored: z.array(z.object({ study_uid: z.string(), pid: z.number(), is_analyzing: z.boolean() })),
  /** studies that accept no new files now, because they are being analysed */
  busy: z.optional(z.array(z.object({ study_uid: z.string(), pid: z.number() }))),
  /**
   * studies that would be refused: `storage.full`,
   * or `upload.format_not_supported` with the number of the stored study
   */
  refused: z.optional(z.array(z.object({
    study_uid: z.string(),
    code: z.string(),
    reason: z.optional(z.string()),
    pid: z.optional(z.number()),
    /** patient of the stored study */
    patient: z.optional(namedPatient),
  }))),
});
export type StoredStudiesResponse = z.infer<typeof storedStudiesResponse>;
