// Computes missing findings of studies, as after an upgrade: studies of open lists first.
import { setImmediate } from "node:timers/promises";
import { addMissingFindings } from "@/server/core/analyses/service/finding.ts";
import { type CatchUpTask, Pace } from "@/server/core/jobs/catch_up.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { listPidsWithoutFinding } from "@/server/core/studies/storage/findings.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";

/** Number of studies per slice of work, before pending requests are served: about 20 ms. */
const AT_ONCE = 5;
/** Number of studies per `study_finding` event, so that pages reload the list instead of rows. */
const ANNOUNCED = 50;

type Services = Pick<ServiceContext, "db" | "log" | "publish">;

/** Computes missing findings in slices between requests; an event names the studies done. */
export class MissingFindings {
  readonly #listed = new Set<number>();
  /** studies with unreadable results, skipped until the server's next start */
  readonly #unreadable = new Set<number>();
  readonly #ending = new AbortController();
  #isWorking = false;
  /** settles when the findings of all listed studies are computed */
  #working: Promise<void> = Promise.resolve();

  constructor(private readonly services: Services) {}

  /** Queues the studies (pid) of an open worklist. @returns pids that `study_finding` will name. */
  request(pids: readonly number[]): number[] {
    const readable = pids.filter((pid) => !this.#unreadable.has(pid));
    if (this.#ending.signal.aborted) return readable;
    for (const pid of readable) this.#listed.add(pid);
    if (!this.#isWorking && this.#listed.size > 0) this.#working = this.#work();
    return readable;
  }

  /** Computes missing findings of all studies, those of open worklists first. */
  readonly catchUp: CatchUpTask = {
    name: "read the findings of studies",
    run: async (pace) => {
      for (let lastPid = 0;;) {
        await this.#working;
        const pids = await listPidsWithoutFinding(this.services.db, lastPid, AT_ONCE);
        if (pids.length === 0) return;
        await this.#compute(pids);
        lastPid = pids.at(-1)!;
        await pace.rest();
      }
    },
  };

  /** Stops after the current slice. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#working;
  }

  async #compute(pids: readonly number[]): Promise<void> {
    const { db, log } = this.services;
    await addMissingFindings(db, await readPatients(db, pids), (pid, error) => {
      this.#unreadable.add(pid);
      log("warn", "Cannot read the finding of a study", { pid, error: String(error) });
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    const { log, publish } = this.services, pace = new Pace(this.#ending.signal);
    const done: number[] = [];
    let error: unknown = null;
    // the response to the worklist request is sent first
    await setImmediate();
    while (this.#listed.size > 0 && !this.#ending.signal.aborted && error === null) {
      const pids = [...this.#listed].slice(0, AT_ONCE);
      try {
        await this.#compute(pids);
        for (const pid of pids) this.#listed.delete(pid);
        done.push(...pids);
      } catch (cause) {
        // after an error, the next request of a worklist queues its studies again
        error = cause;
        this.#listed.clear();
      }
      if (done.length > 0 && (this.#listed.size === 0 || done.length >= ANNOUNCED)) {
        publish({ event: "study_finding", pid_list: done.splice(0) });
      }
      if (error === null) await pace.rest().catch(() => {});
    }
    // no `await` before this line: a request in between would see `#isWorking` and start no work
    this.#isWorking = false;
    if (error !== null) log("warn", "Cannot store findings of studies", { error: String(error) });
  }
}
