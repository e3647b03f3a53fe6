import type { ServiceContext } from "@/server/core/site/service/context.ts";

interface Computation {
  ended: Promise<void>;
  stopping: AbortController;
  /** requested again during the run, so that the computation is repeated from the beginning */
  isAgain: boolean;
}

/** A background computation, one at a time for each core in this process. */
export class Computations {
  /** running computation by the core's database */
  readonly #running = new WeakMap<ServiceContext["db"], Computation>();

  /** @param failure Start of the log message when a computation fails. */
  constructor(
    private readonly compute: (services: ServiceContext, signal: AbortSignal) => Promise<void>,
    private readonly failure: string,
  ) {}

  isRunning({ db }: ServiceContext): boolean {
    return this.#running.has(db);
  }

  /** Begins a computation; one that runs already is followed by another. */
  start(services: ServiceContext): void {
    const current = this.#running.get(services.db);
    if (current) {
      current.isAgain = true;
      return;
    }
    const stopping = new AbortController();
    const computation: Computation = { ended: Promise.resolve(), stopping, isAgain: false };
    const work = async () => {
      do {
        computation.isAgain = false;
        try {
          await this.compute(services, stopping.signal);
        } catch (error) {
          if (stopping.signal.aborted) return;
          services.log("error", this.failure, { error: String(error) });
        }
      } while (computation.isAgain && !stopping.signal.aborted);
    };
    this.#running.set(services.db, computation);
    computation.ended = work().finally(() => this.#running.delete(services.db));
  }

  /** Waits for the running computation. */
  async ended({ db }: ServiceContext): Promise<void> {
    await this.#running.get(db)?.ended;
  }

  /** Aborts the running computation and waits for the end. */
  async stop({ db }: ServiceContext): Promise<void> {
    this.#running.get(db)?.stopping.abort();
    await this.#running.get(db)?.ended;
  }
}
