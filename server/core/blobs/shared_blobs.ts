/// <reference path="../database/pg.d.ts" />
import type { Client } from "pg";
import type { Log } from "@/model/site/log.ts";
import type { NamedIn } from "@/server/core/blobs/blob_file.ts";
import { blobSize } from "@/server/core/blobs/blob_index.ts";
import {
  type BlobStore,
  DiskBlobs,
  type Lease,
  type StagedBlob,
  type Staging,
} from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import { databaseError, newClient } from "@/server/core/database/postgres.ts";

/** Number of PostgreSQL's advisory lock that storing and deleting processes take. */
const LOCK = 7_285_282;
const REMOVE_LOCK_TIMEOUT_MS = 10_000;
/** Age from which staged files are deleted; younger files may be in use by another process. */
const STAGED_TTL_MS = 24 * 3_600_000;

/** A database connection that holds the advisory lock while any blob is leased. */
interface Lock {
  client: Promise<Client>;
  holders: number;
}

/**
 * Blob store in a folder that several processes write. A process holds a shared advisory lock of
 * the database while it moves a file, and until the rows that refer to the file are committed.
 * Deletion takes the lock exclusively, and checks again that no row refers to the blobs.
 */
export class SharedBlobs implements BlobStore {
  readonly #disk: DiskBlobs;
  /** current advisory lock; after a lost connection a new connection takes a new lock */
  #lock: Lock | null = null;
  /** last of the queued lock and unlock operations, which run one after another */
  #last: Promise<unknown> = Promise.resolve();
  #toRemove: string[] = [];
  #removing: Promise<void> | null = null;

  /** @param key Encrypts new blobs, as in {@link DiskBlobs}. */
  constructor(
    folder: string,
    private readonly db: Database,
    private readonly log: Log,
    key: Uint8Array | null = null,
  ) {
    this.#disk = new DiskBlobs(folder, { isShared: true, key });
  }

  newPath(): string {
    return this.#disk.newPath();
  }

  restage(blob: { hash: string; sizeBytes: number }): Promise<StagedBlob> {
    return this.#disk.restage(blob);
  }

  stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Staging {
    return this.#disk.stage(chunks, maxBytes);
  }

  adopt(path: string): Promise<StagedBlob> {
    return this.#disk.adopt(path);
  }

  async keep(staged: readonly StagedBlob[]): Promise<Lease> {
    const lock = await this.#inTurn(() => this.#lease()).catch((error) => {
      throw databaseError(error);
    });
    const unlock = () =>
      void this.#inTurn(() => this.#letGo(lock)).catch((error) =>
        this.log("warn", "Cannot release blobs", { error: String(error) })
      );
    try {
      const lease = await this.#disk.keep(staged);
      let isHeld = true;
      return {
        release: () => {
          lease.release();
          if (isHeld) unlock();
          isHeld = false;
        },
      };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  read(hash: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#disk.read(hash);
  }

  stream(
    hash: string,
    start?: number,
    end?: number,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return this.#disk.stream(hash, start, end);
  }

  /**
   * Queues a blob for deletion, unless a database row refers to it by then.
   * If the deletion fails, the sweep at the next start repeats it.
   */
  remove(hash: string): void {
    this.#toRemove.push(hash);
    this.#removing ??= this.#removeAll().catch((error) =>
      this.log("warn", "Cannot remove blobs", { error: String(error) })
    ).finally(() => this.#removing = null);
  }

  sweepStaged(): Promise<number> {
    return this.#disk.sweepStaged(STAGED_TTL_MS);
  }

  /**
   * {@link BlobStore.sweep}; the rows are checked again under the exclusive lock before deletion.
   */
  async sweep(
    namedIn: NamedIn,
    beforeMs: number,
    rest: (prefix: string) => Promise<void>,
  ): Promise<number> {
    let count = 0;
    for await (const { prefix, unnamed } of this.#disk.unnamed(namedIn, beforeMs)) {
      count += await this.#removeUnnamed(unnamed);
      await rest(prefix);
    }
    return count;
  }

  /** Closes the database connection after pending deletions. */
  async close(): Promise<void> {
    await this.#removing;
    await this.#last.catch(() => {});
    await (await this.#lock?.client)?.end();
  }

  async #removeAll(): Promise<void> {
    // waits for other calls of the same tick, to delete their blobs in one batch
    await Promise.resolve();
    while (this.#toRemove.length > 0) await this.#removeUnnamed(this.#toRemove.splice(0));
  }

  async #removeUnnamed(hashes: readonly string[]): Promise<number> {
    if (hashes.length === 0) return 0;
    let count = 0;
    // a separate connection: two locks of one connection do not exclude each other
    const client = newClient(this.db)!;
    client.on("error", () => {});
    await client.connect();
    try {
      await client.query(`SET lock_timeout = ${REMOVE_LOCK_TIMEOUT_MS}`);
      await client.query("SELECT pg_advisory_lock($1)", [LOCK]);
      for (const hash of hashes) {
        if (await blobSize(this.db, hash) === null && this.#disk.remove(hash)) count++;
      }
    } finally {
      await client.end();
    }
    return count;
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run, run);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #lease(isAgain = false): Promise<Lock> {
    const lock = this.#lock ??= this.#connect();
    try {
      if (lock.holders === 0) {
        await (await lock.client).query("SELECT pg_advisory_lock_shared($1)", [LOCK]);
      }
    } catch (error) {
      this.#giveUp(lock);
      if (isAgain) throw error;
      // tries once more: a closed connection may be noticed only when it is used
      return await this.#lease(true);
    }
    lock.holders++;
    return lock;
  }

  async #letGo(lock: Lock): Promise<void> {
    if (--lock.holders > 0 || lock !== this.#lock) return;
    try {
      await (await lock.client).query("SELECT pg_advisory_unlock_shared($1)", [LOCK]);
    } catch {
      this.#giveUp(lock);
    }
  }

  /**
   * Stops using a failed connection: PostgreSQL has released the advisory lock of the connection.
   */
  #giveUp(lock: Lock): void {
    if (this.#lock === lock) this.#lock = null;
    lock.client.then((client) => client.end()).catch(() => {/* it has ended */});
  }

  #connect(): Lock {
    const client = newClient(this.db)!;
    const lock: Lock = { client: client.connect().then(() => client), holders: 0 };
    const lose = () => {
      if (this.#lock === lock) this.#lock = null;
    };
    client.on("error", lose);
    client.on("end", lose);
    lock.client.catch(lose);
    return lock;
  }
}
