/** Pauses of the queue after storage failures: 1 s, doubled by each failure, at most a minute. */
const FIRST_PAUSE_MS = 1000, MAX_PAUSE_MS = 60_000;
/** A job that failed waits longer by this factor, so that other jobs run first; at most an hour. */
const JOB_PAUSES = 4, MAX_JOB_PAUSE_MS = 3_600_000;

interface Pause {
  failures: number;
  /** end of the pause, ms on the clock of `performance.now()` */
  untilMs: number;
}

/**
 * Pauses the queue after a job failed to write to storage, and postpones that job.
 * Without a pause, long analyses would run only to fail on the same full disk.
 * If one job fails while others can write, the other jobs continue.
 */
export class StorageRest {
  #all: Pause | null = null;
  readonly #jobs = new Map<number, Pause>();

  /** @param isBack Checks whether storage can be written again. */
  constructor(
    private readonly isBack: () => Promise<boolean> = () => Promise.resolve(true),
    private readonly firstPauseMs = FIRST_PAUSE_MS,
  ) {}

  #next(before: Pause | null | undefined, firstMs: number, mostMs: number): Pause {
    const failures = before?.failures ?? 0;
    const pauseMs = Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20));
    return { failures: failures + 1, untilMs: performance.now() + pauseMs };
  }

  /** Starts a pause after storage failed for a job; the job returns to the queue. */
  begin(id: number): void {
    const first = JOB_PAUSES * this.firstPauseMs;
    this.#jobs.set(id, this.#next(this.#jobs.get(id), first, MAX_JOB_PAUSE_MS));
    // failures of jobs that ran at the same time count as one
    if (!this.#isResting()) this.#all = this.#next(this.#all, this.firstPauseMs, MAX_PAUSE_MS);
  }

  /** Records the end of a job. @param isStored Whether all writes of the job succeeded. */
  end(id: number, isStored: boolean): void {
    this.#jobs.delete(id);
    // during a pause, a job that began earlier does not prove that storage works again
    if (isStored && !this.#isResting()) this.#all = null;
  }

  #isResting(): boolean {
    return this.#all !== null && performance.now() < this.#all.untilMs;
  }

  /** Whether jobs may be claimed: the pause is over, and storage can be written. */
  async mayGoOn(): Promise<boolean> {
    if (this.#all === null) return true;
    if (this.#isResting()) return false;
    if (await this.isBack()) return true;
    this.#all = this.#next(this.#all, this.firstPauseMs, MAX_PAUSE_MS);
    return false;
  }

  /** Ids of postponed jobs. */
  waiting(): number[] {
    const now = performance.now();
    return [...this.#jobs].filter(([, { untilMs }]) => now < untilMs).map(([id]) => id);
  }
}
