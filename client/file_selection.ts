/** Extensions that are accepted (D1 §5). */
export const DICOM_EXTENSIONS = [".dcm", ".dicom", ".dicm"] as const;

/** A file with its path inside what was chosen, e.g. `study/series/0001.dcm`. */
export interface ChosenFile {
  path: string;
  file: File;
}
export interface Selection {
  accepted: ChosenFile[];
  /** number of files that are not DICOM files by their name */
  leftOut: number;
}

const PREFIX_BYTES = 128;

/** A file of a scanner or PACS export without extension: only its content says that it is DICOM (PS3.10 §7.1). */
async function hasDicomPrefix(file: File): Promise<boolean> {
  if (file.size < PREFIX_BYTES + 4) return false;
  const bytes = new Uint8Array(await file.slice(PREFIX_BYTES, PREFIX_BYTES + 4).arrayBuffer());
  return String.fromCharCode(...bytes) === "DICM";
}

/** Sorts chosen files into those to send and those left out. A DICOMDIR is an index, not an image. */
export async function selectDicomFiles(files: readonly ChosenFile[]): Promise<Selection> {
  const verdicts = await Promise.all(files.map(({ file }) => {
    const name = file.name.toLowerCase();
    if (DICOM_EXTENSIONS.some((extension) => name.endsWith(extension))) return true;
    return !name.includes(".") && name !== "dicomdir" && hasDicomPrefix(file);
  }));
  const accepted = files.filter((_, i) => verdicts[i]);
  return { accepted, leftOut: files.length - accepted.length };
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
  const found: ChosenFile[] = [];
  // a reader gives at most 100 entries at a time
  while (true) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject)
    );
    if (entries.length === 0) return found;
    for (const inner of await Promise.all(entries.map(filesOfEntry))) found.push(...inner);
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
export function mergeSelections(before: Selection, added: Selection): Selection {
  const byPath = new Map(before.accepted.map((chosen) => [chosen.path, chosen]));
  for (const chosen of added.accepted) byPath.set(chosen.path, chosen);
  return { accepted: [...byPath.values()], leftOut: before.leftOut + added.leftOut };
}
