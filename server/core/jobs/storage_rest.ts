/** Pauses of a queue: 1 s, doubled each time, a minute at most. */
const FIRST_PAUSE_MS = 1000, MAX_PAUSE_MS = 60_000;
/** The failed job waits so many times longer, so that others pass it: an hour at most. */
const JOB_PAUSES = 4, MAX_JOB_PAUSE_MS = 3_600_000;

interface Pause {
  failures: number;
  /** by `performance.now()` */
  untilMs: number;
}

/**
 * How long a queue does nothing after its storage has failed a job, and how long that job waits:
 * without a pause an analysis of minutes would run again and again, only to find at its end that the
 * disk takes nothing. A job that fails alone does not hold up the others.
 */
export class StorageRest {
  #all: Pause | null = null;
  readonly #jobs = new Map<number, Pause>();

  /** @param isBack Whether storage takes files again. */
  constructor(
    private readonly isBack: () => Promise<boolean> = () => Promise.resolve(true),
    private readonly firstPauseMs = FIRST_PAUSE_MS,
  ) {}

  #next(before: Pause | null | undefined, firstMs: number, mostMs: number): Pause {
    const failures = before?.failures ?? 0;
    const pauseMs = Math.min(mostMs, firstMs * 2 ** Math.min(failures, 20));
    return { failures: failures + 1, untilMs: performance.now() + pauseMs };
  }

  /** Storage has failed a job, which goes back into the queue. */
  begin(id: number): void {
    const first = JOB_PAUSES * this.firstPauseMs;
    this.#jobs.set(id, this.#next(this.#jobs.get(id), first, MAX_JOB_PAUSE_MS));
    // once for all jobs that ran at the same time
    if (!this.#isResting()) this.#all = this.#next(this.#all, this.firstPauseMs, MAX_PAUSE_MS);
  }

  /** A job has come to its end, whatever that was. @param isStored Storage took all it wrote. */
  end(id: number, isStored: boolean): void {
    this.#jobs.delete(id);
    // one that began before the pause says nothing of now
    if (isStored && !this.#isResting()) this.#all = null;
  }

  #isResting(): boolean {
    return this.#all !== null && performance.now() < this.#all.untilMs;
  }

  /** Whether jobs may be taken: the pause is over, and storage is back. */
  async mayGoOn(): Promise<boolean> {
    if (this.#all === null) return true;
    if (this.#isResting()) return false;
    if (await this.isBack()) return true;
    this.#all = this.#next(this.#all, this.firstPauseMs, MAX_PAUSE_MS);
    return false;
  }

  /** Jobs that are not taken now. */
  waiting(): number[] {
    const now = performance.now();
    return [...this.#jobs].filter(([, { untilMs }]) => now < untilMs).map(([id]) => id);
  }
}
