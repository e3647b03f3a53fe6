import type { Wire } from "@/server/gate/dimse/wire.ts";

/** Connections at the same time, associated or not. */
export const MAX_CONNECTIONS = 32;
/** Those of one address that have no association yet: of a configured system, and of any other. */
const MAX_WAITING = { known: 16, other: 8 } as const;

/** How far a connection has come: no byte, some bytes of its request, an association. */
type Stage = "silent" | "asking" | "associated";

interface Place {
  isKnown: boolean;
  stage: Stage;
}

/**
 * The connections of the gate. One that is new always finds a place among those that say nothing: the silent one that
 * came first gives way, and systems that are configured come before all others.
 */
export class Places {
  /** in the order in which they came */
  readonly #places = new Map<Wire, Place>();

  get size(): number {
    return this.#places.size;
  }

  /**
   * Gives a connection a place, and closes another for it where there is none left.
   * @param isKnown It comes from an address of a configured system.
   * @returns whether it may stay.
   */
  admit(wire: Wire, isKnown: boolean): boolean {
    const most = isKnown ? MAX_WAITING.known : MAX_WAITING.other;
    const isOfAddress = (one: Wire, { stage }: Place) =>
      one.address === wire.address && stage !== "associated";
    const waiting = [...this.#places].filter(([one, place]) => isOfAddress(one, place));
    if (waiting.length >= most) {
      const isClosed = this.#close((one, place) => isOfAddress(one, place) && place.stage === "silent") ||
        this.#close(isOfAddress);
      if (!isClosed) return false;
    }
    if (this.#places.size >= MAX_CONNECTIONS) {
      const isClosed = this.#close((_, { isKnown, stage }) => !isKnown && stage === "silent") ||
        (isKnown && this.#close((_, place) => !place.isKnown && place.stage === "asking")) ||
        this.#close((_, { stage }) => stage === "silent");
      if (!isClosed) return false;
    }
    this.#places.set(wire, { isKnown, stage: "silent" });
    return true;
  }

  /** Notes that a connection has come further; one that has lost its place stays without it. */
  advance(wire: Wire, stage: Exclude<Stage, "silent">): void {
    const place = this.#places.get(wire);
    if (place) place.stage = stage;
  }

  /** Whether a connection still has its place. */
  has(wire: Wire): boolean {
    return this.#places.has(wire);
  }

  release(wire: Wire): void {
    this.#places.delete(wire);
  }

  /** Closes the oldest connection of a kind. @returns whether there was one. */
  #close(isOfKind: (wire: Wire, place: Place) => boolean): boolean {
    for (const [wire, place] of this.#places) {
      if (!isOfKind(wire, place)) continue;
      this.#places.delete(wire);
      wire.close();
      return true;
    }
    return false;
  }
}
