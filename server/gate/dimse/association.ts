import {
  type Command,
  NO_DATA_SET,
  readCommand,
  writeCommand,
} from "@/server/gate/dimse/command.ts";
import {
  abortPdu,
  concat,
  PDU,
  pduOf,
  ProtocolError,
  releasePdu,
  releaseRequestPdu,
} from "@/server/gate/dimse/pdu.ts";
import { type Wire, WireEnd, WireReader } from "@/server/gate/dimse/wire.ts";

/** Largest P-DATA-TF that is taken, header excluded; announced to every peer. */
export const MAX_PDU_BYTES = 131_072;
/** Other PDUs: a request of 128 contexts with every transfer syntax has some 100 kB. */
const MAX_CONTROL_BYTES = 262_144;
const MAX_COMMAND_BYTES = 65_536;
/** Largest PDU that is sent, whatever the peer takes. */
const MAX_SENT_BYTES = 131_072;

export interface Timeouts {
  /** from the connection to its first byte, ms */
  silentMs: number;
  /** from that to the end of the request for an association, ms */
  associateMs: number;
  /** between two messages, ms */
  idleMs: number;
  /** for one PDU from its first byte to its last, ms */
  pduMs: number;
}
export const TIMEOUTS: Timeouts = {
  silentMs: 5000,
  associateMs: 10_000,
  idleMs: 60_000,
  pduMs: 60_000,
};

/** A command, and the pieces of its data set where it has one. */
export interface Message {
  contextId: number;
  command: Command;
  /**
   * Pieces of the data set, each valid until the next; to be read to the end before the next
   * message.
   */
  dataSet: AsyncIterable<Uint8Array> | null;
}

/** The peer broke the association off. */
export class Aborted extends Error {
  override name = "Aborted";
}

/**
 * The two sides of an association after it was agreed on: messages in, messages out. Memory is one
 * PDV at most.
 */
export class AssociationStream {
  readonly reader: WireReader;
  /** bytes of the P-DATA-TF that the peer takes */
  peerMaxBytes = 16_384;
  /** bytes left of the P-DATA-TF that is being read */
  #pduLeft = 0;

  constructor(private readonly wire: Wire, private readonly timeouts: Timeouts = TIMEOUTS) {
    this.reader = new WireReader(wire);
  }

  /**
   * Header of the next PDU. The body of every type but data is small and is read by {@link body}.
   * @param pduMs From its first byte to its last.
   * @returns `null` at an orderly end of the connection. @throws {ProtocolError} for one that
   *   cannot be.
   */
  async header(
    waitMs: number,
    pduMs = this.timeouts.pduMs,
  ): Promise<{ type: number; length: number } | null> {
    this.reader.setDeadline(waitMs);
    if (!await this.reader.hasMore()) return null;
    this.reader.setDeadline(pduMs);
    const head = await this.reader.exactly(6), type = head[0]!;
    const length = new DataView(head.buffer).getUint32(2);
    if (type < PDU.request || type > PDU.abort) {
      throw new ProtocolError("Cannot read: not a DICOM message", 1);
    }
    const most = type === PDU.data ? MAX_PDU_BYTES : MAX_CONTROL_BYTES;
    if (length > most) {
      throw new ProtocolError(
        `Cannot read: a message part of ${length} bytes, ${most} are taken`,
        6,
      );
    }
    return { type, length };
  }

  body(length: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.reader.exactly(length);
  }

