// File names in the requests of a study's upload, and the name of the upload.
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type { FoundStudy } from "@/model/worklist/upload_study.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";

/** Maximum length of a name that the server accepts. */
const MAX_NAME = 512;

/** A file with the size, because reading the size again blocks the page each time. */
export interface SizedFile extends ChosenFile {
  sizeBytes: number;
}

/** Random name of an upload. `crypto.randomUUID` is missing on a page without TLS. */
export const newUploadId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

/** Two 53-bit hashes of a text (cyrb53), for distinguishing texts, not for security. */
function hashOf(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed, b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * Files of a study by name, and the name of the upload, which is derived from the files:
 * selecting the same files again after an interruption resumes the upload.
 */
export function namedFiles(
  study: FoundStudy,
  chosen: readonly ChosenFile[],
  seriesType: SeriesType | undefined,
) {
  const files = filesByName(study, chosen);
  const uids = study.files.map(({ tags, sizeBytes }) => `${tags.instanceUid} ${sizeBytes}`);
  const text = JSON.stringify([study.studyUid, seriesType, [...files.keys()], uids]);
  return { files, uploadId: hashOf(text, 1) + hashOf(text, 2) };
}

/**
 * A file name as the server decodes the name in the request, which escapes quotes and line breaks.
 */
export const nameOnWire = (path: string): string =>
  path.toWellFormed().replace(
    /%(22|0D|0A)/gi,
    (_, hex: string) => String.fromCharCode(parseInt(hex, 16)),
  )
    .slice(0, MAX_NAME);

/**
 * Files of a study by name in the request. Duplicate names get a suffix:
 * otherwise the second file would count as already sent.
 */
function filesByName(study: FoundStudy, chosen: readonly ChosenFile[]): Map<string, SizedFile> {
  const files = new Map<string, SizedFile>();
  for (const { index, path, sizeBytes } of study.files) {
    let uniquePath = path;
    while (files.has(nameOnWire(uniquePath))) uniquePath = `${index}/${uniquePath}`;
    files.set(nameOnWire(uniquePath), { path: uniquePath, file: chosen[index]!.file, sizeBytes });
  }
  return files;
}
