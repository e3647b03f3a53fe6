// Uploads: files in one request or several, and the questions before they are sent.
import * as z from "zod/mini";
import { seriesType } from "@/model/schema/studies/study.ts";

/** A file that was refused, and the reason. */
const uploadFailure = z.object({
  file_name: z.string(),
  code: z.string(),
  /** reason, a key of model/text/worklist/upload.ts */
  reason: z.optional(z.string()),
  details: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))),
  pid: z.optional(z.number()),
  /** the series that the file is of, where its header could be read */
  series: z.optional(z.object({
    description: z.string(),
    /** of all its files that were sent */
    slices: z.number(),
    /** name, or number where there is none */
    patient: z.string(),
    series_uid: z.optional(z.string()),
  })),
});
export type UploadFailure = z.infer<typeof uploadFailure>;

/** A series that is stored, and as which of the two it is analysed. */
const storedSeries = z.object({ series_uid: z.string(), kind: z.enum(["t1", "t2"]) });
export type StoredSeries = z.infer<typeof storedSeries>;

export const uploadResponse = z.object({
  /** studies found */
  total: z.number(),
  /** studies stored */
  success: z.number(),
  pid_list: z.array(z.number()),
  failed: z.array(uploadFailure),
  /** series that this upload has added */
  stored_series: z.optional(z.array(storedSeries)),
  /**
   * of a part that is not the last, or after which files are missing: names of all files that have
   * arrived so far
   */
  received: z.optional(z.array(z.string())),
});
export type UploadResponse = z.infer<typeof uploadResponse>;

export const uploadFields = z.object({ series_type: z.optional(seriesType) });

/** The name of an upload in several requests, which its sender makes up. */
export const uploadId = z.string().check(z.regex(/^[\w-]{16,64}$/));
/** Query of `POST /patients`: absent for an upload in one request. */
export const uploadQuery = z.object({
  upload_id: z.optional(uploadId),
  is_last: z.optional(z.enum(["0", "1"])),
  /**
   * of the whole upload: with fewer here the last part stores nothing, and is answered like one
   * before
   */
  file_count: z.optional(z.coerce.number().check(z.int(), z.gte(0))),
});

/** Parts of an upload that the server has received. */
export const uploadState = z.object({
  /** file names as they were sent; none once it is complete */
  received: z.array(z.string()),
  /** the last part was taken: its answer can be asked for by repeating it without files */
  is_complete: z.boolean(),
});
export type UploadState = z.infer<typeof uploadState>;

/** Asked before an upload, about studies as their files name them. */
export const storedStudiesRequest = z.object({
  series_type: z.optional(seriesType),
  /** bytes that would be sent before these studies */
  size_before: z.optional(z.number().check(z.int(), z.gte(0))),
  studies: z.array(z.object({
    study_uid: z.string(),
    patient_id: z.string(),
    /** of all files that would be sent; unknown: its room is not asked for */
    size_bytes: z.optional(z.number().check(z.int(), z.gte(0))),
    /** SOP Instance UIDs of all files that would be sent */
    instances: z.array(z.string()).check(z.minLength(1)),
  })).check(z.maxLength(1000)),
});
export type StoredStudiesRequest = z.infer<typeof storedStudiesRequest>;
/** Studies that need not be sent: sending them would store nothing. */
export const storedStudiesResponse = z.object({
  stored: z.array(z.object({ study_uid: z.string(), pid: z.number(), is_analyzing: z.boolean() })),
  /** studies that take nothing new now: they are being analysed */
  busy: z.optional(z.array(z.object({ study_uid: z.string(), pid: z.number() }))),
  /**
   * studies that would be refused: `storage.full`, or `upload.format_not_supported` with the number
   * of the stored one
   */
  refused: z.optional(z.array(z.object({
    study_uid: z.string(),
    code: z.string(),
    reason: z.optional(z.string()),
    pid: z.optional(z.number()),
  }))),
});
export type StoredStudiesResponse = z.infer<typeof storedStudiesResponse>;
