/** Queue that runs tasks one after another and can abort all of them. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #controller: AbortController | null = null;

  /** @param onIdle called when the queue becomes empty. */
  constructor(private readonly onIdle: () => void) {}

  /** Adds a task, which must not reject; queued tasks do not start after {@link stop}. */
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

  /** Aborts the running task and discards queued tasks; tasks added later run as usual. */
  stop(): void {
    this.#controller?.abort();
    this.#controller = null;
  }
}
