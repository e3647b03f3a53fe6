import type { Wire } from "@/server/gate/dimse/wire.ts";

/** Maximum number of simultaneous connections, in addition to new ones. */
export const MAX_CONNECTIONS = 32;
/** Maximum number of connections without association per address: configured systems, others. */
const MAX_WAITING = { known: 16, other: 8 } as const;
/**
 * Age up to which a connection is never closed in favour of another. A real sender requests an
 * association at once, and so succeeds even beside silent connections from the same address.
 */
export const FRESH_MS = 1000;
/** Maximum number of new connections; with more, the oldest is closed. */
export const MAX_FRESH = 256;

/** State of a connection: no byte yet, part of a request, or associated. */
type Stage = "silent" | "asking" | "associated";

interface Place {
  isKnown: boolean;
  stage: Stage;
  cameMs: number;
}

/**
 * Connections of the gate. A new connection always finds a place: the oldest silent connection is
 * closed for it, and configured systems have priority.
 */
export class Places {
  /** connections in order of arrival */
  readonly #places = new Map<Wire, Place>();

  /** @param now Monotonic clock, ms. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  get size(): number {
    return this.#places.size;
  }

  /**
   * Registers a connection, and closes another connection if the limit is reached.
   * @param isKnown Whether the connection's address is that of a configured system.
   * @returns whether the connection may stay.
   */
  admit(wire: Wire, isKnown: boolean): boolean {
    const cameMs = this.now();
    const isFresh = (place: Place) =>
      place.stage !== "associated" && cameMs - place.cameMs < FRESH_MS;
    if (this.#count((_, place) => isFresh(place)) >= MAX_FRESH) {
      this.#close((_, place) => isFresh(place) && place.stage === "silent") ||
        this.#close((_, place) => isFresh(place));
    }
    const most = isKnown ? MAX_WAITING.known : MAX_WAITING.other;
    const isOfAddress = (one: Wire, place: Place) =>
      one.address === wire.address && place.stage !== "associated" && !isFresh(place);
    while (this.#count(isOfAddress) >= most) {
      this.#close((one, place) => isOfAddress(one, place) && place.stage === "silent") ||
        this.#close(isOfAddress);
    }
    while (this.#count((_, place) => !isFresh(place)) >= MAX_CONNECTIONS) {
      if (!this.#makeRoom(isKnown, (place) => !isFresh(place))) return false;
    }
    this.#places.set(wire, { isKnown, stage: "silent", cameMs });
    return true;
  }

  /** Closes the least important closable connection. @returns whether one was closed. */
  #makeRoom(isForKnown: boolean, mayClose: (place: Place) => boolean): boolean {
    const close = (isOfKind: (place: Place) => boolean) =>
      this.#close((_, place) => mayClose(place) && isOfKind(place));
    return close(({ isKnown, stage }) => !isKnown && stage === "silent") ||
      (isForKnown && close(({ isKnown, stage }) => !isKnown && stage === "asking")) ||
      close(({ stage }) => stage === "silent");
  }

  #count(isOfKind: (wire: Wire, place: Place) => boolean): number {
    return [...this.#places].filter(([wire, place]) => isOfKind(wire, place)).length;
  }

  /** Updates the state of a connection; one that was closed stays closed. */
  advance(wire: Wire, stage: Exclude<Stage, "silent">): void {
    const place = this.#places.get(wire);
    if (place) place.stage = stage;
  }

  /** Whether a connection is still registered. */
  has(wire: Wire): boolean {
    return this.#places.has(wire);
  }

  release(wire: Wire): void {
    this.#places.delete(wire);
  }

  /** Closes the oldest connection in a state. @returns whether one was closed. */
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
