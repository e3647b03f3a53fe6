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

/** Maximum length of a received P-DATA-TF without header, bytes; announced to remote systems. */
export const MAX_PDU_BYTES = 131_072;
/**
 * Maximum length of PDUs other than P-DATA-TF, bytes.
 * An association request of 128 contexts with all transfer syntaxes has about 100 kB.
 */
const MAX_CONTROL_BYTES = 262_144;
const MAX_COMMAND_BYTES = 65_536;
/** Maximum number of empty PDUs and PDVs in a DIMSE message, which could otherwise be endless. */
const MAX_EMPTY_PARTS = 64;
/** Maximum length of a sent PDU, bytes, even if the remote system accepts more. */
const MAX_SENT_BYTES = 131_072;

export interface Timeouts {
  /** time limit from opening the connection to the first byte, ms */
  silentMs: number;
  /** time limit from the first byte to the end of the association request, ms */
  associateMs: number;
  /** time limit between two DIMSE messages, ms */
  idleMs: number;
  /** time limit from the first to the last byte of a PDU, ms */
  pduMs: number;
}
export const TIMEOUTS: Timeouts = {
  silentMs: 5000,
  associateMs: 10_000,
  idleMs: 60_000,
  pduMs: 60_000,
};

/** A DIMSE command, and the chunks of the command's data set, if any. */
export interface Message {
  contextId: number;
  command: Command;
  /**
   * chunks of the data set, each valid until the next chunk is read; all chunks
   * must be read before the next message
   */
  dataSet: AsyncIterable<Uint8Array> | null;
}

/** Error: the remote system aborted the association. */
export class Aborted extends Error {
  override name = "Aborted";
}

/** An established association: receives and sends messages. At most one PDV is in memory. */
export class AssociationStream {
  readonly reader: WireReader;
  /** maximum length of a P-DATA-TF that the remote system accepts, bytes */
  peerMaxBytes = 16_384;
  /** number of unread bytes in the current P-DATA-TF */
  #pduLeft = 0;
  /** number of empty PDUs and PDVs in the current DIMSE message */
  #emptyParts = 0;

  constructor(private readonly wire: Wire, private readonly timeouts: Timeouts = TIMEOUTS) {
    this.reader = new WireReader(wire);
  }

  /**
   * Header of the next PDU. Bodies of all PDUs except P-DATA-TF are small and read by {@link body}.
   * @param pduMs Time limit from the first to the last byte of the PDU.
   * @returns `null` if the remote system has closed the connection in order.
   * @throws {ProtocolError} for an invalid header.
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

  /** Header of the next PDV, from the next PDU if needed. @returns `null` at a release request. */
  async #pdv(waitMs: number): Promise<{ contextId: number; flags: number; length: number } | null> {
    while (this.#pduLeft === 0) {
      const header = await this.header(waitMs);
      if (header === null) {
        throw new WireEnd("Cannot go on: the connection ended without a release");
      }
      if (header.type === PDU.data) {
        this.#pduLeft = header.length;
        if (header.length === 0) this.#countEmpty();
      } else {
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
    if (length === 0) this.#countEmpty();
    return { contextId: head[4]!, flags: head[5]!, length };
  }

  #countEmpty(): void {
    if (++this.#emptyParts > MAX_EMPTY_PARTS) {
      throw new ProtocolError("Cannot read: too many message parts without bytes");
    }
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
   * The next DIMSE message. The data set of the previous message must have been read.
   * @returns `null` if the remote system requests a release.
   * @throws {Aborted}, {ProtocolError}, {WireEnd}, WireTimeout.
   */
  async next(waitMs = this.timeouts.idleMs): Promise<Message | null> {
    const fragments: Uint8Array[] = [];
    let size = 0, contextId = -1;
    this.#emptyParts = 0;
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
    // sending is one chunk behind reading, because the last chunk must be marked as last
    let pending: Uint8Array | null = null;
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; at += most) {
        if (pending) await put(pending, false);
        pending = piece.slice(at, at + most);
      }
    }
    await put(pending ?? new Uint8Array(0), true);
  }

  /** Sends a DIMSE command and a data set; sets Command Data Set Type accordingly. */
  async send(
    contextId: number,
    command: Command,
    dataSet?: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const fullCommand = { ...command, dataSetType: dataSet ? 1 : NO_DATA_SET };
    await this.#send(contextId, oneOf(writeCommand(fullCommand)), true);
    if (dataSet) await this.#send(contextId, dataSet, false);
  }

  /** Answers a release request of the remote system. */
  acceptRelease(): Promise<void> {
    return this.wire.write(releasePdu());
  }

  /** Requests a release of the association, and waits for the answer for a limited time. */
  async release(): Promise<void> {
    await this.wire.write(releaseRequestPdu());
    const header = await this.header(10_000).catch(() => null);
    if (header) await this.body(header.length).catch(() => {});
  }

  /** Aborts the association; never rejects. */
  async abort(source: 0 | 2, reason: number): Promise<void> {
    await Promise.race([
      this.wire.write(abortPdu(source, reason)).catch(() => {}),
      new Promise((resolve) => setTimeout(resolve, 1000)),
    ]);
  }
}

/** Converts a byte array to a stream of a single chunk. */
export async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
