import type { UploadReason } from "@/model/text/worklist/upload.ts";
import type { FileTags } from "@/model/worklist/upload_study.ts";

/** File to be read; `index` is the file's position in the selection. */
export interface ScanFile {
  index: number;
  file: Blob;
  /** whether the file's name identifies DICOM; if not, only the content can show it */
  isNamed: boolean;
}

/**
 * Scan result of one file: tags and size, the reason why the file cannot be used,
 * or no value for a file that is not DICOM (neither a tag nor a reason).
 * Includes the size, because asking for it on the page would wait for the disk again.
 */
export type ScanResult =
  & { index: number }
  & (
    | { tags: FileTags; sizeBytes: number; head: number }
    | { reason: UploadReason; details?: Record<string, string> }
    | { isLeftOut: true }
  );
