/** Work that begins when what was given before has ended; all of it can be stopped. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #controller: AbortController | null = null;

  /** @param onIdle called when nothing is left to do. */
  constructor(private readonly onIdle: () => void) {}

  /** Gives work, which must not fail; none begins any more after {@link stop}. */
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

  /** Ends what runs and gives up what waits; what is given later begins as ever. */
  stop(): void {
    this.#controller?.abort();
    this.#controller = null;
  }
}
