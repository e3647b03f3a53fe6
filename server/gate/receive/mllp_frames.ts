import type { Wire } from "@/server/gate/dimse/wire.ts";
import { WireReader } from "@/server/gate/dimse/wire.ts";

/** Characters that delimit an HL7 version 2 message (minimal lower layer protocol, MLLP). */
export const FRAME = { start: 0x0b, end: 0x1c, cr: 0x0d } as const;
/** Maximum number of line ends that a sender may insert between two MLLP frames. */
const MAX_BETWEEN = 16;

/** Error: the bytes are not MLLP frames, so that the next frame cannot be found. */
export class FrameError extends Error {
  override name = "FrameError";
}
/** Error: the MLLP frame exceeds the maximum message size. */
export class FrameTooLong extends FrameError {
  override name = "FrameTooLong";
  /** @param head First bytes of the message, from which the answer takes the control ID. */
  constructor(readonly head: Uint8Array) {
    super("Cannot read: the message is too long");
  }
}

interface FrameTimes {
  /** time limit between two messages, ms; MLLP connections stay open */
  idleMs: number;
  /** time limit from the first to the last byte of a message, ms */
  messageMs: number;
}

/** Reads HL7 messages from a connection. Holds one message of at most `maxBytes` in memory. */
export class FrameReader {
  readonly #reader: WireReader;

  constructor(
    wire: Wire,
    private readonly maxBytes: number,
    private readonly times: FrameTimes,
  ) {
    this.#reader = new WireReader(wire);
  }

  /**
   * Next HL7 message without the frame; `null` at a regular end of the connection.
   * @throws {FrameError} {@link FrameTooLong}, WireEnd, WireTimeout
   */
  async next(): Promise<Uint8Array | null> {
    const reader = this.#reader;
    reader.setDeadline(this.times.idleMs);
    for (let between = 0;; between++) {
      if (!await reader.hasMore()) return null;
      const byte = (await reader.some(1))[0]!;
      if (byte === FRAME.start) break;
      if ((byte !== 0x0d && byte !== 0x0a) || between >= MAX_BETWEEN) {
        throw new FrameError("Cannot read: a message does not begin with 0x0B");
      }
    }
    reader.setDeadline(this.times.messageMs);
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const piece = await reader.upTo(FRAME.end);
      const text = piece.at(-1) === FRAME.end ? piece.subarray(0, -1) : piece;
      length += text.length;
      if (length > this.maxBytes) throw new FrameTooLong(joined([...pieces, text], length));
      if (text.includes(FRAME.start)) {
        throw new FrameError("Cannot read: a message begins inside another one");
      }
      pieces.push(text.slice());
      if (text.length < piece.length) break;
    }
    if ((await reader.some(1))[0] !== FRAME.cr) {
      throw new FrameError("Cannot read: 0x1C without 0x0D");
    }
    return joined(pieces, length);
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Wraps an HL7 message in an MLLP frame. */
export function framed(message: string): Uint8Array {
  const text = new TextEncoder().encode(message), frame = new Uint8Array(text.length + 3);
  frame[0] = FRAME.start;
  frame.set(text, 1);
  frame.set([FRAME.end, FRAME.cr], text.length + 1);
  return frame;
}
