import { networkOf } from "@/model/site/networks.ts";
import type { Wire } from "@/server/gate/dimse/wire.ts";

/** Maximum number of connections, in addition to new ones (younger than {@link FRESH_MS}). */
export const MAX_CONNECTIONS = 32;
/**
 * Maximum number of connections per network before association: configured, other systems.
 * A network is one IPv4 address, or a /64 of IPv6, of which a machine may have all addresses.
 */
const MAX_WAITING = { known: 16, other: 8 } as const;
/**
 * Age, ms, up to which a connection is not closed in favour of another connection.
 * A real sender requests an association at once, even if silent connections fill the limit.
 */
export const FRESH_MS = 1000;
/** Maximum number of connections younger than {@link FRESH_MS}; with more, the oldest is closed. */
export const MAX_FRESH = 256;

/** State of a DICOM connection: no byte received, part of a request received, or associated. */
type Stage = "silent" | "asking" | "associated";

interface Place {
  network: string;
  isKnown: boolean;
  stage: Stage;
  cameMs: number;
}

/**
 * DICOM connections of the gate (network process). A silent connection is closed in favour of a
 * new connection, and configured systems have priority.
 */
export class Places {
  /** DICOM connections in order of arrival */
  readonly #places = new Map<Wire, Place>();

  /** @param now Monotonic clock, ms. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  get size(): number {
    return this.#places.size;
  }

  /**
   * Registers a connection; closes a less important connection if the limit is reached.
   * @param isKnown Whether a remote system with the connection's address is configured.
   * @returns whether the new connection may stay.
   */
  admit(wire: Wire, isKnown: boolean): boolean {
    const cameMs = this.now(), network = networkOf(wire.address);
    const isFresh = (place: Place) =>
      place.stage !== "associated" && cameMs - place.cameMs < FRESH_MS;
    if (this.#count((_, place) => isFresh(place)) >= MAX_FRESH) {
      this.#close((_, place) => isFresh(place) && place.stage === "silent") ||
        this.#close((_, place) => isFresh(place));
    }
    const most = isKnown ? MAX_WAITING.known : MAX_WAITING.other;
    const isOfNetwork = (_: Wire, place: Place) =>
      place.network === network && place.stage !== "associated" && !isFresh(place);
    while (this.#count(isOfNetwork) >= most) {
      this.#close((one, place) => isOfNetwork(one, place) && place.stage === "silent") ||
        this.#close(isOfNetwork);
    }
    while (this.#count((_, place) => !isFresh(place)) >= MAX_CONNECTIONS) {
      if (!this.#makeRoom(isKnown, (place) => !isFresh(place))) return false;
    }
    this.#places.set(wire, { network, isKnown, stage: "silent", cameMs });
    return true;
  }

  /** Closes the least important connection that may be closed. @returns whether any was closed. */
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

  /** Updates the state of a connection; a closed connection stays closed. */
  advance(wire: Wire, stage: Exclude<Stage, "silent">): void {
    const place = this.#places.get(wire);
    if (place) place.stage = stage;
  }

  /** Whether a connection is registered: neither released nor closed in favour of another. */
  has(wire: Wire): boolean {
    return this.#places.has(wire);
  }

  release(wire: Wire): void {
    this.#places.delete(wire);
  }

  /** Closes the oldest connection that meets a condition. @returns whether any was closed. */
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
