import { AppError, type ErrorCode } from "@/model/errors.ts";

/** Bytes that may be held for bodies under way at the same time, whoever sends them. */
export class BodyBudget {
  #heldBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** @throws {AppError} `server.busy` when there is no room; nothing is held then. */
  take(bytes: number): void {
    if (this.#heldBytes + bytes > this.maxBytes) {
      throw new AppError("server.busy", "Cannot read the body: too many are under way");
    }
    this.#heldBytes += bytes;
  }

  giveBack(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

/** A body is read within this time, ms. */
const BODY_TIMEOUT_MS = 30_000;
const FIRST_BYTES = 4096;
/** A packet of the network holds more, but for the last one; {@link FREE_CHUNKS} beside. */
const MIN_CHUNK_BYTES = 64, FREE_CHUNKS = 256;

interface BodyLimits {
  maxBytes: number;
  budget: BodyBudget;
  /** of a body that is too large; `input.invalid` by default */
  tooLarge?: ErrorCode;
  withinMs?: number;
}

/**
 * A whole body in one buffer that grows with what comes, so that what is held does not depend on how it is sent.
 *
 * @throws {AppError} `input.invalid` when it is too large, cut into needlessly many parts, or breaks off
 *   (`details.reason` is `aborted`), `request.too_slow`, `server.busy`; the rest is not read then.
 */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, budget, tooLarge = "input.invalid", withinMs = BODY_TIMEOUT_MS }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader(), maxChunks = FREE_CHUNKS + maxBytes / MIN_CHUNK_BYTES;
  let buffer = new Uint8Array(), size = 0, chunks = 0, isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // what is being waited for ends with it
    reader.cancel().catch(() => {});
  }, withinMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw new AppError("request.too_slow", `Cannot read the body: not there in ${withinMs} ms`);
      if (done) return buffer.subarray(0, size);
      const needed = size + value.length;
      if (needed > maxBytes) throw new AppError(tooLarge, "Cannot read the body: too large");
      if (++chunks > maxChunks) throw new AppError("input.invalid", "Cannot read the body: too many parts");
      if (needed > buffer.length) {
        const grown = Math.min(maxBytes, Math.max(FIRST_BYTES, 2 * buffer.length, needed));
        budget.take(grown - buffer.length);
        const larger = new Uint8Array(grown);
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
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
    budget.giveBack(buffer.length);
  }
}
