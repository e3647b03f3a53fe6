// A file of the image cache: the length of a head (4 bytes, little-endian), the head (headers,
// JSON), and the bytes.
import { createHash } from "node:crypto";

/**
 * A verified file counts as verified for this long unless it is written, as in the core's own
 * store.
 */
const VERIFIED_MS = 3_600_000;
const PIECE_BYTES = 1 << 18;
/** Limit of a head, because a damaged length could claim gigabytes. */
const MAX_HEAD_BYTES = 1 << 16;

/** A file that was compared with its hash. */
interface Found {
  headers: Headers;
  /** where the bytes begin */
  at: number;
  /** differs if the file has been written since */
  mark: string;
  /** performance.now() */
  untilMs: number;
}

/** An open cached file, positioned at its bytes. The caller closes it unless it sends them. */
export interface OpenFile {
  headers: Headers;
  sizeBytes: number;
  file: Deno.FsFile;
}

/** Builds a whole cached file from the parts of its body. */
export function compressFile(
  headers: Record<string, string>,
  parts: readonly Uint8Array[],
): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(headers)), length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, head.length, true);
  return Buffer.concat([length, head, ...parts]);
}

/**
 * One file on the disk. Its bytes are compared with their hash on first use by this process, when
 * its size, inode or modification time changed, and after an hour; in between they are trusted.
 */
export class CachedFile {
  #found: Found | null = null;

  /**
   * @param sha256    Of the whole file, hex.
   * @param trustedMs How long bytes that were compared are trusted.
   */
  constructor(
    private readonly path: string,
    private readonly sha256: string,
    private readonly trustedMs = VERIFIED_MS,
  ) {}

  /**
   * Opens it, and notes at the file when. @throws when it is not there, or its bytes are not those
   * that were kept.
   */
  async open(): Promise<OpenFile> {
    const file = await Deno.open(this.path);
    try {
      const { size, mtime, ino } = await file.stat(), mark = `${size}/${mtime?.getTime()}/${ino}`;
      let verified = this.#found;
      if (verified?.mark !== mark || verified.untilMs <= performance.now()) {
        this.#found = null;
        const { headers, at } = await this.#compare(file);
        verified = this.#found = { headers, at, mark, untilMs: performance.now() + this.trustedMs };
      }
      // the time of change stays: it would look as if it had been written
      if (mtime) await file.utime(new Date(), mtime).catch(() => {});
      await file.seek(verified.at, Deno.SeekMode.Start);
      return { headers: verified.headers, sizeBytes: size - verified.at, file };
    } catch (error) {
      file.close();
      throw error;
    }
  }

  async #compare(file: Deno.FsFile): Promise<{ headers: Headers; at: number }> {
    const length = new Uint8Array(4);
    await fill(file, length);
    const headBytes = new DataView(length.buffer).getUint32(0, true);
    if (headBytes > MAX_HEAD_BYTES) throw new Error("damaged");
    const head = new Uint8Array(headBytes);
    await fill(file, head);
    const digest = createHash("sha256").update(length).update(head),
      piece = new Uint8Array(PIECE_BYTES);
    for (let count = await file.read(piece); count !== null; count = await file.read(piece)) {
      digest.update(piece.subarray(0, count));
    }
    if (digest.digest("hex") !== this.sha256) throw new Error("damaged");
    return {
      headers: new Headers(JSON.parse(new TextDecoder().decode(head))),
      at: 4 + head.length,
    };
  }
}

/** @throws when the file ends before. */
async function fill(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const count = await file.read(bytes.subarray(at));
    if (count === null) throw new Error("cut off");
    at += count;
  }
}
