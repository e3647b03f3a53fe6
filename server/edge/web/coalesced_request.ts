import { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers";

/**
 * Minimum chunk size of a chunked body: each chunk costs more than its bytes,
 * and honest clients do not send many small chunks.
 */
const MIN_PART_BYTES = 32, FREE_PARTS = 512;
/** Maximum number of bytes read from the connection before buffered chunks are passed on. */
const MAX_BUFFERED_PART_BYTES = 64 << 10;

/**
 * A request with a body that is coalesced during parsing: all chunks of a packet are passed on as
 * one. Separate chunks would cost a hundred times as much.
 */
export class CoalescedRequest extends IncomingMessage {
  #buffer = new Uint8Array();
  #size = 0;
  #allBytes = 0;
  #allParts = 0;
  #isPlanned = false;
  /** whether the connection is paused */
  #isHeld = false;

  /** Called by the parser for each chunk, and with `null` at the end. */
  override push(part: Uint8Array | null): boolean {
    if (part === null) {
      this.#hand();
      return super.push(null);
    }
    if (this.destroyed) return false;
    this.#allBytes += part.length;
    if (++this.#allParts > FREE_PARTS + this.#allBytes / MIN_PART_BYTES) {
      this.#size = 0;
      this.destroy(new Error("The body comes in needlessly many parts"));
      return false;
    }
    this.#add(part);
    if (!this.#isPlanned) setImmediate(() => this.#hand());
    this.#isPlanned = true;
    this.#isHeld ||= this.#size >= MAX_BUFFERED_PART_BYTES;
    return !this.#isHeld;
  }

  #add(part: Uint8Array): void {
    const needed = this.#size + part.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    this.#buffer.set(part, this.#size);
    this.#size = needed;
  }

  #hand(): void {
    this.#isPlanned = false;
    if (this.#size === 0 || this.destroyed) return;
    const buffered = this.#buffer.subarray(0, this.#size);
    this.#buffer = new Uint8Array();
    this.#size = 0;
    // the reader resumes the connection when it needs more bytes
    if (!super.push(buffered)) this.socket.pause();
    else if (this.#isHeld) this.socket.resume();
    this.#isHeld = false;
  }
}
