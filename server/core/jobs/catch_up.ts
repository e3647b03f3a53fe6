import { setTimeout as sleep } from "node:timers/promises";
import { isPassing } from "@/model/errors.ts";
import type { Log } from "@/model/site/log.ts";

/** Pauses of background tasks, as a multiple of the working time, so that requests come first. */
const REST_FACTOR = 3, MIN_REST_MS = 20, MAX_REST_MS = 1000;

/** Delay before a task that failed because the database or disk was unavailable is repeated, ms. */
const AGAIN_MS = 10_000;

/** Pauses between slices of background work, in which requests are handled. */
export class Pace {
  #restedAt = performance.now();

  constructor(readonly signal: AbortSignal) {}

  /**
   * Waits for a time proportional to the duration of the last slice of work.
   * @throws the signal's reason when the work is aborted.
   */
  async rest(): Promise<void> {
    const workedMs = performance.now() - this.#restedAt;
    await sleep(Math.min(MAX_REST_MS, Math.max(MIN_REST_MS, REST_FACTOR * workedMs)), null, {
      signal: this.signal,
    });
    this.#restedAt = performance.now();
  }
}

/** Background work that starts after the server accepts requests. */
export interface CatchUpTask {
  /** name for log messages: "Cannot …" */
  name: string;
  /**
   * Works in slices with pauses. Runs again at every start, so it must skip finished work itself.
   */
  run(pace: Pace): Promise<void>;
}

/** Runs background tasks after the start, one after another, so that requests are served first. */
export class CatchUp {
  readonly #ending = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #waiting: number;

  constructor(
    private readonly tasks: readonly CatchUpTask[],
    private readonly log: Log,
    private readonly againMs = AGAIN_MS,
  ) {
    this.#waiting = tasks.length;
  }

  /** Number of unfinished tasks. */
  get waiting(): number {
    return this.#waiting;
  }

  begin(): void {
    this.#working = this.#run();
  }

  /** Aborts the running task at its next pause. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#working;
  }

  async #run(): Promise<void> {
    for (const task of this.tasks) {
      while (await this.#isAway(task)) {
        await sleep(this.againMs, null, { signal: this.#ending.signal }).catch(() => {});
      }
      if (this.#ending.signal.aborted) return;
      this.#waiting--;
    }
  }

  /** Runs a task. @returns whether to repeat it because the database or disk was unavailable. */
  async #isAway({ name, run }: CatchUpTask): Promise<boolean> {
    const { signal } = this.#ending, pace = new Pace(signal);
    try {
      await pace.rest();
      await run(pace);
    } catch (error) {
      if (signal.aborted) return false;
      // after a failed task, the next task runs nevertheless
      this.log("warn", `Cannot ${name}`, { error: String(error) });
      return isPassing(error);
    }
    return false;
  }
}
