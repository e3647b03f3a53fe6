// Encrypted (sealed) files: AES-256-GCM in chunks.
// Each chunk authenticates its position in the file, and whether it is the last chunk.
// Scheme STREAM: Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO 2015,
// doi:10.1007/978-3-662-47989-6_24.
import { createHash, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import type { FileDigest } from "@/server/core/blobs/blob_file.ts";
import { storageError } from "@/server/core/database/storage_error.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Key and name with which a file is encrypted. */
export interface Seal {
  key: Uint8Array;
  /**
   * Blob's hash, authenticated with the content: decrypting under another hash fails.
   * Absent for files of a backup.
   */
  name?: string;
}

const MAGIC = new TextEncoder().encode("SULCUS1\n"), SALT_BYTES = 16, TAG_BYTES = 16, IV_BYTES = 12;
const HEAD_BYTES = MAGIC.length + SALT_BYTES;
export const CHUNK_BYTES = 1 << 20;
const KEY = /^[0-9a-f]{64}$/i;

/** Parses a key file: 64 hexadecimal digits. @throws {AppError} `input.invalid`. */
export function parseKey(text: string): Uint8Array {
  if (KEY.test(text.trim())) return new Uint8Array(Buffer.from(text.trim(), "hex"));
  throw new AppError(
    "input.invalid",
    "Cannot use the key: its file must hold 64 hexadecimal digits (openssl rand -hex 32)",
  );
}

const chunksIn = (sizeBytes: number) => Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));

/** Size of the encrypted file for a content size, bytes. Empty content gives one empty chunk. */
export const sealedSize = (sizeBytes: number): number =>
  HEAD_BYTES + sizeBytes + TAG_BYTES * chunksIn(sizeBytes);

/** Content size for the size of an encrypted file, bytes; wrong for a truncated file. */
export const contentSize = (sizeBytes: number): number =>
  Math.max(
    0,
    sizeBytes - HEAD_BYTES -
      TAG_BYTES * Math.ceil((sizeBytes - HEAD_BYTES) / (CHUNK_BYTES + TAG_BYTES)),
  );

