import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "@/model/errors.ts";
import { storageError } from "@/server/core/database/storage_error.ts";

/** Piece of a file that is read, hashed and written at once. */
const PIECE_BYTES = 1 << 18;

/** Path of the blob with this hash below the store's folder. */
export const blobPath = (folder: string, hash: string): string =>
  `${folder}/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;

/** Digest of a complete file. */
export interface FileDigest {
  /** SHA-256, hexadecimal */
  hash: string;
  sizeBytes: number;
}

/**
 * Reads a file from its place to its end. `each` gets the pieces, which are valid until it settles.
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
 * Copies a file to another place, in which it appears whole and forced to disk, or not at all.
 * @returns the bytes. @throws {AppError} `storage.full`; other errors unchanged.
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
 * Creates a folder and those above it that are missing, for the owner only; a power cut leaves none
 * of them out.
 * @returns the folders whose names were forced to disk, the outermost first; none when all were
 *   there.
 */
export function makeFolders(path: string): string[] {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder);
  }
  for (const folder of missing) {
    // another process may be making it too
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    using parent = Deno.openSync(dirname(folder));
    parent.syncSync();
  }
  return missing;
}

/** Forces the names in a folder to disk. */
export async function syncFolder(path: string): Promise<void> {
  using folder = await Deno.open(path);
  await folder.sync();
}

const HASH = /^[0-9a-f]{64}$/;

/** Names in a folder that can be of blobs, in order. */
async function namesIn(folder: string, form: RegExp): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) if (form.test(name)) names.push(name);
  return names.sort();
}

const DIGITS = /^[0-9a-f]{2}$/;

/**
 * Hashes of the blobs in their places below a store's folder, in order, those with the same first
 * four digits together: a site has hundreds of files a study, and a `Set` holds 16.7 million.
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

/** Whether there is a blob in its place below a store's folder. */
export async function hasBlobFiles(folder: string): Promise<boolean> {
  for await (const { hashes } of blobFilesByPrefix(folder)) if (hashes.length > 0) return true;
  return false;
}

/** Hashes of all blobs in their places below a store's folder. */
export async function listBlobFiles(folder: string): Promise<string[]> {
  const hashes: string[] = [];
  for await (const group of blobFilesByPrefix(folder)) {
    for (const hash of group.hashes) hashes.push(hash);
  }
  return hashes;
}

/**
 * Hashes of blobs in their places that `namedIn` does not know, those of a folder together.
 * @param listed Hears of all files of a folder before `namedIn` is asked.
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

/** Hashes of blobs in their places that `namedIn` does not know. */
export async function* unnamedFiles(folder: string, namedIn: NamedIn): AsyncGenerator<string> {
  for await (const { unnamed } of unnamedByPrefix(folder, namedIn)) yield* unnamed;
}

/** Hashes with these first four digits that rows name. */
export type NamedIn = (prefix: string) => Promise<ReadonlySet<string>>;

/** @returns the error of a missing blob, or of one with other bytes than were stored. */
export function damaged(hash: string, reason: "missing" | "changed", cause?: unknown): AppError {
  const what = reason === "missing" ? "not there" : "its bytes have changed";
  return new AppError("file.damaged", `Cannot read stored file ${hash}: ${what}`, { reason }, {
    cause,
  });
}

/** A verified file counts as verified for this long: its hash is not computed for each picture. */
const VERIFIED_MS = 3_600_000;
const MAX_VERIFIED = 10_000;

/** Files that were compared with their hash a short while ago and have not been written since. */
export class VerifiedBlobs {
  readonly #known = new Map<string, { untilMs: number; mark: string; sizeBytes: number }>();

  /**
   * Leaves the file at any place.
   * @param digest Reads its content.
   * @returns the size of its content, bytes.
   * @throws {AppError} `file.damaged` when its bytes are not those of the hash.
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
