// A file of the image cache: length of the header (4 bytes, little-endian),
// header (HTTP headers as JSON), and content.
import { createHash } from "node:crypto";

/** Time for which a verified file is not verified again, unless the file is written. */
const VERIFIED_MS = 3_600_000;
const PIECE_BYTES = 1 << 18;
/** Maximum length of a header, because a damaged length could claim gigabytes. */
const MAX_HEAD_BYTES = 1 << 16;

/** A cached file that was verified by the hash. */
interface Found {
  headers: Headers;
  /** offset of the content in the file */
  at: number;
  /** file state, which changes when the file is written */
  mark: string;
  /** time of verification by performance.now() */
  untilMs: number;
}

/** A cached file that is open at its content. The caller closes the file unless sending it. */
export interface OpenFile {
  headers: Headers;
  sizeBytes: number;
  file: Deno.FsFile;
}

/** Creates a cached file from the chunks of a response body. */
export function compressFile(
  headers: Record<string, string>,
  parts: readonly Uint8Array[],
): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(headers)), length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, head.length, true);
  return Buffer.concat([length, head, ...parts]);
}

/**
 * One cached file on disk. The hash is verified on first use by this process, after a change of
 * size, inode or modification time, and after an hour.
 */
export class CachedFile {
  #found: Found | null = null;

  /**
   * @param sha256    Hash of the whole file, hex.
   * @param trustedMs Validity of a verification.
   */
  constructor(
    private readonly path: string,
    private readonly sha256: string,
    private readonly trustedMs = VERIFIED_MS,
  ) {}

  /**
   * Opens the file, and updates the access time.
   * @throws for a missing file, or changed content.
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
      // keeps the modification time, because the file would otherwise appear to have been written
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

/** Reads until `bytes` is full. @throws for a file that is too short. */
async function fill(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const count = await file.read(bytes.subarray(at));
    if (count === null) throw new Error("cut off");
    at += count;
  }
}
