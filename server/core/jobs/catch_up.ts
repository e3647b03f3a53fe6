import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@/model/site/log.ts";

/** Background work rests for so many times as long as it has worked: requests come first. */
const REST_FACTOR = 3, MIN_REST_MS = 20, MAX_REST_MS = 1000;

/** Lets requests be answered between two slices of background work. */
export class Pace {
  #restedAt = performance.now();

  constructor(readonly signal: AbortSignal) {}

  /**
   * Yields to the event loop, the longer the slice took. @throws the signal's reason when it is
   * aborted.
   */
  async rest(): Promise<void> {
    const workedMs = performance.now() - this.#restedAt;
    await sleep(Math.min(MAX_REST_MS, Math.max(MIN_REST_MS, REST_FACTOR * workedMs)), null, {
      signal: this.signal,
    });
    this.#restedAt = performance.now();
  }
}

/** One piece of work that a start leaves for later. */
export interface CatchUpTask {
  /** for the log: "Cannot …" */
  name: string;
  /**
   * Works in slices with a rest between them; begun again at the next start, so it has to find its
   * place by itself.
   */
  run(pace: Pace): Promise<void>;
}

/** Work that a start leaves until requests are answered: one task after the other, in slices. */
export class CatchUp {
  readonly #ending = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #waiting: number;

  constructor(private readonly tasks: readonly CatchUpTask[], private readonly log: Log) {
    this.#waiting = tasks.length;
  }

  /** Tasks that are not over. */
  get waiting(): number {
    return this.#waiting;
  }

  begin(): void {
    this.#working = this.#run();
  }

  /** Ends it after the slice that runs. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#working;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending, pace = new Pace(signal);
    for (const { name, run } of this.tasks) {
      try {
        await pace.rest();
        await run(pace);
      } catch (error) {
        if (signal.aborted) return;
        // the others do not depend on it
        this.log("warn", `Cannot ${name}`, { error: String(error) });
      }
      this.#waiting--;
    }
  }
}
