import { statfsSync } from "node:fs";
import type { Log } from "@/model/site/log.ts";

/** Size of the reserve, bytes: enough for sign-ins, deletions, and the log entries of both. */
const RESERVE_BYTES = 32 << 20, RESERVE_PART = 0.05;
/**
 * Free space, bytes, below which the reserve is released; and multiple at which it is recreated.
 */
const LOW_BYTES = 256 << 10, ROOM_FOR = 4;
const LOOK_EVERY_MS = 60_000;
const PIECE = new Uint8Array(1 << 16);

/**
 * File in the data folder that reserves disk space, and is deleted when the disk is full:
 * then users can still sign in, read studies and delete them.
 */
export class DiskReserve {
  readonly #path: string;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly folder: string, private readonly log: Log, everyMs = LOOK_EVERY_MS) {
    this.#path = `${folder}/reserve`;
    this.keep();
    this.#timer = setInterval(() => this.keep(), everyMs);
  }

  /** Creates the reserve file atomically, unless it exists or disk space is short. */
  keep(): void {
    try {
      const { bavail, bsize, blocks } = statfsSync(this.folder);
      const size = Math.floor(Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_PART));
      if (this.#sizeOf() >= size || bavail * bsize < ROOM_FOR * size) return;
      using file = Deno.openSync(this.#path, {
        create: true,
        write: true,
        truncate: true,
        mode: 0o600,
      });
      for (let remaining = size; remaining > 0; remaining -= PIECE.length) {
        file.writeSync(PIECE.subarray(0, Math.min(remaining, PIECE.length)));
      }
      file.syncSync();
    } catch (error) {
      this.#remove();
      this.log("warn", "Cannot keep room on the disk", { error: String(error) });
    }
  }

  /** Deletes the reserve file if the disk is full, before a write that must not fail. */
  makeRoom(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    if (bavail * bsize >= LOW_BYTES || !this.#remove()) return;
    this.log(
      "error",
      "The disk is full: the room that was kept for sign-in and deletion is given up",
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sizeOf(): number {
    try {
      return Deno.statSync(this.#path).size;
    } catch {
      return 0;
    }
  }

  /** Deletes the reserve file. @returns whether it existed. */
  #remove(): boolean {
    try {
      Deno.removeSync(this.#path);
      return true;
    } catch {
      return false;
    }
  }
}
