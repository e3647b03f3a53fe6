import { useEffect, useRef, useState } from "react";
import { type ChosenFile, filesOfDrop } from "@/client/dicom_scan/file_selection.ts";

/** Whether a drag brings files, and not a piece of the page. */
const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes("Files") ?? false;

/**
 * A drag of files over the page ends or leaves the window when no event follows within this time.
 */
const QUIET_MS = 400;

/**
 * Files that are dropped anywhere on the page. Without this the browser would show the file in
 * place of the page.
 * @param takes Whether files are wanted now: not while a dialog asks something else.
 * @returns whether files are held over the page.
 */
export function usePageDrop(
  takes: () => boolean,
  onDrop: (files: Promise<ChosenFile[]>) => void,
): boolean {
  const [isOver, setOver] = useState(false), calls = useRef({ takes, onDrop });
  calls.current = { takes, onDrop };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = () => {
      clearTimeout(timer);
      setOver(false);
    };
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      const isTaken = calls.current.takes();
      event.dataTransfer!.dropEffect = isTaken ? "copy" : "none";
      setOver(isTaken);
      clearTimeout(timer);
      timer = setTimeout(leave, QUIET_MS);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      leave();
      if (calls.current.takes()) calls.current.onDrop(filesOfDrop(event.dataTransfer!));
    };
    // the browser lets a drop through only if the last of these two events was cancelled
    document.addEventListener("dragenter", over);
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("dragenter", over);
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
