import { AppError, type ErrorCode } from "@/model/errors.ts";

/** A request body that is being read, and the reserved memory. */
interface HeldBody {
  owner: string;
  bytes: number;
  /** aborts reading when another body needs the memory */
  giveWay: () => void;
}

/**
 * Memory budget of request bodies being read, shared by owners (a network address or a user).
 * When the budget is used up, the oldest body of the owner with the most memory is aborted,
 * so that slow bodies of one owner do not block others.
 */
export class BodyBudget {
  #heldBytes = 0;
  /** bodies being read, by the user or address that sends them, oldest first */
  readonly #bodies = new Map<string, Set<HeldBody>>();
  readonly #bytesOf = new Map<string, number>();

  /** @param maxBytesOfOwner Maximum memory of all bodies of an owner, bytes. */
  constructor(private readonly maxBytes: number, private readonly maxBytesOfOwner = maxBytes) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Registers a request body, without reserved memory yet. */
  open(owner: string, giveWay: () => void): HeldBody {
    const body: HeldBody = { owner, bytes: 0, giveWay }, bodies = this.#bodies.get(owner);
    if (bodies === undefined) this.#bodies.set(owner, new Set([body]));
    else bodies.add(body);
    return body;
  }

  /**
   * Reserves memory. @throws {AppError} `server.busy` if no other body can be aborted;
   * the reserved memory is then unchanged.
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

  /** Releases the memory reserved for a body; does nothing for an aborted body. */
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

/** Time limit for reading a request body, ms. */
const BODY_TIMEOUT_MS = 30_000;
/** Memory reserved for each body from the start, which also limits the number of small bodies. */
const FIRST_BYTES = 4096;
/** Minimum mean size of chunks in a body, bytes, after {@link FREE_CHUNKS} chunks of any size. */
const MIN_CHUNK_BYTES = 64, FREE_CHUNKS = 256;

interface BodyLimits {
  maxBytes: number;
  budget: BodyBudget;
  /** owner of the reserved memory: a network address or a user */
  owner?: string;
  /** error code for a body that is too large; `input.invalid` by default */
  tooLarge?: ErrorCode;
  withinMs?: number;
}

/**
 * Reads a whole request body into one growing buffer: memory does not depend on the chunk sizes.
 *
 * @throws {AppError} `request.too_slow`, `server.busy`, `input.invalid` for a body that is too
 * large, split into too many chunks, or aborted (`details.reason` is `aborted`).
 * Later bytes of the body are not read.
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
    // cancelling ends the pending read()
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
