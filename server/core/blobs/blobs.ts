import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { AppError } from "@/model/errors.ts";
import {
  blobPath,
  damaged,
  makeFolders,
  type NamedIn,
  readDigest,
  syncFolder,
  unnamedByPrefix,
  VerifiedBlobs,
} from "@/server/core/blobs/blob_file.ts";
import { storageError } from "@/server/core/database/storage_error.ts";
import {
  contentOf,
  looksSealed,
  type Seal,
  writeContent,
} from "@/server/core/blobs/sealed_file.ts";
import { proveSealed, readSealedBlob, streamSealed } from "@/server/core/blobs/sealed_blob.ts";

/** Bytes that are written but not yet part of a study. */
export interface StagedBlob {
  /** SHA-256, hexadecimal */
  hash: string;
  sizeBytes: number;
  /** where the bytes are until they are kept */
  path: string;
  discard(): Promise<void>;
}

/** A blob on its way to disk. */
export interface Staging {
  /**
   * Settles, without error, when the stream has been read; the next may start while this one is
   * synced.
   */
  written: Promise<void>;
  /**
   * @throws {AppError} `input.invalid` beyond the size limit, `storage.full`; errors of the stream
   * as they are.
   */
  staging: Promise<StagedBlob>;
}

/** Protects blobs from clean-up until their rows are committed. */
export interface Lease {
  release(): void;
}

/** Files by the hash of their bytes. Acknowledged means: written, forced to disk, in place. */
export interface BlobStore {
  /** Writes a stream to disk and forces it there. */
  stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Staging;
  /**
   * Takes over a file beside the staged ones, forced to disk. @throws {AppError} as {@link
   * Staging.staging}.
   */
  adopt(path: string): Promise<StagedBlob>;
  /** A path of its own beside the staged files. */
  newPath(): string;
  /**
   * A blob in its place, which rows name, as if it had just been staged: a second name of its file
   * beside the staged ones, where alone the converter may read. @throws {AppError} `file.damaged`
   * when it is not there.
   */
  restage(blob: { hash: string; sizeBytes: number }): Promise<StagedBlob>;
  /**
   * Puts staged bytes in their place, durably: after this a power cut does not lose them.
   */
  keep(staged: readonly StagedBlob[]): Promise<Lease>;
  /**
   * @throws {AppError} `file.damaged` when it is not there, or its bytes are not those that were
   * stored.
   */
  read(hash: string): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The bytes `start` to `end` (exclusive). @throws {AppError} as {@link BlobStore.read}, before
   * the first byte.
   */
  stream(
    hash: string,
    start?: number,
    end?: number,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Removes a blob unless it is held. The caller has made sure that no row names it. */
  remove(hash: string): void;
  /**
   * Removes staged files that were never kept. Only before anything is staged. @returns their
   * number.
   */
  sweepStaged(): Promise<number>;
  /**
   * Removes blobs that `namedIn` does not know, while others stage, keep and remove: never one that
   * was held since it was listed, nor one that got its place since `beforeMs`.
   *   @param rest Called after each folder with the first digits of its hashes; an exception ends the sweep.
   * @returns how many files that were.
   */
  sweep(
    namedIn: NamedIn,
    beforeMs: number,
    rest: (prefix: string) => Promise<void>,
  ): Promise<number>;
}

/** Bytes that are hashed and written in one step. */
const PIECE_BYTES = 1 << 20;

/** Yields a buffer in pieces, so that the event loop runs between them. */
export async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield await Promise.resolve(bytes.subarray(at, at + PIECE_BYTES));
  }
}

class Leases {
  readonly #counts = new Map<string, number>();
  /** hashes without a holder since they were marked */
  readonly #marked = new Set<string>();
  lease(hashes: readonly string[]): Lease {
    for (const hash of hashes) {
      this.#counts.set(hash, (this.#counts.get(hash) ?? 0) + 1);
      this.#marked.delete(hash);
    }
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        for (const hash of hashes) {
          const leases = (this.#counts.get(hash) ?? 1) - 1;
          if (leases > 0) this.#counts.set(hash, leases);
          else this.#counts.delete(hash);
        }
      },
    };
  }
  has(hash: string): boolean {
    return this.#counts.has(hash);
  }
  /** Marks those without a holder; earlier marks end. */
  mark(hashes: readonly string[]): void {
    this.#marked.clear();
    for (const hash of hashes) if (!this.#counts.has(hash)) this.#marked.add(hash);
  }
  isMarked(hash: string): boolean {
    return this.#marked.has(hash);
  }
}

const tooLarge = (maxBytes: number) =>
  new AppError("input.invalid", `Cannot store the file: larger than ${maxBytes} bytes`, {
    reason: "file_too_large",
    max_bytes: maxBytes,
  });

