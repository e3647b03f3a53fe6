import { Buffer } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";

/**
 * Maximum size in bytes of a file in a ZIP archive, compressed or not.
 * Larger files need the Zip64 format, which spreadsheet programs support poorly.
 */
const MAX_PART_BYTES = 0xffff_ffff;
const DEFLATE = 8, UTF8_NAMES = 1 << 11, VERSION = 20;
/** Constant date 1980-01-01, the earliest date of ZIP: equal content gives identical bytes. */
const NO_DATE = 0x21;

interface Part {
  name: Buffer;
  offset: number;
  crc: number;
  compressedBytes: number;
  sizeBytes: number;
}

/** Writes a ZIP archive (PKWARE APPNOTE 6.3) to disk, compressing content as it is generated. */
export class ZipFile {
  readonly #file: FileHandle;
  readonly #parts: Part[] = [];
  #at = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates the archive file, which only the owner of the process may read. */
  static async create(path: string): Promise<ZipFile> {
    return new ZipFile(await open(path, "w", 0o600));
  }

  /**
   * Adds a file to the archive. Memory use does not grow with the file's size.
   * @throws {RangeError} from 4 GiB on; errors of `pieces`; errors of the disk.
   */
  async add(name: string, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
    const part: Part = {
      name: Buffer.from(name),
      offset: this.#at,
      crc: 0,
      compressedBytes: 0,
      sizeBytes: 0,
    };
    await this.#write(localHeader(part));
    const start = this.#at;
    await pipeline(
      Readable.from(counted(pieces, part)),
      createDeflateRaw({ level: 1 }),
      async (compressed: AsyncIterable<Uint8Array>) => {
        for await (const chunk of compressed) await this.#write(chunk);
      },
    );
    part.compressedBytes = this.#at - start;
    const header = localHeader(part);
    await this.#file.write(header, 0, header.length, part.offset);
    this.#parts.push(part);
  }

  /** Writes the central directory of the ZIP archive, and syncs it to disk. */
  async finish(): Promise<void> {
    const list = Buffer.concat(this.#parts.map(listEntry)), end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(this.#parts.length, 8);
    end.writeUInt16LE(this.#parts.length, 10);
    end.writeUInt32LE(list.length, 12);
    end.writeUInt32LE(this.#at, 16);
    await this.#write(Buffer.concat([list, end]));
    await this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#at + bytes.length > MAX_PART_BYTES) throw tooLarge();
    for (let done = 0; done < bytes.length;) {
      done +=
        (await this.#file.write(bytes, done, bytes.length - done, this.#at + done)).bytesWritten;
    }
    this.#at += bytes.length;
  }
}

const tooLarge = () => new RangeError("Cannot write the ZIP file: it has 4 GiB or more");

async function* counted(
  pieces: AsyncIterable<string> | Iterable<string>,
  part: Part,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    part.crc = crc32(bytes, part.crc);
    part.sizeBytes += bytes.length;
    if (part.sizeBytes > MAX_PART_BYTES) throw tooLarge();
    yield bytes;
  }
}

/**
 * Fields that local header (4.3.7) and central directory (4.3.12) of a ZIP file share:
 * 26 bytes that begin with the version.
 */
function commonFields({ name, crc, compressedBytes, sizeBytes }: Part): Buffer {
  const fields = Buffer.alloc(26);
  [VERSION, UTF8_NAMES, DEFLATE, 0, NO_DATE].forEach((value, n) =>
    fields.writeUInt16LE(value, 2 * n)
  );
  [crc, compressedBytes, sizeBytes].forEach((value, n) => fields.writeUInt32LE(value, 10 + 4 * n));
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function localHeader(part: Part): Buffer {
  const signature = Buffer.from([0x50, 0x4b, 3, 4]);
  return Buffer.concat([signature, commonFields(part), part.name]);
}

function listEntry(part: Part): Buffer {
  const signature = Buffer.from([0x50, 0x4b, 1, 2, VERSION, 0]), rest = Buffer.alloc(14);
  rest.writeUInt32LE(part.offset, 10);
  return Buffer.concat([signature, commonFields(part), rest, part.name]);
}
