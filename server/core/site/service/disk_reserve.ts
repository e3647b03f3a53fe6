import { statfsSync } from "node:fs";
import type { Log } from "@/model/site/log.ts";

/** Size of the reserved disk space: enough for sign-ins, deletions and the log entries of both. */
const RESERVE_BYTES = 32 << 20, RESERVE_PART = 0.05;
/** Free space at which the reserve is released, and the multiple at which it is created again. */
const LOW_BYTES = 256 << 10, ROOM_FOR = 4;
const LOOK_EVERY_MS = 60_000;
const PIECE = new Uint8Array(1 << 16);

/**
 * A file that reserves disk space in the data folder and is deleted when the disk is full.
 * Users can then still sign in, read and delete.
 */
export class DiskReserve {
  readonly #path: string;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly folder: string, private readonly log: Log, everyMs = LOOK_EVERY_MS) {
    this.#path = `${folder}/reserve`;
    this.keep();
    this.#timer = setInterval(() => this.keep(), everyMs);
  }

  /** Creates the reserve atomically, unless it exists or space is short. */
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

  /** Releases the reserve on a full disk, before a write that must not fail. */
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

  /** @returns whether the reserve existed. */
  #remove(): boolean {
    try {
      Deno.removeSync(this.#path);
      return true;
    } catch {
      return false;
    }
  }
}
