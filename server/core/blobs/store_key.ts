import { hkdfSync } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { hasBlobFiles, makeFolders, syncFolder } from "@/server/core/blobs/blob_file.ts";

/** Note beside the blobs that identifies the store's key without revealing it. */
interface StoreKeyNote {
  /** fingerprint of the key */
  mark: string;
  /** whether all files are encrypted, including those from before encryption was enabled */
  isWhole: boolean;
}

const NOTE = "key.json", MARK_BYTES = 8;
const HELP =
  "Name the file of its key in SULCUS_STORAGE_KEY_FILE; without the key nothing opens them";

/** Fingerprint of a key. */
export const markOf = (key: Uint8Array): string =>
  Buffer.from(hkdfSync("sha256", key, "", "sulcus mark of a store's key", MARK_BYTES)).toString(
    "hex",
  );

/**
 * Reads the note about the key.
 * @returns `null` for a store that is not encrypted. @throws {AppError} `file.damaged`.
 */
export async function readKeyNote(folder: string): Promise<StoreKeyNote | null> {
  const path = `${folder}/${NOTE}`;
  try {
    const { mark, is_whole } = JSON.parse(await Deno.readTextFile(path));
    if (typeof mark === "string" && typeof is_whole === "boolean") {
      return { mark, isWhole: is_whole };
    }
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return null;
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw new AppError("file.damaged", `Cannot read ${path}: it is no note of a key`, {
    reason: "changed",
  });
}

/** Writes the note about the key atomically and synced; `null` deletes the note. */
export async function writeKeyNote(folder: string, note: StoreKeyNote | null): Promise<void> {
  const path = `${folder}/${NOTE}`;
  makeFolders(folder);
  if (note === null) await Deno.remove(path).catch(() => {});
  else {
    const text = JSON.stringify({ mark: note.mark, is_whole: note.isWhole }) + "\n";
    await Deno.writeTextFile(`${path}.part`, text, { mode: 0o600 });
    using file = await Deno.open(`${path}.part`, { read: true, write: true });
    await file.sync();
    await Deno.rename(`${path}.part`, path);
  }
  await syncFolder(folder);
}

/**
 * Checks before anything is written that a store's files can be decrypted.
 * @throws {AppError} `input.invalid` without the key, or with a wrong key.
 */
export async function checkStoreKey(folder: string, key: Uint8Array | null): Promise<void> {
  const note = await readKeyNote(folder);
  if (note === null || (key !== null && note.mark === markOf(key))) return;
  const what = key === null
    ? "they are encrypted"
    : `they are encrypted with another key (mark ${note.mark})`;
  throw new AppError(
    "input.invalid",
    `Cannot open the stored files in ${folder}: ${what}. ${HELP}`,
  );
}

/** {@link checkStoreKey}; with a key, also writes the note that files are now encrypted. */
export async function openStoreKey(folder: string, key: Uint8Array | null): Promise<void> {
  await checkStoreKey(folder, key);
  if (key === null || await readKeyNote(folder) !== null) return;
  makeFolders(folder);
  const isWhole = !await hasBlobFiles(folder);
  await writeKeyNote(folder, { mark: markOf(key), isWhole });
}