/** Derives a separate key for each file from the random salt of the file. */
function ownKey({ key, name = "" }: Seal, salt: Uint8Array): Promise<CryptoKey> {
  const info = "sulcus sealed file" + (name === "" ? "" : `\n${name}`);
  const fileKey = hkdfSync("sha256", key, salt, info, 32);
  return crypto.subtle.importKey("raw", fileKey, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Nonce of a chunk: its number, and whether it is the last chunk; unique within the file. */
function ivOf(index: number, isLast: boolean): Bytes {
  const iv = new Uint8Array(IV_BYTES), view = new DataView(iv.buffer);
  view.setBigUint64(0, BigInt(index));
  iv[IV_BYTES - 1] = isLast ? 1 : 0;
  return iv;
}

async function readFull(file: Deno.FsFile, target: Uint8Array): Promise<number> {
  let size = 0;
  for (
    let count;
    size < target.length && (count = await file.read(target.subarray(size))) !== null;
  ) {
    size += count;
  }
  return size;
}

async function writeFull(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
}

/** Chunks of an encrypted file, each with a flag for the last chunk. */
async function* pieces(
  file: Deno.FsFile,
  size: number,
): AsyncGenerator<{ piece: Bytes; isLast: boolean }> {
  let buffer = new Uint8Array(size), count = await readFull(file, buffer);
  for (;;) {
    const piece = buffer.subarray(0, count);
    buffer = new Uint8Array(size);
    count = await readFull(file, buffer);
    yield { piece, isLast: count === 0 };
    if (count === 0) return;
  }
}

/**
 * Writes a file atomically, synced to disk.
 * @param part Temporary path on the same file system.
 * @throws {AppError} `storage.full`.
 */
async function writeWhole(
  path: string,
  part: string,
  write: (file: Deno.FsFile) => Promise<void>,
): Promise<void> {
  try {
    using target = await Deno.open(part, {
      write: true,
      create: true,
      truncate: true,
      mode: 0o600,
    });
    await write(target);
    await target.sync();
    await Deno.rename(part, path);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw error instanceof AppError ? error : storageError(error);
  }
}

const broken = (path: string, what: string, cause?: unknown) =>
  new AppError("file.damaged", `Cannot open ${path}: ${what}`, { reason: "changed" }, { cause });

/**
 * Reads the header of an open file; the read position is afterwards behind the header.
 * @returns the salt; `null` for an unencrypted file, with the read position at the start.
 */
async function readHead(file: Deno.FsFile): Promise<Uint8Array | null> {
  const head = new Uint8Array(HEAD_BYTES), size = await readFull(file, head);
  if (size === HEAD_BYTES && Buffer.compare(head.subarray(0, MAGIC.length), MAGIC) === 0) {
    return head.subarray(MAGIC.length);
  }
  await file.seek(0, Deno.SeekMode.Start);
  return null;
}

/**
 * Whether a file has the header of an encrypted file. The read position afterwards is undefined.
 */
export async function looksSealed(file: Deno.FsFile): Promise<boolean> {
  await file.seek(0, Deno.SeekMode.Start);
  return await readHead(file) !== null;
}

/** Decrypts one chunk. @throws {AppError} `file.damaged`. */
async function openChunk(
  path: string,
  own: CryptoKey,
  piece: Bytes,
  index: number,
  isLast: boolean,
): Promise<Bytes> {
  if (piece.length < TAG_BYTES) throw broken(path, "it is cut short");
  try {
    return new Uint8Array(
      await crypto.subtle.decrypt({ name: "AES-GCM", iv: ivOf(index, isLast) }, own, piece),
    );
  } catch (cause) {
    const what = index === 0
      ? "the key is another one, or the file was changed"
      : "it was changed or cut short";
    throw broken(path, what, cause);
  }
}

/**
 * Decrypted content of a file; each chunk is authenticated before it is returned.
 * @param from Key of the file; `null` for an unencrypted file.
 * @param isEither Whether an unencrypted file, which cannot be authenticated, is accepted too.
 * @throws {AppError} `file.damaged` for a wrong key or name, and for changed, reordered or missing
 * chunks. Errors of the disk are not converted.
 */
export async function* contentOf(
  path: string,
  from: Seal | null,
  isEither = false,
): AsyncGenerator<Bytes> {
  using file = await Deno.open(path);
  const salt = from === null ? null : await readHead(file);
  if (salt === null) {
    if (from !== null && !isEither) throw broken(path, "it is no sealed file");
    for await (const { piece } of pieces(file, CHUNK_BYTES)) yield piece;
    return;
  }
  const fileKey = await ownKey(from!, salt);
  let index = 0;
  for await (const { piece, isLast } of pieces(file, CHUNK_BYTES + TAG_BYTES)) {
    yield await openChunk(path, fileKey, piece, index++, isLast);
  }
}

/**
 * Content of an encrypted file from byte `start` to `end` (exclusive).
 * Only the chunks with these bytes are read and decrypted.
 * @throws {AppError} as {@link contentOf}.
 */
export async function* rangeOf(
  file: Deno.FsFile,
  path: string,
  seal: Seal,
  start: number,
  end: number,
): AsyncGenerator<Bytes> {
  const { size } = await file.stat();
  await file.seek(0, Deno.SeekMode.Start);
  const salt = await readHead(file);
  if (salt === null) throw broken(path, "it is no sealed file");
  const fileKey = await ownKey(seal, salt), step = CHUNK_BYTES + TAG_BYTES;
  const last = Math.max(0, Math.ceil((size - HEAD_BYTES) / step) - 1);
  for (
    let index = Math.floor(start / CHUNK_BYTES);
    index <= last && index * CHUNK_BYTES < end;
    index++
  ) {
    const piece = new Uint8Array(step), at = index * CHUNK_BYTES;
    await file.seek(HEAD_BYTES + index * step, Deno.SeekMode.Start);
    const count = await readFull(file, piece);
    const content = await openChunk(path, fileKey, piece.subarray(0, count), index, index === last);
    yield content.subarray(
      Math.max(0, start - at),
      Math.max(0, Math.min(content.length, end - at)),
    );
  }
}

/**
 * Writes content atomically, synced to disk.
 * @param to Key with which the new file is encrypted; `null`: not encrypted.
 * @param options `part`: temporary path; `hash`: expected hash of the content.
 * @returns digest of the content. @throws {AppError} `storage.full`, `file.damaged`.
 * Errors of the content's stream are passed on unchanged.
 */
export async function writeContent(
  path: string,
  content: AsyncIterable<Bytes>,
  to: Seal | null,
  { part = `${path}.part`, hash: expected }: { part?: string; hash?: string } = {},
): Promise<FileDigest> {
  const digest = createHash("sha256");
  let hash = "", sizeBytes = 0;
  const noted = async function* () {
    for await (const piece of content) {
      digest.update(piece);
      sizeBytes += piece.length;
      yield piece;
    }
    hash = digest.digest("hex");
    if (expected !== undefined && expected !== hash) throw broken(path, "its bytes have changed");
  };
  await writeWhole(path, part, async (target) => {
    if (to === null) {
      for await (const piece of noted()) await writeFull(target, piece);
      return;
    }
    const salt = new Uint8Array(randomBytes(SALT_BYTES)), own = await ownKey(to, salt);
    await writeFull(target, MAGIC);
    await writeFull(target, salt);
    let index = 0;
    for await (const { piece, isLast } of inChunks(noted())) {
      const iv = ivOf(index++, isLast);
      await writeFull(
        target,
        new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, own, piece)),
      );
    }
  });
  return { hash, sizeBytes };
}

/** Regroups content into chunks of {@link CHUNK_BYTES}; only the last may be shorter or empty. */
async function* inChunks(
  content: AsyncIterable<Bytes>,
): AsyncGenerator<{ piece: Bytes; isLast: boolean }> {
  let waiting: Bytes = new Uint8Array(0);
  for await (let piece of content) {
    if (waiting.length > 0 && waiting.length < CHUNK_BYTES) {
      piece = new Uint8Array(Buffer.concat([waiting, piece]));
      waiting = new Uint8Array(0);
    }
    if (waiting.length > 0 && piece.length > 0) {
      yield { piece: waiting, isLast: false };
      waiting = new Uint8Array(0);
    }
    let at = 0;
    for (; piece.length - at > CHUNK_BYTES; at += CHUNK_BYTES) {
      yield { piece: piece.subarray(at, at + CHUNK_BYTES), isLast: false };
    }
    if (piece.length > at) waiting = piece.subarray(at);
  }
  yield { piece: waiting, isLast: true };
}

/** Digest of a file's content. @throws as {@link contentOf}. */
export async function contentDigest(
  path: string,
  from: Seal | null,
  isEither = false,
): Promise<FileDigest> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const piece of contentOf(path, from, isEither)) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { hash: hash.digest("hex"), sizeBytes };
}

/**
 * Encrypts a file to another path. @returns digest of the content.
 * @throws {AppError} `storage.full`.
 */
export const sealFile = (from: string, to: string, key: Uint8Array): Promise<FileDigest> =>
  writeContent(to, contentOf(from, null), { key });

/** Decrypts a file to another path, atomically. @throws as {@link contentOf}. */
export const unsealFile = (from: string, to: string, key: Uint8Array): Promise<FileDigest> =>
  writeContent(to, contentOf(from, { key }), null);
