/** Accepted file extensions (D1 §5). */
export const DICOM_EXTENSIONS = [".dcm", ".dicom", ".dicm"] as const;

/** File with the path relative to the selected folder, e.g. `study/series/0001.dcm`. */
export interface ChosenFile {
  path: string;
  file: File;
}

/** Whether the file extension identifies a DICOM file. */
export function isNamedDicom(path: string): boolean {
  const name = path.toLowerCase();
  return DICOM_EXTENSIONS.some((extension) => name.endsWith(extension));
}

/** Index file of a DICOM CD: selecting only this file selects the whole CD. */
export const isDicomdir = ({ path }: ChosenFile): boolean =>
  path.split("/").at(-1)!.toLowerCase() === "dicomdir";

/** Extensions of packed files. A ZIP archive is unpacked, except inside another ZIP archive. */
const PACKED_NAME = /\.(zip|gz|tgz|tar|7z|rar|bz2|xz|zst)$/;

/** Matches a file extension, which must contain a letter: a file named by a UID ends in digits. */
const EXTENSION = /\.[^.]*[^.\d][^.]*$|^\./;

/** Files in which macOS stores attributes of other files, also with the names of these files. */
const APPLE_DOUBLE = /(^|\/)(__MACOSX\/|\._)/;

/**
 * Whether a file should be read: it has a DICOM extension, or none, as in exports of scanners
 * and PACS, in which only the content identifies DICOM.
 * Packed files are read too, to inform the user that the files must be unpacked.
 */
export function couldBeDicom({ path }: ChosenFile): boolean {
  if (APPLE_DOUBLE.test(path)) return false;
  const name = path.split("/").at(-1)!.toLowerCase();
  return isNamedDicom(name) || PACKED_NAME.test(name) ||
    (!EXTENSION.test(name) && name !== "dicomdir");
}

/** Files of an input element; for a selected folder, `path` includes the folder's name. */
export const filesOfInput = (list: FileList): ChosenFile[] =>
  [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

async function filesOfEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject)
    );
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: ChosenFile[] = [];
  // a directory reader returns at most 100 entries per call
  while (true) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject)
    );
    if (entries.length === 0) return files;
    for (const inner of await Promise.all(entries.map(filesOfEntry))) files.push(...inner);
  }
}

/** Files of a drop event, including all files inside dropped folders. */
export async function filesOfDrop(transfer: DataTransfer): Promise<ChosenFile[]> {
  // copied now, because the browser empties the list of dropped items after the first await
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) =>
    entry !== null
  );
  if (entries.length === 0) return filesOfInput(transfer.files);
  return (await Promise.all(entries.map(filesOfEntry))).flat();
}

/** Adds files to a selection; a file with the same path is replaced. */
export function mergeFiles(
  before: readonly ChosenFile[],
  added: readonly ChosenFile[],
): ChosenFile[] {
  const byPath = new Map(before.map((chosen) => [chosen.path, chosen]));
  for (const chosen of added) byPath.set(chosen.path, chosen);
  return [...byPath.values()];
}
