import { createHash, randomUUID } from "node:crypto";
import type { KnownPeer } from "@/server/core/connections/service/known_peers.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Queue of tasks in the database: sequential for each remote system, parallel between systems. */
export abstract class SystemQueue<Work> {
  /** name of this server in rows of tasks that it has claimed */
  protected readonly owner: string;
  readonly #busy = new Map<number, Promise<void>>();
  #isClosed = false;

  constructor(protected readonly services: ServiceContext) {
    const name = services.gate?.inbox ?? randomUUID();
    this.owner = createHash("sha256").update(name).digest("hex").slice(0, 32);
  }

  /** Releases tasks that the previous process of this server had claimed. */
  abstract recover(): Promise<void>;
  /** Remote systems that may be called now. */
  protected abstract systems(): Promise<readonly KnownPeer[]>;
  protected abstract claim(peer: KnownPeer): Promise<Work | null>;
  /** Executes one task and updates its row. @returns whether the system may be called again. */
  protected abstract work(peer: KnownPeer, work: Work): Promise<boolean>;

  /** Starts the queue of each remote system that has tasks and no running task. */
  async wake(): Promise<void> {
    if (this.#isClosed) return;
    for (const peer of await this.systems()) {
      if (this.#busy.has(peer.id)) continue;
      const working = this.#all(peer).catch((error) =>
        this.services.log("error", "Cannot work for a system", {
          peer: peer.id,
          error: String(error),
        })
      ).finally(() => this.#busy.delete(peer.id));
      this.#busy.set(peer.id, working);
    }
  }

  /** Starts no more tasks, and waits for the running tasks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#busy.values());
  }

  async #all(peer: KnownPeer): Promise<void> {
    while (!this.#isClosed) {
      const work = await this.claim(peer);
      if (work === null || !await this.work(peer, work)) return;
    }
  }
}
