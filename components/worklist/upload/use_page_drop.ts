import { useEffect, useRef, useState } from "react";
import { type ChosenFile, filesOfDrop } from "@/client/dicom_scan/file_selection.ts";

/** Whether a drag contains files, and not text or a link of the page. */
const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes("Files") ?? false;

/** Time without events after which a drag of files has ended or left the window. */
const QUIET_MS = 400;

/**
 * Receives files dropped anywhere on the page.
 * Without this handler, the browser would open the file instead of the page.
 * @param takes Whether files are currently accepted; not while another dialog is open.
 * @returns whether files are being dragged over the page.
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
    // browsers allow a drop only if the last dragenter or dragover event was cancelled
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
