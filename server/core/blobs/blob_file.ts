import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "@/model/errors.ts";
import { storageError } from "@/server/core/database/storage_error.ts";

/** Bytes of a file that are read, hashed and written in one step. */
const PIECE_BYTES = 1 << 18;

/** Path of a blob in the store's folder, by the blob's hash: `ab/cd/abcd…`. */
export const blobPath = (folder: string, hash: string): string =>
  `${folder}/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;

/** Digest and size of a complete file. */
export interface FileDigest {
  /** SHA-256, hexadecimal */
  hash: string;
  sizeBytes: number;
}

/**
 * Reads a file from the current position to the end; `each` may use a chunk only until it settles.
 */
export async function readDigest(
  file: Deno.FsFile,
  each?: (piece: Uint8Array) => Promise<void>,
): Promise<FileDigest> {
  const digest = createHash("sha256"), buffer = new Uint8Array(PIECE_BYTES);
  let sizeBytes = 0;
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    const piece = buffer.subarray(0, count);
    digest.update(piece);
    sizeBytes += count;
    await each?.(piece);
  }
  return { hash: digest.digest("hex"), sizeBytes };
}

/**
 * Copies a file atomically: the target is created completely and synced to disk, or not at all.
 * @returns digest of the content. @throws {AppError} `storage.full`; other errors unchanged.
 */
export async function copyFile(from: string, to: string): Promise<FileDigest> {
  const part = `${to}.part`;
  try {
    using source = await Deno.open(from);
    using target = await Deno.open(part, {
      write: true,
      create: true,
      truncate: true,
      mode: 0o600,
    });
    const digest = await readDigest(source, async (piece) => {
      for (let done = 0; done < piece.length;) done += await target.write(piece.subarray(done));
    });
    await target.sync();
    await Deno.rename(part, to);
    return digest;
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw storageError(error);
  }
}

/**
 * Creates a folder with its missing parents, synced to disk, accessible to the owner only.
 * @returns the created folders, outermost first; empty when the folder existed.
 */
export function makeFolders(path: string): string[] {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder);
  }
  for (const folder of missing) {
    // another process may be creating the same folder
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    using parent = Deno.openSync(dirname(folder));
    parent.syncSync();
  }
  return missing;
}

/** Syncs a folder to disk, so that the names of its files survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  using folder = await Deno.open(path);
  await folder.sync();
}

const HASH = /^[0-9a-f]{64}$/;

/** Names in a folder that match a pattern, sorted. */
async function namesIn(folder: string, form: RegExp): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) if (form.test(name)) names.push(name);
  return names.sort();
}

const DIGITS = /^[0-9a-f]{2}$/;

/**
 * Hashes of stored blobs, sorted and grouped by the first four hexadecimal digits.
 * One `Set` of all hashes is impossible: the maximum is 16.7 million, and a study has hundreds.
 */
async function* blobFilesByPrefix(
  folder: string,
): AsyncGenerator<{ prefix: string; hashes: string[] }> {
  for (const first of await namesIn(folder, DIGITS)) {
    for (const second of await namesIn(`${folder}/${first}`, DIGITS)) {
      const prefix = first + second, names = await namesIn(`${folder}/${first}/${second}`, HASH);
      yield { prefix, hashes: names.filter((name) => name.startsWith(prefix)) };
    }
  }
}

/** Whether a store's folder contains any blob. */
export async function hasBlobFiles(folder: string): Promise<boolean> {
  for await (const { hashes } of blobFilesByPrefix(folder)) if (hashes.length > 0) return true;
  return false;
}

/** Hashes of all blobs in a store's folder. */
export async function listBlobFiles(folder: string): Promise<string[]> {
  const hashes: string[] = [];
  for await (const group of blobFilesByPrefix(folder)) {
    for (const hash of group.hashes) hashes.push(hash);
  }
  return hashes;
}

/**
 * Hashes of stored blobs to which no database row refers, folder by folder.
 * @param listed Receives all hashes of a folder before the database is read for that folder.
 */
export async function* unnamedByPrefix(
  folder: string,
  namedIn: NamedIn,
  listed: (hashes: readonly string[]) => void = () => {},
): AsyncGenerator<{ prefix: string; unnamed: string[] }> {
  for await (const { prefix, hashes } of blobFilesByPrefix(folder)) {
    listed(hashes);
    const referenced = await namedIn(prefix);
    yield { prefix, unnamed: hashes.filter((hash) => !referenced.has(hash)) };
  }
}

/** Hashes of stored blobs to which no database row refers. */
export async function* unnamedFiles(folder: string, namedIn: NamedIn): AsyncGenerator<string> {
  for await (const { unnamed } of unnamedByPrefix(folder, namedIn)) yield* unnamed;
}

/** Reads from the database the referenced hashes that begin with these four digits. */
export type NamedIn = (prefix: string) => Promise<ReadonlySet<string>>;

/** @returns the error for a missing blob, or for a blob with changed content. */
export function damaged(hash: string, reason: "missing" | "changed", cause?: unknown): AppError {
  const what = reason === "missing" ? "not there" : "its bytes have changed";
  return new AppError("file.damaged", `Cannot read stored file ${hash}: ${what}`, { reason }, {
    cause,
  });
}

/** Time for which a verified file is not hashed again: a viewer reads the same file repeatedly. */
const VERIFIED_MS = 3_600_000;
const MAX_VERIFIED = 10_000;

/** Files that were recently verified against the hash in their name, and not written since then. */
export class VerifiedBlobs {
  readonly #known = new Map<string, { untilMs: number; mark: string; sizeBytes: number }>();

  /**
   * Verifies a file by the hash in the name; the read position afterwards is undefined.
   * @param digest Function that reads the file's content.
   * @returns size of the content, bytes.
   * @throws {AppError} `file.damaged` when the content does not match the hash.
   */
  async check(
    hash: string,
    file: Deno.FsFile,
    digest: (file: Deno.FsFile) => Promise<FileDigest> = readDigest,
  ): Promise<number> {
    const { size, mtime, ino } = await file.stat(), mark = `${size}/${mtime?.getTime()}/${ino}`;
    const verified = this.#known.get(hash);
    if (verified?.mark === mark && verified.untilMs > performance.now()) return verified.sizeBytes;
    this.#known.delete(hash);
    const actual = await digest(file);
    if (actual.hash !== hash) throw damaged(hash, "changed");
    this.#known.set(hash, {
      mark,
      untilMs: performance.now() + VERIFIED_MS,
      sizeBytes: actual.sizeBytes,
    });
    if (this.#known.size > MAX_VERIFIED) this.#known.delete(this.#known.keys().next().value!);
    return actual.sizeBytes;
  }
}
