import { useEffect, useRef, useState } from "react";
import { AppError } from "@/model/errors.ts";
import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { groupStudies } from "@/model/worklist/upload_study.ts";
import { scanSelection } from "@/client/dicom_scan/client.ts";
import {
  type ChosenFile,
  couldBeDicom,
  isDicomdir,
  mergeFiles,
} from "@/client/dicom_scan/file_selection.ts";
import { withoutArchives } from "@/client/dicom_scan/zip_files.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { SerialQueue } from "@/client/serial_queue.ts";
import type { Choice } from "@/components/worklist/upload/choice.tsx";

const NOTHING: Choice = {
  chosen: [],
  studies: [],
  scanned: { files: [], failures: [], leftOut: 0 },
};

/** Yields to the browser between two steps over thousands of files. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

const repeatedFailure = ({ path }: { path: string }): UploadFailure => ({
  file_name: path,
  code: "upload.format_not_supported",
  reason: "duplicate_instance",
});

/**
 * Marks the selection as containing an unreadable archive. @returns `null` for any other error.
 */
function withArchiveFailure(choice: Choice, error: unknown): Choice | null {
  if (!(error instanceof AppError) || error.details.reason !== "archive") return null;
  const failure = { file_name: String(error.details.file), code: error.code, reason: "archive" };
  const { scanned } = choice;
  return { ...choice, scanned: { ...scanned, failures: [...scanned.failures, failure] } };
}

/** The selected files, which are read sequentially, and the studies in these files. */
export function useChosenFiles() {
  const [choice, setChoice] = useState(NOTHING);
  const [reading, setReading] = useState<{ read: number; total: number } | null>(null);
  const [isDicomdirAlone, setAlone] = useState(false);
  /** paths of selected files that are not DICOM according to the file names */
  const otherFiles = useRef(new Set<string>());
  // includes a second folder that was added while the first one was being read
  const [reader] = useState(() => new SerialQueue(() => setReading(null))),
    latest = useRef(NOTHING);
  useEffect(() => () => reader.stop(), []);

  const choose = (next: Choice) => {
    latest.current = next;
    setChoice(next);
  };
  const read = async (files: Promise<ChosenFile[]> | ChosenFile[], signal: AbortSignal) => {
    const onProgress = (read: number, total: number) => setReading({ read, total });
    try {
      const added = await withoutArchives(await files, couldBeDicom, { signal, onProgress });
      await nextTask();
      // reads all files again, which is fast and detects changed files
      const chosen = mergeFiles(latest.current.chosen, added.filter(couldBeDicom));
      await nextTask();
      const scanned = await scanSelection(chosen, { signal, onProgress });
      await nextTask();
      const { studies, repeated } = groupStudies(scanned.files);
      await nextTask();
      for (const file of added) {
        if (!couldBeDicom(file) && !isDicomdir(file)) otherFiles.current.add(file.path);
      }
      scanned.leftOut += otherFiles.current.size;
      scanned.failures.push(...repeated.map(repeatedFailure));
      choose({ chosen, studies, scanned });
      setAlone(studies.length === 0 && added.some(isDicomdir));
      if (studies.length === 0 && added.length > 0) presentToast("upload.format_not_supported");
    } catch (error) {
      if (signal.aborted) return;
      const without = withArchiveFailure(latest.current, error);
      if (without === null) return presentError(error);
      choose(without);
    }
  };
  return {
    choice,
    /** number of files read so far; `null` when none are being read */
    reading,
    isDicomdirAlone,
    add(files: Promise<ChosenFile[]> | ChosenFile[]): void {
      setReading((now) => now ?? { read: 0, total: 0 });
      // ignored here: reading the folder reports the same error
      Promise.resolve(files).catch(() => {});
      reader.add((signal) => read(files, signal));
    },
    stop(): void {
      reader.stop();
      setReading(null);
    },
    clear(): void {
      otherFiles.current.clear();
      choose(NOTHING);
    },
  };
}
