import { type Language, textIn } from "@/model/text.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";

/** Formats a number of bytes: "340 kB", "12.5 MB", "2.01 GB". */
export const sizeText = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)}\u00a0kB`
    : bytes < 1e9
    ? `${(bytes / 1e6).toFixed(1)}\u00a0MB`
    : `${(bytes / 1e9).toFixed(2)}\u00a0GB`;

/** Formats the remaining time at a speed in bytes/s; `null` when unknown. */
export function timeLeftText(
  bytes: number,
  bytesPerSecond: number,
  language: Language,
): string | null {
  if (bytesPerSecond <= 0) return null;
  const seconds = Math.ceil(bytes / bytesPerSecond);
  return seconds < 90
    ? textIn(uploadDialogText.seconds, language, { n: seconds })
    : textIn(uploadDialogText.minutes, language, { n: Math.ceil(seconds / 60) });
}

type UploadTextKey = keyof typeof uploadDialogText;

/** Hook that returns the texts of the upload dialog in a language. */
export const textFor =
  (language: Language) => (key: UploadTextKey, values?: Record<string, string | number>) =>
    textIn(uploadDialogText[key], language, values);
