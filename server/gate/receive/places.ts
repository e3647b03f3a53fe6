import type { Wire } from "@/server/gate/dimse/wire.ts";

/** Connections at the same time, associated or not, beside those that have just come. */
export const MAX_CONNECTIONS = 32;
/** Those of one address that have no association yet: of a configured system, and of any other. */
const MAX_WAITING = { known: 16, other: 8 } as const;
/**
 * A connection that came within this time keeps its place: a sender asks for its association at
 * once and names itself by that, so it comes in beside silent ones of the same address.
 */
export const FRESH_MS = 1000;
/** Connections that have just come; of more of them the oldest gives way. */
export const MAX_FRESH = 256;

/** How far a connection has come: no byte, some bytes of its request, an association. */
type Stage = "silent" | "asking" | "associated";

interface Place {
  isKnown: boolean;
  stage: Stage;
  cameMs: number;
}

/**
 * The connections of the gate. One that is new always finds a place among those that say nothing:
 * the silent one that came first gives way, and configured systems come before all others.
 */
export class Places {
  /** in the order in which they came */
  readonly #places = new Map<Wire, Place>();

  /** @param now Monotonic clock, ms. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  get size(): number {
    return this.#places.size;
  }

  /**
   * Gives a connection a place, and closes another for it where there is none left.
   * @param isKnown It comes from an address of a configured system.
   * @returns whether it may stay.
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

  /**
   * Closes the connection that matters least of those that may be closed. @returns whether there
   * was one.
   */
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
