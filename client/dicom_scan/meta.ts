import type { UploadReason } from "@/model/text/worklist/upload.ts";
import type { FileTags } from "@/model/worklist/upload_study.ts";

/** A file that is to be read; `index` is its place in the selection. */
export interface ScanFile {
  index: number;
  file: Blob;
  /** its name says that it is DICOM; else it is left out unless its content does */
  isNamed: boolean;
}

/**
 * Result for one file: its tags and size, the reason why it cannot be used, or nothing: it is no
 * DICOM file. The page would wait for the disk again if it asked for the size itself.
 */
export type ScanResult =
  & { index: number }
  & (
    | { tags: FileTags; sizeBytes: number; head: number }
    | { reason: UploadReason; details?: Record<string, string> }
    | { isLeftOut: true }
  );