/** When a file got its name (`ctime`), ms; one that has gone got it just now. */
function placedMs(path: string): number {
  try {
    return Deno.statSync(path).ctime?.getTime() ?? Infinity;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Infinity;
    throw error;
  }
}

/** Files that are sealed and forced to disk at the same time. */
const SEALED_AT_ONCE = 6;

/** How a store writes and reads. */
interface StoreOptions {
  /** other processes, perhaps of other machines, stage in the same folder */
  isShared?: boolean;
  /**
   * Key that seals blobs, each under its hash; `null`: none. Earlier ones in the clear are read
   * too.
   */
  key?: Uint8Array | null;
}

/**
 * Blobs under `folder/ab/cd/abcd…`, staged in `folder/incoming`, all on one file system. With a
 * key, blobs are sealed; staged files are in the clear, for the converter, and `incoming` may then
 * be a file system of its own.
 */
export class DiskBlobs implements BlobStore {
  readonly #leases = new Leases();
  readonly #verified = new VerifiedBlobs();
  private readonly folder: string;
  readonly #incoming: string;
  /** where a blob is sealed before it gets its place */
  readonly #sealing: string;
  /** of this process among those that stage here */
  readonly #name: string;
  readonly #key: Uint8Array | null;
  /** paths of staged blobs that are in their places already */
  readonly #restaged = new Set<string>();
  #next = 0;

