import type { StoredSeries, UploadFailure } from "@/model/schema/studies/upload.ts";
import type { FoundStudy } from "@/model/worklist/upload_study.ts";

/**
 * Where one study of an upload is. `checking`: all is sent, the server sorts and stores it;
 * `failed` can be tried again, unlike `refused`, where the server has said that it cannot be used;
 * `known`: the server has all of it.
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

/** One study of an upload, as it is shown. */
export interface StudyProgress {
  study: FoundStudy;
  stage: UploadStage;
  sentBytes: number;
  /** an error code, when it failed */
  code: string | null;
  /** the studies in the worklist that it went into, or that the error is about */
  pids: string[];
  /** files that did not go in */
  failures: UploadFailure[];
  /** series that were taken; absent before the answer */
  taken?: StoredSeries[];
}

/** A whole upload, as it is shown. */
export interface UploadProgress {
  studies: StudyProgress[];
  /** `offline`: the connection is lost, and tried again */
  state: "running" | "paused" | "offline" | "ended";
  sentBytes: number;
  /** of the studies that are to be sent: neither canceled nor known to the server */
  totalBytes: number;
  /** mean of the last seconds; 0 at the start and while nothing is sent */
  bytesPerSecond: number;
}

/** Whether a study still has to be sent or stored. */
export const isUnfinished = ({ stage }: StudyProgress): boolean =>
  stage === "waiting" || stage === "sending" || stage === "checking";
