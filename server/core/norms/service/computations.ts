import type { ServiceContext } from "@/server/core/site/service/context.ts";

interface Computation {
  ended: Promise<void>;
  stopping: AbortController;
  /** whether `start` was called during the run, so that the computation is repeated */
  isAgain: boolean;
}

/** A background computation, of which a site (core) in this process runs one at a time. */
export class Computations {
  /** running computation of each site, by its database */
  readonly #running = new WeakMap<ServiceContext["db"], Computation>();

  /** @param failure Log message after a failed computation. */
  constructor(
    private readonly compute: (services: ServiceContext, signal: AbortSignal) => Promise<void>,
    private readonly failure: string,
  ) {}

  isRunning({ db }: ServiceContext): boolean {
    return this.#running.has(db);
  }

  /** Starts a computation; if one is running, another is started when it ends. */
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

  /** Waits until the running computation has ended. */
  async ended({ db }: ServiceContext): Promise<void> {
    await this.#running.get(db)?.ended;
  }

  /** Aborts the running computation and waits until it has ended. */
  async stop({ db }: ServiceContext): Promise<void> {
    this.#running.get(db)?.stopping.abort();
    await this.#running.get(db)?.ended;
  }
}