  constructor(folder: string, { isShared = false, key = null }: StoreOptions = {}) {
    this.#name = isShared ? crypto.randomUUID() : String(Deno.pid);
    this.#key = key;
    makeFolders(`${folder}/incoming`);
    // a right to a file behind a link does not reach it
    this.folder = Deno.realPathSync(folder);
    this.#incoming = `${this.folder}/incoming`;
    this.#sealing = `${this.folder}/sealing`;
    if (key !== null) makeFolders(this.#sealing);
  }

  newPath(): string {
    return `${this.#incoming}/${this.#name}-${this.#next++}`;
  }

  async restage({ hash, sizeBytes }: { hash: string; sizeBytes: number }): Promise<StagedBlob> {
    const path = this.newPath(),
      missing = (cause: unknown) => {
        throw cause instanceof Deno.errors.NotFound
          ? damaged(hash, "missing", cause)
          : storageError(cause);
      };
    if (this.#key === null) await Deno.link(this.#pathOf(hash), path).catch(missing);
    else {
      await writeContent(path, contentOf(this.#pathOf(hash), this.#sealOf(hash), true), null).catch(
        missing,
      );
      this.#restaged.add(path);
    }
    return { hash, sizeBytes, path, discard: () => this.#discard(path) };
  }

  stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Staging {
    const path = this.newPath();
    const digest = createHash("sha256");
    let sizeBytes = 0;
    const write = async () => {
      const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
      try {
        for await (const chunk of chunks) {
          sizeBytes += chunk.length;
          if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
          digest.update(chunk);
          for (let done = 0; done < chunk.length;) done += await file.write(chunk.subarray(done));
        }
        return file;
      } catch (error) {
        file.close();
        throw error;
      }
    };
    const writing = write();
    const force = async (): Promise<StagedBlob> => {
      try {
        using file = await writing;
        // a sealed file is forced to disk when it is sealed
        if (this.#key === null) await file.sync();
      } catch (error) {
        await Deno.remove(path).catch(() => {});
        throw storageError(error);
      }
      return {
        hash: digest.digest("hex"),
        sizeBytes,
        path,
        discard: () => Deno.remove(path).catch(() => {}),
      };
    };
    return { written: writing.then(() => {}, () => {}), staging: force() };
  }

  async adopt(path: string): Promise<StagedBlob> {
    const discard = () => Deno.remove(path).catch(() => {});
    try {
      using file = await Deno.open(path, { read: true, write: true });
      const digest = await readDigest(file);
      if (this.#key === null) await file.sync();
      return { ...digest, path, discard };
    } catch (error) {
      await discard();
      throw storageError(error);
    }
  }

  async keep(staged: readonly StagedBlob[]): Promise<Lease> {
    const lease = this.#leases.lease(staged.map((blob) => blob.hash));
    try {
      const folders = new Set<string>();
      for (const blob of staged) {
        const parent = `${this.folder}/${blob.hash.slice(0, 2)}`;
        const folder = `${parent}/${blob.hash.slice(2, 4)}`;
        await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
        // over an earlier copy of the same bytes if there is one
        if (this.#key === null) await Deno.rename(blob.path, `${folder}/${blob.hash}`);
        folders.add(folder).add(parent);
      }
      if (this.#key !== null) await this.#sealAll(staged);
      if (folders.size > 0) folders.add(this.folder);
      await Promise.all([...folders].map(syncFolder));
      return lease;
    } catch (error) {
      lease.release();
      throw storageError(error);
    }
  }

  /** Puts staged bytes in their places, sealed and forced to disk, and ends those in the clear. */
  async #sealAll(staged: readonly StagedBlob[]): Promise<void> {
    let nextIndex = 0;
    const lane = async () => {
      for (let blob = staged[nextIndex++]; blob !== undefined; blob = staged[nextIndex++]) {
        await this.#seal(blob);
      }
    };
    await Promise.all(Array.from({ length: SEALED_AT_ONCE }, lane));
  }

  async #seal({ hash, path }: StagedBlob): Promise<void> {
    const target = this.#pathOf(hash), part = `${this.#sealing}/${this.#name}-${this.#next++}`;
    if (!this.#restaged.has(path) || !existsSync(target)) {
      await writeContent(target, contentOf(path, null), this.#sealOf(hash), { part, hash });
    }
    await this.#discard(path);
  }

  #sealOf(hash: string): Required<Seal> | null {
    return this.#key && { key: this.#key, name: hash };
  }

  #discard(path: string): Promise<void> {
    this.#restaged.delete(path);
    return Deno.remove(path).catch(() => {});
  }

  async read(hash: string): Promise<Uint8Array<ArrayBuffer>> {
    const seal = this.#sealOf(hash);
    if (seal !== null) return await readSealedBlob(this.#pathOf(hash), seal);
    const bytes = await Deno.readFile(this.#pathOf(hash)).catch((cause) => {
      throw damaged(hash, "missing", cause);
    });
    if (createHash("sha256").update(bytes).digest("hex") !== hash) throw damaged(hash, "changed");
    return bytes;
  }

  async stream(
    hash: string,
    start = 0,
    end = Infinity,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const file = await Deno.open(this.#pathOf(hash)).catch((cause) => {
      throw damaged(hash, "missing", cause);
    });
    let size: number;
    try {
      const seal = this.#sealOf(hash);
      // once the first byte has left, nothing can be said any more
      if (seal !== null && await looksSealed(file)) {
        await this.#verified.check(hash, file, (file) => proveSealed(file, seal));
        return streamSealed(file, seal, start, end);
      }
      await file.seek(0, Deno.SeekMode.Start);
      size = await this.#verified.check(hash, file);
      await file.seek(start, Deno.SeekMode.Start);
    } catch (error) {
      file.close();
      throw error;
    }
    // a file to its end: Deno's server reads it outside of JavaScript
    if (end >= size) return file.readable;
    let remaining = end - start;
    return new ReadableStream({
      async pull(controller) {
        const buffer = new Uint8Array(Math.min(65536, remaining));
        const count = remaining > 0 ? await file.read(buffer) : null;
        if (!count) {
          file.close();
          return controller.close();
        }
        remaining -= count;
        controller.enqueue(buffer.subarray(0, count));
      },
      cancel() {
        file.close();
      },
    });
  }

  /** @returns whether there was one to remove. */
  remove(hash: string): boolean {
    if (this.#leases.has(hash)) return false;
    try {
      Deno.removeSync(this.#pathOf(hash));
      return true;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return false;
    }
  }

  async sweep(
    namedIn: NamedIn,
    beforeMs: number,
    rest: (prefix: string) => Promise<void>,
  ): Promise<number> {
    let count = 0;
    for await (const { prefix, unnamed } of this.unnamed(namedIn, beforeMs)) {
      for (const hash of unnamed) {
        // a lease taken after the listing may have committed its row after `namedIn` looked
        if (this.#leases.isMarked(hash) && this.remove(hash)) count++;
      }
      await rest(prefix);
    }
    return count;
  }

  /** Removes files that were staged at least this long ago. @returns their number. */
  async sweepStaged(ageMs = 0): Promise<number> {
    let count = 0;
    for (const folder of [this.#incoming, this.#sealing]) {
      if (!existsSync(folder)) continue;
      for await (const { name } of Deno.readDir(folder)) {
        const path = `${folder}/${name}`;
        if (ageMs > 0) {
          const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
          if (mtime === null || Date.now() - mtime.getTime() < ageMs) continue;
        }
        await Deno.remove(path);
        count++;
      }
    }
    return count;
  }

  /**
   * Hashes of blobs that got their places before `beforeMs` and that `namedIn` does not know,
   * folder by folder.
   */
  async *unnamed(
    namedIn: NamedIn,
    beforeMs: number,
  ): AsyncGenerator<{ prefix: string; unnamed: string[] }> {
    const mark = (hashes: readonly string[]) => this.#leases.mark(hashes);
    for await (const { prefix, unnamed } of unnamedByPrefix(this.folder, namedIn, mark)) {
      yield { prefix, unnamed: unnamed.filter((hash) => placedMs(this.#pathOf(hash)) < beforeMs) };
    }
  }

  #pathOf(hash: string): string {
    return blobPath(this.folder, hash);
  }
}
