import { CANNOT_START } from "@/server/commands/exit_codes.ts";

/** Initial and maximum delay before a restart; doubled after each early exit, ms. */
const RESTART_MS = 500, MAX_RESTART_MS = 30_000;
/** A server that ran for at least this long is restarted after every crash, ms. */
const STARTED_MS = 10_000;
/**
 * Number of early exits after which a server that has never run properly is no longer restarted.
 */
const MAX_EARLY_EXITS = 5;
/** Intended exits: one signal, two signals, or an invalid setting or location. */
const INTENDED_EXIT_CODES = [0, 2, 130, CANNOT_START];

/** Delays between the end of a server and its restart. */
export class Restarts {
  #early = 0;
  #hasRun = false;

  /**
   * @param code Exit code of the ended server.
   * @param ranMs Running time of the server, ms.
   * @returns ms until the restart; `null`: no restart.
   */
  waitMs(code: number, ranMs: number): number | null {
    const isEarly = ranMs < STARTED_MS;
    // a server that cannot start has never served, even if a slow machine took long to fail
    this.#hasRun ||= !isEarly && code !== CANNOT_START;
    this.#early = isEarly ? this.#early + 1 : 0;
    // at the first start the cause is an invalid setting; later it may be the state of the database
    const isIntended = INTENDED_EXIT_CODES.includes(code) &&
      !(this.#hasRun && code === CANNOT_START);
    if (isIntended || (!this.#hasRun && this.#early >= MAX_EARLY_EXITS)) return null;
    return Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** this.#early);
  }
}
