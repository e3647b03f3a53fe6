/** Runs tasks one after another; all of them can be stopped. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #controller: AbortController | null = null;

  /** @param onIdle called when nothing is left to do. */
  constructor(private readonly onIdle: () => void) {}

  /** Adds a task, which must not fail; waiting tasks do not start after {@link stop}. */
  add(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#controller ??= new AbortController();
    this.#waiting++;
    this.#last = this.#last.then(async () => {
      if (!signal.aborted) await work(signal);
      if (--this.#waiting > 0) return;
      this.#controller = null;
      this.onIdle();
    });
  }

  /** Aborts the running task and drops the waiting ones; tasks added later run as usual. */
  stop(): void {
    this.#controller?.abort();
    this.#controller = null;
  }
}
