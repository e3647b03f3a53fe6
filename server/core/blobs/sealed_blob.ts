// Blobs encrypted (sealed) under their hash: decrypting authenticates the content without hashing.
import { createHash } from "node:crypto";
import { damaged, type FileDigest } from "@/server/core/blobs/blob_file.ts";
import { contentOf, rangeOf, type Seal } from "@/server/core/blobs/sealed_file.ts";

type BlobSeal = Required<Seal>;
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads all bytes of a blob, encrypted or not.
 * @throws {AppError} `file.damaged` for a missing or changed blob.
 */
export async function readSealedBlob(path: string, seal: BlobSeal): Promise<Bytes> {
  const pieces: Bytes[] = [], digest = createHash("sha256");
  try {
    for await (const piece of contentOf(path, seal, true)) {
      digest.update(piece);
      pieces.push(piece);
    }
  } catch (cause) {
    throw damaged(seal.name, cause instanceof Deno.errors.NotFound ? "missing" : "changed", cause);
  }
  if (digest.digest("hex") !== seal.name) throw damaged(seal.name, "changed");
  return pieces.length === 1 ? pieces[0]! : new Uint8Array(Buffer.concat(pieces));
}

/** Decrypts every chunk of a blob, only to verify it. @throws {AppError} `file.damaged`. */
export async function proveSealed(file: Deno.FsFile, seal: BlobSeal): Promise<FileDigest> {
  let sizeBytes = 0;
  try {
    for await (const piece of rangeOf(file, seal.name, seal, 0, Infinity)) {
      sizeBytes += piece.length;
    }
  } catch (cause) {
    throw damaged(seal.name, "changed", cause);
  }
  return { hash: seal.name, sizeBytes };
}

/** Content of an open blob from byte `start` to `end` (exclusive); closes the file at the end. */
export function streamSealed(
  file: Deno.FsFile,
  seal: BlobSeal,
  start: number,
  end: number,
): ReadableStream<Bytes> {
  const pieces = rangeOf(file, seal.name, seal, start, end);
  let isOpen = true;
  const close = () => {
    if (isOpen) file.close();
    isOpen = false;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        let piece = await pieces.next();
        while (!piece.done && piece.value.length === 0) piece = await pieces.next();
        if (!piece.done) return controller.enqueue(piece.value);
      } catch (error) {
        close();
        throw error;
      }
      close();
      controller.close();
    },
    cancel: close,
  });
}
