import { AppError } from "@/model/errors.ts";
import type { FoundFile } from "@/model/worklist/upload_study.ts";
import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { type ChosenFile, isNamedDicom } from "@/client/dicom_scan/file_selection.ts";
import { SCAN_WORKER_URL } from "@/client/dicom_scan/assets.ts";
import { nextTask } from "@/client/page/next_task.ts";
import type { ScanFile, ScanResult } from "@/client/dicom_scan/meta.ts";

/** Summary of scanning a selection of files. */
export interface ScanSummary {
  files: FoundFile[];
  /** files that have a DICOM name but cannot be used, with the reason */
  failures: UploadFailure[];
  /** number of files that are not DICOM files */
  leftOut: number;
}

interface ScanOptions {
  signal: AbortSignal;
  /** progress callback, called at most a few times a second */
  onProgress?: (readFiles: number, totalFiles: number) => void;
  /** worker factory; tests replace the worker of the page */
  startWorker?: () => Worker;
}

/** Maximum number of files read concurrently. */
const FILES_AHEAD = 16;
const PROGRESS_MS = 200;

/**
 * Reads the DICOM tags of files in a worker, so that the page stays responsive.
 * Each file is posted separately: posting a file makes the browser read size and date from disk on
 * the main thread, which takes half a millisecond and much longer on a busy machine.
 *
 * @param chosen  Files that pass `couldBeDicom`.
 * @throws {AppError} `internal` if the worker cannot run.
 * An abort rejects with the signal's reason.
 */
export function scanSelection(
  chosen: readonly ChosenFile[],
  options: ScanOptions,
): Promise<ScanSummary> {
  const {
    signal,
    onProgress,
    startWorker = () => new Worker(SCAN_WORKER_URL, { type: "module" }),
  } = options;
  const scanned: ScanSummary = { files: [], failures: [], leftOut: 0 };
  const take = (result: ScanResult) => {
    const { path } = chosen[result.index]!;
    if ("tags" in result) {
      scanned.files.push({
        index: result.index,
        path,
        sizeBytes: result.sizeBytes,
        head: result.head,
        tags: result.tags,
      });
    } else if ("reason" in result) {
      scanned.failures.push({
        file_name: path,
        code: "upload.format_not_supported",
        reason: result.reason,
        ...(result.details ? { details: result.details } : {}),
      });
    } else scanned.leftOut++;
  };
  return new Promise((resolve, reject) => {
    if (chosen.length === 0) return resolve(scanned);
    const worker = startWorker();
    let sent = 0, read = 0, toldMs = 0;
    const end = () => {
      worker.terminate();
      signal.removeEventListener("abort", abort);
    };
    const abort = () => {
      end();
      reject(signal.reason);
    };
    const sendNext = () => {
      if (sent >= chosen.length) return;
      const { file, path } = chosen[sent]!;
      worker.postMessage({ index: sent++, file, isNamed: isNamedDicom(path) } satisfies ScanFile);
    };
    worker.onmessage = ({ data }: MessageEvent<ScanResult>) => {
      take(data);
      read++;
      const nowMs = performance.now();
      if (nowMs - toldMs > PROGRESS_MS) {
        toldMs = nowMs;
        onProgress?.(read, chosen.length);
      }
      if (read < chosen.length) return sendNext();
      end();
      // restores the order of the selection, because the worker reads several files concurrently
      scanned.files.sort((a, b) => a.index - b.index);
      resolve(scanned);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      reject(new AppError("internal", `Cannot read the files: ${event.message}`));
    };
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) return abort();
    const sendFirst = async () => {
      for (let i = 0; i < FILES_AHEAD && !signal.aborted; i++) {
        sendNext();
        await nextTask();
      }
    };
    void sendFirst();
  });
}
