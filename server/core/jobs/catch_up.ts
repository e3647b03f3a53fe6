import { setTimeout as sleep } from "node:timers/promises";
import { isPassing } from "@/model/errors.ts";
import type { Log } from "@/model/site/log.ts";

/** Ratio of rest to working time of background tasks: requests come first. */
const REST_FACTOR = 3, MIN_REST_MS = 20, MAX_REST_MS = 1000;

/** Time after which a task is repeated that failed because the database or disk was unavailable. */
const AGAIN_MS = 10_000;

/** Yields to requests between two slices of background work. */
export class Pace {
  #restedAt = performance.now();

  constructor(readonly signal: AbortSignal) {}

  /**
   * Yields to the event loop, for a time proportional to the last slice.
   * @throws the signal's reason when aborted.
   */
  async rest(): Promise<void> {
    const workedMs = performance.now() - this.#restedAt;
    await sleep(Math.min(MAX_REST_MS, Math.max(MIN_REST_MS, REST_FACTOR * workedMs)), null, {
      signal: this.signal,
    });
    this.#restedAt = performance.now();
  }
}

/** A task that is postponed at start. */
export interface CatchUpTask {
  /** name for log messages: "Cannot …" */
  name: string;
  /** Works in slices with rests; restarted at every start, so must find the position itself. */
  run(pace: Pace): Promise<void>;
}

/** Runs postponed tasks once requests are served: one after another, in slices. */
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

  /** Stops after the current slice. */
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
      // a failed task does not affect the other tasks
      this.log("warn", `Cannot ${name}`, { error: String(error) });
      return isPassing(error);
    }
    return false;
  }
}
