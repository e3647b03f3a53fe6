import type { UploadReason } from "@/model/text/upload.ts";
import type { FileTags } from "@/model/upload_study.ts";

/** A file that is to be read; `index` is its place in the selection. */
export interface ScanFile {
  index: number;
  file: Blob;
  /** its name says that it is DICOM; else it is left out unless its content does */
  isNamed: boolean;
}

/** What came out of one file: its tags, why it cannot be used, or nothing: it is no DICOM file. */
export type ScanResult =
  & { index: number }
  & (
    | { tags: FileTags }
    | { reason: UploadReason; details?: Record<string, string> }
    | { isLeftOut: true }
  );

/**
 * Files of one message to the worker, which answers it with all their results. The browser asks the disk for size and
 * date of each file that is posted, on the page's thread: half a millisecond, many on a busy machine.
 */
export const FILES_PER_MESSAGE = 1;
