import { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers";

/**
 * Each part of a chunked body costs more than its bytes: no honest client sends many smaller ones.
 */
const MIN_PART_BYTES = 32, FREE_PARTS = 512;
/** No more than this is taken from the connection before the buffered parts have been passed on. */
const MAX_BUFFERED_PART_BYTES = 64 << 10;

/**
 * A request with a body that is coalesced while it is parsed: the parts of one packet are passed on
 * as one. A part each would cost a hundred times its bytes, however soon it is read.
 */
export class CoalescedRequest extends IncomingMessage {
  #buffer = new Uint8Array();
  #size = 0;
  #allBytes = 0;
  #allParts = 0;
  #isPlanned = false;
  /** the connection was paused */
  #isHeld = false;

  /** Called by the parser for each part, and with `null` at the end. */
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
    // the reader resumes the connection when it wants more
    if (!super.push(buffered)) this.socket.pause();
    else if (this.#isHeld) this.socket.resume();
    this.#isHeld = false;
  }
}
