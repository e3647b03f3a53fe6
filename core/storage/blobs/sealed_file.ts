// Files that only a key opens: AES-256-GCM in chunks, each of which knows its place and whether it is the last one
// (STREAM: Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO 2015, doi:10.1007/978-3-662-47989-6_24).
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { type FileDigest, storageError } from "@/core/storage/blobs/blob_file.ts";

const MAGIC = new TextEncoder().encode("SULCUS1\n"), SALT_BYTES = 16, TAG_BYTES = 16, IV_BYTES = 12;
const HEAD_BYTES = MAGIC.length + SALT_BYTES;
export const CHUNK_BYTES = 1 << 20;
const KEY = /^[0-9a-f]{64}$/i;

/** The key of a file's text: 64 hexadecimal digits. @throws {AppError} `input.invalid`. */
export function parseKey(text: string): Uint8Array {
  if (KEY.test(text.trim())) return new Uint8Array(Buffer.from(text.trim(), "hex"));
  throw new AppError(
    "input.invalid",
    "Cannot use the key: its file must hold 64 hexadecimal digits (openssl rand -hex 32)",
  );
}

/** Size of a sealed file by that of its content, bytes. An empty one has one empty chunk. */
export const sealedSize = (sizeBytes: number): number =>
  HEAD_BYTES + sizeBytes + TAG_BYTES * Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));

const keyOf = (key: Uint8Array, salt: Uint8Array) =>
  new Uint8Array(hkdfSync("sha256", key, salt, "sulcus sealed file", 32));

/** The number of a chunk, and whether it is the last one: no other chunk of the file has the same. */
function ivOf(index: number, isLast: boolean): Uint8Array {
  const iv = new Uint8Array(IV_BYTES), view = new DataView(iv.buffer);
  view.setBigUint64(0, BigInt(index));
  iv[IV_BYTES - 1] = isLast ? 1 : 0;
  return iv;
}

async function readFull(file: Deno.FsFile, target: Uint8Array): Promise<number> {
  let size = 0;
  for (let count; size < target.length && (count = await file.read(target.subarray(size))) !== null;) {
    size += count;
  }
  return size;
}

async function writeFull(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
}

/** Pieces of a file, each with whether it is the last one. */
async function* pieces(
  file: Deno.FsFile,
  size: number,
): AsyncGenerator<{ piece: Uint8Array; isLast: boolean }> {
  let next = new Uint8Array(size), count = await readFull(file, next);
  for (;;) {
    const piece = next.subarray(0, count);
    next = new Uint8Array(size);
    count = await readFull(file, next);
    yield { piece, isLast: count === 0 };
    if (count === 0) return;
  }
}

/** Writes a file whole or not at all, forced to disk. @throws {AppError} `storage.full`. */
async function writeWhole(path: string, write: (file: Deno.FsFile) => Promise<void>): Promise<void> {
  const part = `${path}.part`;
  try {
    using target = await Deno.open(part, { write: true, create: true, truncate: true, mode: 0o600 });
    await write(target);
    await target.sync();
    await Deno.rename(part, path);
  } catch (error) {
    await Deno.remove(part).catch(() => {});
    throw error instanceof AppError ? error : storageError(error);
  }
}

/** Seals a file. @returns digest of its content. @throws {AppError} `storage.full`. */
export async function sealFile(from: string, to: string, key: Uint8Array): Promise<FileDigest> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  using source = await Deno.open(from);
  await writeWhole(to, async (target) => {
    const salt = randomBytes(SALT_BYTES), own = keyOf(key, salt);
    await writeFull(target, MAGIC);
    await writeFull(target, salt);
    let index = 0;
    for await (const { piece, isLast } of pieces(source, CHUNK_BYTES)) {
      hash.update(piece);
      sizeBytes += piece.length;
      const cipher = createCipheriv("aes-256-gcm", own, ivOf(index++, isLast));
      await writeFull(target, Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]));
    }
  });
  return { hash: hash.digest("hex"), sizeBytes };
}

const broken = (path: string, what: string, cause?: unknown) =>
  new AppError("file.damaged", `Cannot open ${path}: ${what}`, { reason: "changed" }, { cause });

/**
 * Reads a sealed file.
 * @param consume Gets its content, piece by piece, each proven before it is handed on; the end is proven last.
 * @returns digest of its content.
 * @throws {AppError} `file.damaged` for another key, changed, moved or missing chunks; the errors of the disk.
 */
export async function openSealed(
  path: string,
  key: Uint8Array,
  consume: (piece: Uint8Array) => Promise<void> = () => Promise.resolve(),
): Promise<FileDigest> {
  using source = await Deno.open(path);
  const head = new Uint8Array(HEAD_BYTES), hash = createHash("sha256");
  if (
    await readFull(source, head) < HEAD_BYTES || Buffer.compare(head.subarray(0, MAGIC.length), MAGIC) !== 0
  ) {
    throw broken(path, "it is no sealed file");
  }
  const own = keyOf(key, head.subarray(MAGIC.length));
  let index = 0, sizeBytes = 0;
  for await (const { piece, isLast } of pieces(source, CHUNK_BYTES + TAG_BYTES)) {
    if (piece.length < TAG_BYTES) throw broken(path, "it is cut short");
    const decipher = createDecipheriv("aes-256-gcm", own, ivOf(index, isLast));
    decipher.setAuthTag(piece.subarray(piece.length - TAG_BYTES));
    let content: Uint8Array;
    try {
      content = Buffer.concat([
        decipher.update(piece.subarray(0, piece.length - TAG_BYTES)),
        decipher.final(),
      ]);
    } catch (cause) {
      throw broken(
        path,
        index === 0 ? "the key is another one, or the file was changed" : "it was changed or cut short",
        cause,
      );
    }
    index++;
    hash.update(content);
    sizeBytes += content.length;
    await consume(content);
  }
  return { hash: hash.digest("hex"), sizeBytes };
}

/** Writes the content of a sealed file, whole or not at all. @throws as {@link openSealed}. */
export async function unsealFile(from: string, to: string, key: Uint8Array): Promise<FileDigest> {
  let digest: FileDigest | undefined;
  await writeWhole(to, async (target) => {
    digest = await openSealed(from, key, (piece) => writeFull(target, piece));
  });
  return digest!;
}
