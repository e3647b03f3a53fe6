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

/** A file in the staging folder, to which no database row refers yet. */
export interface StagedBlob {
  /** SHA-256, hexadecimal */
  hash: string;
  sizeBytes: number;
  /** path in the staging folder, until the file is moved to the final folder */
  path: string;
  discard(): Promise<void>;
}

/** A blob that is being written. */
export interface Staging {
  /**
   * Settles when the input stream has been read; never rejects.
   * The next stream may then start while this file is being synced.
   */
  written: Promise<void>;
  /**
   * @throws {AppError} `input.invalid` for a file beyond the size limit,
   * `storage.full`; errors of the input stream unchanged.
   */
  staging: Promise<StagedBlob>;
}

/** Protects blobs from deletion until the rows that refer to them are committed. */
export interface Lease {
  release(): void;
}

/** Content-addressed file store. Acknowledged files are synced and in the final folder. */
export interface BlobStore {
  /** Writes a stream to disk and syncs it. */
  stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Staging;
  /**
   * Adopts a synced file that is already in the staging folder.
   * @throws {AppError} as {@link Staging.staging}.
   */
  adopt(path: string): Promise<StagedBlob>;
  /** A new path in the staging folder, at which no file exists. */
  newPath(): string;
  /**
   * Stages a stored blob again, by a hard link in the staging folder, which the converter may read.
   * @throws {AppError} `file.damaged` when the blob does not exist.
   */
  restage(blob: { hash: string; sizeBytes: number }): Promise<StagedBlob>;
  /**
   * Moves staged files to the final folder and syncs it, so that they survive a power cut.
   */
  keep(staged: readonly StagedBlob[]): Promise<Lease>;
  /** @throws {AppError} `file.damaged` when the file is missing, or its content was changed. */
  read(hash: string): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Content of a blob from byte `start` to byte `end` (exclusive).
   * @throws {AppError} as {@link BlobStore.read}, before the first byte is sent.
   */
  stream(
    hash: string,
    start?: number,
    end?: number,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Deletes a blob unless it is leased. The caller must have checked that no row refers to it. */
  remove(hash: string): void;
  /**
   * Deletes files left in the staging folder, at start, before any new file is staged.
   * @returns number of deleted files.
   */
  sweepStaged(): Promise<number>;
  /**
   * Deletes unreferenced blobs, while other calls stage, keep and remove files.
   * Blobs that were leased after the listing, or stored after `beforeMs`, are not deleted.
   * @param rest Called after each folder with the first digits of its hashes.
   * An exception of `rest` ends the sweep.
   * @returns number of deleted files.
   */
  sweep(
    namedIn: NamedIn,
    beforeMs: number,
    rest: (prefix: string) => Promise<void>,
  ): Promise<number>;
}

/** Number of bytes that are hashed and written in one step. */
const PIECE_BYTES = 1 << 20;

/** Splits a buffer into chunks, so that a consumer can await I/O between them. */
export async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield await Promise.resolve(bytes.subarray(at, at + PIECE_BYTES));
  }
}

class Leases {
  readonly #counts = new Map<string, number>();
  /** hashes of blobs that the sweep will delete, unless they are leased before */
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
  /** Replaces the hashes marked for deletion by the given ones, except those in use (leased). */
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

/** Time at which a file was last renamed (`ctime`), ms since 1970; Infinity for a missing file. */
function placedMs(path: string): number {
  try {
    return Deno.statSync(path).ctime?.getTime() ?? Infinity;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return Infinity;
    throw error;
  }
}

/** Maximum number of files that are sealed and synced at the same time. */
const SEALED_AT_ONCE = 6;

/** Options of a blob store. */
interface StoreOptions {
  /** whether other processes, possibly on other machines, stage files in the same folder */
  isShared?: boolean;
  /**
   * key that encrypts (seals) each blob under its hash; `null`: new blobs are stored unencrypted
   * blobs stored before the key was set are read unencrypted
   */
  key?: Uint8Array | null;
}

/**
 * Blobs at `folder/ab/cd/abcd…`, staged in `folder/incoming`, all on one file system.
 * With a key, blobs are sealed, and the staging folder may be on another file system.
 * Staged files are never encrypted, because the converter reads them.
 */
export class DiskBlobs implements BlobStore {
  readonly #leases = new Leases();
  readonly #verified = new VerifiedBlobs();
  private readonly folder: string;
  readonly #incoming: string;
  /** folder in which blobs are sealed before they are moved to the final folder */
  readonly #sealing: string;
  /** name of this process, a part of the names of the files that it stages */
  readonly #name: string;
  readonly #key: Uint8Array | null;
  /** paths of files in the staging folder that are also stored in the final folder */
  readonly #restaged = new Set<string>();
  #next = 0;

  constructor(folder: string, { isShared = false, key = null }: StoreOptions = {}) {
    this.#name = isShared ? crypto.randomUUID() : String(Deno.pid);
    this.#key = key;
    makeFolders(`${folder}/incoming`);
    // the real path is used, because a permission for a link does not extend to the target
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
        // sealing has already synced the file to disk
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
        // replaces a stored blob with the same hash, and so with the same content
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

  /**
   * Seals staged files into the final folder, synced to disk, and deletes the unencrypted files.
   */
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
      // verified before the first byte is sent: a later error cannot be reported to the client
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
    // Deno's server streams a file without JavaScript if the whole file is sent
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

  /** Deletes a blob's file unless it is leased. @returns whether the file existed. */
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
        // checked again: a lease taken after the listing may have committed a reference to the blob
        if (this.#leases.isMarked(hash) && this.remove(hash)) count++;
      }
      await rest(prefix);
    }
    return count;
  }

  /** Deletes files staged at least `ageMs` ago. @returns number of deleted files. */
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

  /** Hashes of unreferenced blobs that were stored before `beforeMs`, folder by folder. */
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
