/** Pauses of the queue after a storage failure: 1 s, doubled each time, at most a minute. */
const FIRST_PAUSE_MS = 1000, MAX_PAUSE_MS = 60_000;
/** Factor by which a failed job waits longer, so that other jobs overtake it; at most an hour. */
const JOB_PAUSES = 4, MAX_JOB_PAUSE_MS = 3_600_000;

interface Pause {
  failures: number;
  /** end of the pause by `performance.now()` */
  untilMs: number;
}

/**
 * Pauses a queue after a job failed to write to storage, and postpones that job.
 * Without a pause, a long analysis would be repeated only to fail on the same full disk.
 * A job that fails alone does not block the other jobs.
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

  /** Starts a pause: storage failed for a job, which returns to the queue. */
  begin(id: number): void {
    const first = JOB_PAUSES * this.firstPauseMs;
    this.#jobs.set(id, this.#next(this.#jobs.get(id), first, MAX_JOB_PAUSE_MS));
    // a single pause for all jobs that ran at the same time
    if (!this.#isResting()) this.#all = this.#next(this.#all, this.firstPauseMs, MAX_PAUSE_MS);
  }

  /** Records the end of a job. @param isStored All writes of the job succeeded. */
  end(id: number, isStored: boolean): void {
    this.#jobs.delete(id);
    // a job that began before the pause proves nothing about the present state of the storage
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

  /** Ids of the jobs that are postponed. */
  waiting(): number[] {
    const now = performance.now();
    return [...this.#jobs].filter(([, { untilMs }]) => now < untilMs).map(([id]) => id);
  }
}
