// The clock of a site that a rehearsal sets forward and back while everything runs.
import { existsSync } from "node:fs";

/** Debian's package faketime: it answers a program's questions for the time. */
const LIBRARY = `/usr/lib/${Deno.build.arch}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** How far a clock jumps, hours, and what it shows in each part of a rehearsal. */
export const JUMP_HOURS = 2;

/** A clock of a site's processes: they read how far it is off from a file, once a second. */
export class JumpingClock {
  readonly #path: string;
  readonly isThere = existsSync(LIBRARY);

  constructor(folder: string) {
    this.#path = `${folder}/clock`;
    this.set(0);
  }

  /** @param hours How far the clock is ahead of the machine's. */
  set(hours: number): void {
    Deno.writeTextFileSync(this.#path, `${hours < 0 ? "-" : "+"}${Math.abs(hours)}h\n`);
  }

  /** Variables of the site's processes; none without the package. Times within a process stay true. */
  environment(): Record<string, string> {
    if (!this.isThere) return {};
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.#path,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
      // times of files are the machine's, as they are for what other machines write
      NO_FAKE_STAT: "1",
    };
  }
}
