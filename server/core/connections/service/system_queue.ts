import { createHash, randomUUID } from "node:crypto";
import type { KnownPeer } from "@/server/core/connections/service/known_peers.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/**
 * Work that waits in rows, done for each system one after the other and for several systems at the
 * same time.
 */
export abstract class SystemQueue<Work> {
  /** names this server in the rows that it has claimed */
  protected readonly owner: string;
  readonly #busy = new Map<number, Promise<void>>();
  #isClosed = false;

  constructor(protected readonly services: ServiceContext) {
    const name = services.gate?.inbox ?? randomUUID();
    this.owner = createHash("sha256").update(name).digest("hex").slice(0, 32);
  }

  /** Puts work of this server's previous process back into the queue. */
  abstract recover(): Promise<void>;
  /** Systems that may be called now. */
  protected abstract systems(): Promise<readonly KnownPeer[]>;
  protected abstract claim(peer: KnownPeer): Promise<Work | null>;
  /** Does one piece and ends its row. @returns whether the system may be called for the next. */
  protected abstract work(peer: KnownPeer, work: Work): Promise<boolean>;

  /** Starts the queue of every system that has work and is not already busy. */
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

  /** Waits for current work. */
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
