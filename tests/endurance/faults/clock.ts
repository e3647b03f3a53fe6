// The clock of a site, which a rehearsal moves forward and back during operation.
import { existsSync } from "node:fs";

/** Library of Debian's package faketime, which replaces the system's time in a program. */
const LIBRARY = `/usr/lib/${Deno.build.arch}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** Size of a jump, hours. */
export const JUMP_HOURS = 2;

/** Clock of a site's processes, which read its offset from a file once per second. */
export class JumpingClock {
  readonly #path: string;
  readonly isThere = existsSync(LIBRARY);

  constructor(folder: string) {
    this.#path = `${folder}/clock`;
    this.set(0);
  }

  /** @param hours Offset ahead of the machine's clock. */
  set(hours: number): void {
    Deno.writeTextFileSync(this.#path, `${hours < 0 ? "-" : "+"}${Math.abs(hours)}h\n`);
  }

  /** Variables of the site's processes; none without the package. Elapsed times stay correct. */
  environment(): Record<string, string> {
    if (!this.isThere) return {};
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.#path,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
      // file times stay those of the machine, as for files written by other machines
      NO_FAKE_STAT: "1",
    };
  }
}
