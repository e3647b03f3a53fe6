// Copies stored files to or from a backup.
import { AppError } from "@/model/errors.ts";
import {
  contentDigest,
  contentOf,
  looksSealed,
  type Seal,
  sealedSize,
  writeContent,
} from "@/server/core/blobs/sealed_file.ts";
import {
  blobPath,
  type FileDigest,
  listBlobFiles,
  syncFolder,
} from "@/server/core/blobs/blob_file.ts";
import { blobsAfter } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { BlobFinding } from "@/server/core/site/service/site_check.ts";
import { BACKUP_DATABASE, type ReadNote } from "@/server/core/site/service/backup/backup_note.ts";

/** Folder of the stored files within a backup. */
export const BACKUP_BLOBS = "blobs";
const ROWS_AT_ONCE = 1000;

/** Encryption key of files, or `null` for unencrypted files. */
export type Key = Uint8Array | null;

/** All stored files to which a database refers, sorted by hash. */
export async function* allBlobs(db: Database) {
  for (let last = "";;) {
    const batch = await blobsAfter(db, last, ROWS_AT_ONCE);
    if (batch.length === 0) return;
    yield* batch;
    last = batch.at(-1)!.hash;
  }
}

/** Encryption of source and target of a copy. In a backup, files are sealed without a name. */
export interface Transfer {
  from: (hash: string) => Seal | null;
  /** whether the source may have unencrypted files, from before encryption was enabled */
  isEither: boolean;
  to: (hash: string) => Seal | null;
}
export const backupSeal = (key: Key) => (): Seal | null => key && { key };
export const storeSeal = (key: Key) => (hash: string): Seal | null => key && { key, name: hash };

/** Digest of a stored file in a backup; `null` for a missing file. */
export const backupDigest = (key: Key) => async (path: string): Promise<FileDigest | null> => {
  try {
    return await contentDigest(path, key && { key });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    // empty hash: a file that cannot be decrypted matches no hash
    if (error instanceof AppError && error.code === "file.damaged") {
      return { hash: "", sizeBytes: 0 };
    }
    throw error;
  }
};

const isDiskError = (error: unknown) => /os error 5\b/.test(String(error));

/** Whether a file's content has the hash in its name; false if the disk cannot read it. */
async function hasHash(path: string, hash: string, seal: Seal | null): Promise<boolean> {
  try {
    return (await contentDigest(path, seal)).hash === hash;
  } catch (error) {
    if (error instanceof AppError || isDiskError(error)) return false;
    throw error;
  }
}

/** `replaced`: a file with other content was overwritten. */
export type Copied = "copied" | "replaced" | "kept" | BlobFinding["reason"];

/**
 * Copies a blob unless the target has a file of the right size.
 * @param isCompared Whether the hash of an existing file is verified too.
 * @returns the error of a source file that cannot be copied; the target is then unchanged.
 */
export async function copyBlob(
  from: string,
  to: string,
  blob: { hash: string; sizeBytes: number },
  { from: fromSeal, isEither, to: toSeal }: Transfer,
  isCompared: boolean,
): Promise<Copied> {
  const target = blobPath(to, blob.hash), folder = target.slice(0, target.lastIndexOf("/"));
  const there = await Deno.stat(target).catch(() => null), seal = toSeal(blob.hash);
  const size = seal === null ? blob.sizeBytes : sealedSize(blob.sizeBytes);
  if (there?.size === size && (!isCompared || await hasHash(target, blob.hash, seal))) {
    return "kept";
  }
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const content = contentOf(blobPath(from, blob.hash), fromSeal(blob.hash), isEither);
    await writeContent(target, content, seal, { hash: blob.hash });
    return there === null ? "copied" : "replaced";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "missing";
    if (error instanceof AppError && error.code === "file.damaged") return "changed";
    if (error instanceof AppError || !isDiskError(error)) throw error;
    return "unreadable";
  }
}

/** Syncs the folders of all stored files in a backup to disk. */
export async function syncFolders(blobs: string): Promise<void> {
  for await (const first of Deno.readDir(blobs)) {
    if (!first.isDirectory) continue;
    for await (const { name } of Deno.readDir(`${blobs}/${first.name}`)) {
      await syncFolder(`${blobs}/${first.name}/${name}`);
    }
    await syncFolder(`${blobs}/${first.name}`);
  }
  await syncFolder(blobs);
}

const SQLITE_HEAD = new TextEncoder().encode("SQLite format 3\0");

/**
 * Whether the first bytes of a file are those of a sealed (encrypted) file.
 * `null` for a missing file, or if they are those of neither a sealed file nor a database.
 */
async function isSealedDatabase(path: string): Promise<boolean | null> {
  try {
    using file = await Deno.open(path);
    if (await looksSealed(file)) return true;
    const head = new Uint8Array(SQLITE_HEAD.length);
    await file.seek(0, Deno.SeekMode.Start);
    await file.read(head);
    return Buffer.compare(head, SQLITE_HEAD) === 0 ? false : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/**
 * Number of stored files that are examined to determine whether a backup is sealed,
 * if note and database do not show it.
 */
const ASKED_FILES = 20;

/**
 * Whether a backup is sealed. An unsigned note is consulted last, so that a forged note cannot
 * prevent an update of the backup.
 * @returns `null` if this cannot be determined.
 */
export async function isSealedBackup(
  folder: string,
  { note, proof }: ReadNote,
): Promise<boolean | null> {
  if (note !== null && proof === "proven") return note.sealed === true;
  const database = await isSealedDatabase(`${folder}/${BACKUP_DATABASE}`);
  if (database !== null) return database;
  const hashes = await listBlobFiles(`${folder}/${BACKUP_BLOBS}`).catch(() => []);
  let sealed = 0;
  for (const hash of hashes.slice(0, ASKED_FILES)) {
    using file = await Deno.open(blobPath(`${folder}/${BACKUP_BLOBS}`, hash));
    if (await looksSealed(file)) sealed++;
  }
  if (hashes.length > 0) return sealed > 0;
  return note === null ? null : note.sealed === true;
}
