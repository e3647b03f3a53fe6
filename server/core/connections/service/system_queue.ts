import { createHash, randomUUID } from "node:crypto";
import type { KnownPeer } from "@/server/core/connections/service/known_peers.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Work queue in database rows: sequential for each system, parallel between systems. */
export abstract class SystemQueue<Work> {
  /** name of this server in the rows that it has claimed */
  protected readonly owner: string;
  readonly #busy = new Map<number, Promise<void>>();
  #isClosed = false;

  constructor(protected readonly services: ServiceContext) {
    const name = services.gate?.inbox ?? randomUUID();
    this.owner = createHash("sha256").update(name).digest("hex").slice(0, 32);
  }

  /** Releases work claimed by this server's previous process. */
  abstract recover(): Promise<void>;
  /** Systems that may be called now. */
  protected abstract systems(): Promise<readonly KnownPeer[]>;
  protected abstract claim(peer: KnownPeer): Promise<Work | null>;
  /** Processes one item and ends its row. @returns whether the system may be called again. */
  protected abstract work(peer: KnownPeer, work: Work): Promise<boolean>;

  /** Starts the queue of each system that has work and is not busy. */
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

  /** Waits for the running calls, and starts no more. */
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
