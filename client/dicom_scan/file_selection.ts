/** Extensions that are accepted (D1 §5). */
export const DICOM_EXTENSIONS = [".dcm", ".dicom", ".dicm"] as const;

/** A file with its path relative to the selection, e.g. `study/series/0001.dcm`. */
export interface ChosenFile {
  path: string;
  file: File;
}

/** Whether the name says that a file is DICOM. */
export function isNamedDicom(path: string): boolean {
  const name = path.toLowerCase();
  return DICOM_EXTENSIONS.some((extension) => name.endsWith(extension));
}

/** The index file of a CD: choosing it alone means the whole CD. */
export const isDicomdir = ({ path }: ChosenFile): boolean =>
  path.split("/").at(-1)!.toLowerCase() === "dicomdir";

/**
 * Whether a file is worth reading: it is DICOM by its name, or has no extension, as in exports of
 * scanners and PACS, so that only its content can say.
 */
export function couldBeDicom({ path }: ChosenFile): boolean {
  const name = path.split("/").at(-1)!.toLowerCase();
  return isNamedDicom(name) || (!name.includes(".") && name !== "dicomdir");
}

/** Files of an input element; those of a chosen folder carry their path. */
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
  // a reader gives at most 100 entries at a time
  while (true) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject)
    );
    if (entries.length === 0) return files;
    for (const inner of await Promise.all(entries.map(filesOfEntry))) files.push(...inner);
  }
}

/** Files and folders that were dropped, folders with all that is in them. */
export async function filesOfDrop(transfer: DataTransfer): Promise<ChosenFile[]> {
  // the list of items is empty after the first await
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) =>
    entry !== null
  );
  if (entries.length === 0) return filesOfInput(transfer.files);
  return (await Promise.all(entries.map(filesOfEntry))).flat();
}

/** Adds files to a selection; a path that is there already is replaced. */
export function mergeFiles(
  before: readonly ChosenFile[],
  added: readonly ChosenFile[],
): ChosenFile[] {
  const byPath = new Map(before.map((chosen) => [chosen.path, chosen]));
  for (const chosen of added) byPath.set(chosen.path, chosen);
  return [...byPath.values()];
}