  /** Header of the next PDV, across PDUs. @returns `null` when the peer asks to release. */
  async #pdv(waitMs: number): Promise<{ contextId: number; flags: number; length: number } | null> {
    while (this.#pduLeft === 0) {
      const header = await this.header(waitMs);
      if (header === null) {
        throw new WireEnd("Cannot go on: the connection ended without a release");
      }
      if (header.type === PDU.data) this.#pduLeft = header.length;
      else {
        await this.body(header.length);
        if (header.type === PDU.releaseRequest) return null;
        if (header.type === PDU.abort) throw new Aborted("Cannot go on: the peer aborted");
        throw new ProtocolError("Cannot read: a message where none may be", 2);
      }
    }
    if (this.#pduLeft < 6) {
      throw new ProtocolError("Cannot read: a value ends outside of its message");
    }
    const head = await this.reader.exactly(6), length = new DataView(head.buffer).getUint32(0) - 2;
    this.#pduLeft -= 6;
    if (length < 0 || length > this.#pduLeft) {
      throw new ProtocolError("Cannot read: a value ends outside of its message");
    }
    this.#pduLeft -= length;
    return { contextId: head[4]!, flags: head[5]!, length };
  }

  async *#dataSet(contextId: number): AsyncGenerator<Uint8Array> {
    for (let isLast = false; !isLast;) {
      const pdv = await this.#pdv(this.timeouts.idleMs);
      if (pdv === null) throw new ProtocolError("Cannot go on: released inside a data set", 2);
      if (pdv.contextId !== contextId || (pdv.flags & 1) !== 0) {
        throw new ProtocolError("Cannot read: a command inside a data set", 2);
      }
      for (let remaining = pdv.length; remaining > 0;) {
        const piece = await this.reader.some(remaining);
        remaining -= piece.length;
        yield piece;
      }
      isLast = (pdv.flags & 2) !== 0;
    }
  }

  /**
   * The next message. The data set of the one before must have been read.
   * @returns `null` when the peer wants to release. @throws {Aborted}, {ProtocolError}, {WireEnd},
   *   WireTimeout.
   */
  async next(waitMs = this.timeouts.idleMs): Promise<Message | null> {
    const fragments: Uint8Array[] = [];
    let size = 0, contextId = -1;
    for (let isLast = false; !isLast;) {
      const pdv = await this.#pdv(fragments.length === 0 ? waitMs : this.timeouts.idleMs);
      if (pdv === null) {
        if (fragments.length === 0) return null;
        throw new ProtocolError("Cannot go on: released inside a command", 2);
      }
      if ((pdv.flags & 1) === 0 || (contextId >= 0 && pdv.contextId !== contextId)) {
        throw new ProtocolError("Cannot read: a data set without a command", 2);
      }
      size += pdv.length;
      if (size > MAX_COMMAND_BYTES) throw new ProtocolError("Cannot read: a command is too long");
      contextId = pdv.contextId;
      fragments.push(await this.reader.exactly(pdv.length));
      isLast = (pdv.flags & 2) !== 0;
    }
    const command = readCommand(concat(fragments));
    return {
      contextId,
      command,
      dataSet: command.dataSetType === NO_DATA_SET ? null : this.#dataSet(contextId),
    };
  }

  async #send(
    contextId: number,
    pieces: AsyncIterable<Uint8Array>,
    isCommand: boolean,
  ): Promise<void> {
    const limit = this.peerMaxBytes === 0
      ? MAX_SENT_BYTES
      : Math.min(this.peerMaxBytes, MAX_SENT_BYTES);
    const most = Math.max(1, limit - 6);
    const put = (bytes: Uint8Array, isLast: boolean) => {
      const head = new Uint8Array(6);
      new DataView(head.buffer).setUint32(0, bytes.length + 2);
      head[4] = contextId;
      head[5] = (isCommand ? 1 : 0) | (isLast ? 2 : 0);
      return this.wire.write(pduOf(PDU.data, concat([head, bytes])));
    };
    // one piece is held back: only then is it known whether it is the last
    let pending: Uint8Array | null = null;
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; at += most) {
        if (pending) await put(pending, false);
        pending = piece.slice(at, at + most);
      }
    }
    await put(pending ?? new Uint8Array(0), true);
  }

  /** Sends a command and its data set; Command Data Set Type follows from whether there is one. */
  async send(
    contextId: number,
    command: Command,
    dataSet?: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const fullCommand = { ...command, dataSetType: dataSet ? 1 : NO_DATA_SET };
    await this.#send(contextId, oneOf(writeCommand(fullCommand)), true);
    if (dataSet) await this.#send(contextId, dataSet, false);
  }

  /** Answers the peer's wish to release. */
  acceptRelease(): Promise<void> {
    return this.wire.write(releasePdu());
  }

  /** Asks to release, and waits for the answer a while. */
  async release(): Promise<void> {
    await this.wire.write(releaseRequestPdu());
    const header = await this.header(10_000).catch(() => null);
    if (header) await this.body(header.length).catch(() => {});
  }

  /** Breaks off; never rejects. */
  async abort(source: 0 | 2, reason: number): Promise<void> {
    await Promise.race([
      this.wire.write(abortPdu(source, reason)).catch(() => {}),
      new Promise((resolve) => setTimeout(resolve, 1000)),
    ]);
  }
}

/** Bytes as a stream of one piece. */
export async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
