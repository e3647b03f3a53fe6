import { CANNOT_START } from "@/server/commands/exit_codes.ts";

/** The first wait, doubled with each end soon after a start, up to the second, ms. */
const RESTART_MS = 500, MAX_RESTART_MS = 30_000;
/**
 * A server that ran for so long had started, ms: from then on it is started again however often it
 * ends.
 */
const STARTED_MS = 10_000;
/** Ends soon after a start, of a server that never ran that long, after which it is given up. */
const MAX_EARLY_EXITS = 5;
/** Ends on purpose: a signal, two signals, or a setting or a place that cannot be used. */
const INTENDED_EXIT_CODES = [0, 2, 130, CANNOT_START];

/** Waits between the end of a server and its next start. */
export class Restarts {
  #early = 0;
  #hasRun = false;

  /**
   * @param code Exit code of a server that ended.
   * @param ranMs How long it ran.
   * @returns ms until it is started again; `null`: it is not.
   */
  waitMs(code: number, ranMs: number): number | null {
    const isEarly = ranMs < STARTED_MS;
    // a server that cannot start never served, however long it took to find out on a busy machine
    this.#hasRun ||= !isEarly && code !== CANNOT_START;
    this.#early = isEarly ? this.#early + 1 : 0;
    // a setting is to blame for it at the first start, later it may be the state of the database
    const isIntended = INTENDED_EXIT_CODES.includes(code) &&
      !(this.#hasRun && code === CANNOT_START);
    if (isIntended || (!this.#hasRun && this.#early >= MAX_EARLY_EXITS)) return null;
    return Math.min(MAX_RESTART_MS, RESTART_MS * 2 ** this.#early);
  }
}
