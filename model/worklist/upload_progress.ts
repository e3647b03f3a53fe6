import type { StoredSeries, UploadFailure } from "@/model/schema/studies/upload.ts";
import type { FoundStudy } from "@/model/worklist/upload_study.ts";

/**
 * Stage of one study of an upload. `checking`: all files are sent, the server sorts and stores
 * them;
 * `failed`: can be retried; `refused`: the server cannot use the study;
 * `known`: the server already has all of it.
 */
export type UploadStage =
  | "waiting"
  | "sending"
  | "checking"
  | "stored"
  | "known"
  | "refused"
  | "failed"
  | "canceled";

/** Progress of one study of an upload, for display. */
export interface StudyProgress {
  study: FoundStudy;
  stage: UploadStage;
  sentBytes: number;
  /** error code of a failed study */
  code: string | null;
  /** worklist studies that received the files, or that the error is about */
  pids: string[];
  /** files that the server refused */
  failures: UploadFailure[];
  /** accepted series; absent before the server's answer */
  taken?: StoredSeries[];
}

/** Progress of a whole upload, for display. */
export interface UploadProgress {
  studies: StudyProgress[];
  /** `offline`: the connection is lost and being retried */
  state: "running" | "paused" | "offline" | "ended";
  sentBytes: number;
  /** total size of the studies to be sent: neither cancelled nor already on the server */
  totalBytes: number;
  /** mean speed of the last seconds, bytes/s; 0 at the start and while nothing is sent */
  bytesPerSecond: number;
}

/** Whether a study is still to be sent or stored. */
export const isUnfinished = ({ stage }: StudyProgress): boolean =>
  stage === "waiting" || stage === "sending" || stage === "checking";
