import { AppError, type ErrorCode } from "@/model/errors.ts";

/** Memory of a body under way. */
interface HeldBody {
  owner: string;
  bytes: number;
  /** ends the body: its memory is needed for another */
  giveWay: () => void;
}

/**
 * Memory for bodies under way, shared by their owners (an address, a user). When it is full, the
 * oldest body of the owner that holds most gives way, so that slow bodies of one owner keep no
 * other owner out.
 */
export class BodyBudget {
  #heldBytes = 0;
  /** bodies by owner, each oldest first */
  readonly #bodies = new Map<string, Set<HeldBody>>();
  readonly #bytesOf = new Map<string, number>();

  /** @param maxBytesOfOwner Of all bodies of an owner. */
  constructor(private readonly maxBytes: number, private readonly maxBytesOfOwner = maxBytes) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Adds a body without memory yet. */
  open(owner: string, giveWay: () => void): HeldBody {
    const body: HeldBody = { owner, bytes: 0, giveWay }, bodies = this.#bodies.get(owner);
    if (bodies === undefined) this.#bodies.set(owner, new Set([body]));
    else bodies.add(body);
    return body;
  }

  /**
   * @throws {AppError} `server.busy` when no other body can give way for this one; it holds what it
   * held then.
   */
  take(body: HeldBody, bytes: number): void {
    while ((this.#bytesOf.get(body.owner) ?? 0) + bytes > this.maxBytesOfOwner) {
      this.#makeRoom(body, body.owner);
    }
    while (this.#heldBytes + bytes > this.maxBytes) {
      this.#makeRoom(body, this.#largestOwner(body, bytes));
    }
    this.#count(body, bytes);
  }

  /** Gives the memory of a body back; does nothing for one that has given way. */
  close(body: HeldBody): void {
    const bodies = this.#bodies.get(body.owner);
    if (!bodies?.delete(body)) return;
    this.#count(body, -body.bytes);
    if (bodies.size > 0) return;
    this.#bodies.delete(body.owner);
    this.#bytesOf.delete(body.owner);
  }

  #count(body: HeldBody, bytes: number): void {
    body.bytes += bytes;
    this.#heldBytes += bytes;
    this.#bytesOf.set(body.owner, (this.#bytesOf.get(body.owner) ?? 0) + bytes);
  }

  #largestOwner(body: HeldBody, bytes: number): string {
    let owner = body.owner, most = (this.#bytesOf.get(owner) ?? 0) + bytes;
    for (const [each, held] of this.#bytesOf) {
      if (each !== body.owner && held > most) [owner, most] = [each, held];
    }
    return owner;
  }

  #makeRoom(body: HeldBody, owner: string): void {
    const [oldest] = this.#bodies.get(owner) ?? [];
    if (oldest === undefined || oldest === body) {
      throw new AppError("server.busy", "Cannot read the body: too many are under way");
    }
    this.close(oldest);
    oldest.giveWay();
  }
}

/** A body is read within this time, ms. */
const BODY_TIMEOUT_MS = 30_000;
/** Held for a body from its start, so that bodies of a few bytes are bounded in number too. */
const FIRST_BYTES = 4096;
/** A packet of the network holds more, but for the last one; {@link FREE_CHUNKS} beside. */
const MIN_CHUNK_BYTES = 64, FREE_CHUNKS = 256;

interface BodyLimits {
  maxBytes: number;
  budget: BodyBudget;
  /** shares the budget with the other owners: an address, or a user */
  owner?: string;
  /** of a body that is too large; `input.invalid` by default */
  tooLarge?: ErrorCode;
  withinMs?: number;
}

/**
 * A whole body in one buffer that grows with what comes, so that what is held does not depend on
 * how it is sent.
 *
 * @throws {AppError} `input.invalid` when it is too large, cut into needlessly many parts, or
 *   breaks off (`details.reason` is `aborted`), `request.too_slow`, `server.busy`; the remaining
 *   bytes are not read then.
 */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, budget, owner = "", tooLarge = "input.invalid", withinMs = BODY_TIMEOUT_MS }:
    BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader(), maxChunks = FREE_CHUNKS + maxBytes / MIN_CHUNK_BYTES;
  let buffer = new Uint8Array(), size = 0, chunks = 0, ended: AppError | null = null;
  const end = (error: AppError) => {
    ended ??= error;
    // ends the read() that is under way
    reader.cancel().catch(() => {});
  };
  const reservation = budget.open(owner, () => {
    buffer = new Uint8Array();
    end(new AppError("server.busy", "Cannot read the body: a newer one needs its memory"));
  });
  const timer = setTimeout(
    () =>
      end(new AppError("request.too_slow", `Cannot read the body: not there in ${withinMs} ms`)),
    withinMs,
  );
  const grow = (bytes: number) => {
    budget.take(reservation, bytes - buffer.length);
    const larger = new Uint8Array(bytes);
    larger.set(buffer.subarray(0, size));
    buffer = larger;
  };
  try {
    grow(Math.min(maxBytes, FIRST_BYTES));
    for (;;) {
      const { done, value } = await reader.read();
      if (ended !== null) throw ended;
      if (done) return buffer.subarray(0, size);
      const needed = size + value.length;
      if (needed > maxBytes) throw new AppError(tooLarge, "Cannot read the body: too large");
      if (++chunks > maxChunks) {
        throw new AppError("input.invalid", "Cannot read the body: too many parts");
      }
      if (needed > buffer.length) grow(Math.min(maxBytes, Math.max(2 * buffer.length, needed)));
      buffer.set(value, size);
      size = needed;
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    if (error instanceof AppError) throw error;
    const details = { reason: "aborted" };
    throw new AppError("input.invalid", "Cannot read the body: the connection broke", details, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    budget.close(reservation);
  }
}
