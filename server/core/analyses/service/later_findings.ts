// Findings of listed studies that are missing: computed after the list has been answered.
import { setImmediate } from "node:timers/promises";
import { addMissingFindings } from "@/server/core/analyses/service/finding.ts";
import { Pace } from "@/server/core/jobs/catch_up.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";

/** Number of findings computed between two rests: about 20 ms. */
const AT_ONCE = 5;
/** Number of findings announced at once: pages then read the list again instead of single rows. */
const ANNOUNCED = 50;

type Services = Pick<ServiceContext, "db" | "log" | "publish">;

/** Computes findings in slices between requests, and announces them to the pages. */
export class LaterFindings {
  readonly #waiting = new Set<number>();
  /** studies with unreadable results: not tried again before the next start */
  readonly #unreadable = new Set<number>();
  readonly #ending = new AbortController();
  #working: Promise<void> | null = null;

  constructor(private readonly services: Services) {}

  /** Queues studies by number (pid). @returns the numbers that `study_finding` will announce. */
  request(pids: readonly number[]): number[] {
    const readable = pids.filter((pid) => !this.#unreadable.has(pid));
    if (this.#ending.signal.aborted) return readable;
    for (const pid of readable) this.#waiting.add(pid);
    if (readable.length > 0) this.#working ??= this.#work().finally(() => this.#working = null);
    return readable;
  }

  /** Stops after the current slice. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { db, log, publish } = this.services, pace = new Pace(this.#ending.signal);
    let done: number[] = [];
    // the answer that asks for the findings goes first
    await setImmediate();
    while (this.#waiting.size > 0 && !this.#ending.signal.aborted) {
      const pids = [...this.#waiting].slice(0, AT_ONCE);
      try {
        const { unreadable } = await addMissingFindings(db, await readPatients(db, pids));
        for (const pid of unreadable) this.#unreadable.add(pid);
      } catch (error) {
        // the next list asks again
        log("warn", "Cannot store findings of studies", { error: String(error) });
        this.#waiting.clear();
        break;
      }
      for (const pid of pids) this.#waiting.delete(pid);
      done.push(...pids);
      if (this.#waiting.size === 0 || done.length >= ANNOUNCED) {
        publish({ event: "study_finding", pid_list: done });
        done = [];
      }
      await pace.rest().catch(() => {});
    }
    if (done.length > 0) publish({ event: "study_finding", pid_list: done });
  }
}
