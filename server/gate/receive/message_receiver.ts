import { DICOM_ENCODINGS, type DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import {
  acknowledgement,
  headerOf,
  HL7_ERROR,
  Hl7Error,
  MAX_MESSAGE_BYTES,
  readMessage,
  tooLong,
} from "@/model/hl7/message.ts";
import type { GateEvent, GateSettings } from "@/server/gate/link/tasks.ts";
import type { Wire } from "@/server/gate/dimse/wire.ts";
import { framed, FrameReader, FrameTooLong } from "@/server/gate/receive/mllp_frames.ts";
import type { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import { MessageWriter } from "@/server/gate/receive/message_writer.ts";

/**
 * Maximum numbers of HL7 connections, in total and per network address.
 * With more, the connection that has been idle for longest is closed.
 */
export const MAX_CONNECTIONS = 32, MAX_OF_ADDRESS = 8;
/** Idle timeout of an HL7 connection; senders reconnect. */
const IDLE_MS = 3_600_000, MESSAGE_MS = 30_000;
/**
 * Maximum number of different refusals reported between two calls of
 * {@link MessageReceiver.tellRefused}.
 */
const MAX_REFUSALS = 100;

type Reported = GateEvent & { type: "message_refused" | "hl7_closed" };

interface ReceiverOptions {
  inbox: InboxWriter;
  /** absolute path of the inbox, the folder shared with the server process */
  folder: string;
  settings(): GateSettings;
  /** Whether a network address is one of several addresses or networks. */
  isAmong(address: string, networks: readonly string[]): boolean;
  log(text: string): void;
}

const encodingOf = (term: string | undefined): DicomEncoding =>
  DICOM_ENCODINGS.find((one) => one.term === term)?.term ?? "ISO_IR 192";

/** Receives HL7 messages of configured systems: stores a message on disk, then acknowledges it. */
export class MessageReceiver {
  /** numbers of accepted and refused HL7 messages since the start */
  readonly totals = { taken: 0, refused: 0 };
  readonly writer: MessageWriter;
  /** connections, longest idle first, each with a promise that resolves when serving ends */
  readonly #serving = new Map<Wire, Promise<void>>();
  readonly #refused = new Map<string, Reported>();
  #answers = 0;

  constructor(private readonly options: ReceiverOptions) {
    this.writer = new MessageWriter(options.folder);
  }

  get connections(): number {
    return this.#serving.size;
  }

  /** Serves one HL7 connection until the connection closes. Never rejects. */
  async serve(wire: Wire): Promise<void> {
    const system = this.#systemOf(wire.address);
    if (system === null) {
      this.#note(wire.address, "", "address_unknown");
      return wire.close();
    }
    this.#makeRoom(wire.address);
    const serving = this.#take(wire, system).catch(() => {
      // the connection broke or was silent, or used another protocol: the sender reconnects
    });
    this.#serving.set(wire, serving);
    await serving;
    this.#serving.delete(wire);
    wire.close();
  }

  /** Name of the remote system with a network address; `null` for an unknown address. */
  #systemOf(address: string): string | null {
    const { senders = [] } = this.options.settings().hl7 ?? {};
    return senders.find(({ addresses }) =>
      addresses.length > 0 && this.options.isAmong(address, addresses)
    )?.name ?? null;
  }

  #makeRoom(address: string): void {
    const close = (wire: Wire | undefined) => {
      if (!wire) return;
      this.#serving.delete(wire);
      wire.close();
    };
    const open = [...this.#serving.keys()], same = open.filter((one) => one.address === address);
    const closed = same.length >= MAX_OF_ADDRESS
      ? same[0]
      : open.length >= MAX_CONNECTIONS
      ? open[0]
      : undefined;
    if (!closed) return;
    close(closed);
    this.#tell("hl7_closed", closed.address, this.#systemOf(closed.address) ?? "", "");
  }

  async #take(wire: Wire, system: string): Promise<void> {
    const reader = new FrameReader(wire, MAX_MESSAGE_BYTES, {
      idleMs: IDLE_MS,
      messageMs: MESSAGE_MS,
    });
    try {
      for (let message = await reader.next(); message !== null; message = await reader.next()) {
        await wire.write(framed(await this.#answer(wire.address, system, message)));
        // moved to the end, so that the connection used most recently is closed last
        const serving = this.#serving.get(wire);
        if (serving === undefined) continue;
        this.#serving.delete(wire);
        this.#serving.set(wire, serving);
      }
    } catch (error) {
      if (error instanceof FrameTooLong) {
        this.#note(wire.address, system, "too_long");
        await wire.write(framed(acknowledgement(error.head, this.#id(), tooLong())));
      }
      throw error;
    }
  }

  #id(): string {
    return `${Date.now()}${String(this.#answers++ % 10_000).padStart(4, "0")}`;
  }

  /** Stores an HL7 message. @returns the acknowledgement. */
  async #answer(address: string, system: string, bytes: Uint8Array): Promise<string> {
    const error = await this.#store(address, system, bytes);
    if (error === null) this.totals.taken++;
    else {
      const { code } = HL7_ERROR[error.condition], isLimit = error.condition === "limit";
      this.#note(address, system, isLimit ? "too_long" : `${code} ${error.place}`);
    }
    return acknowledgement(bytes, this.#id(), error);
  }

  async #store(address: string, system: string, bytes: Uint8Array): Promise<Hl7Error | null> {
    const { isAccepting, hl7 } = this.options.settings(), at = new Date().toISOString();
    try {
      const message = readMessage(bytes, encodingOf(hl7?.encoding));
      readHospitalMessage(message, headerOf(message));
      if (!isAccepting) return new Hl7Error("internal", "MSH");
      const isStored = await this.writer.store({ at, address, system }, bytes);
      return isStored ? null : new Hl7Error("internal", "MSH");
    } catch (error) {
      if (error instanceof Hl7Error) return error;
      this.options.log(`Cannot store a message: ${error}`);
      return new Hl7Error("internal", "MSH");
    }
  }

  #note(address: string, calling: string, reason: string): void {
    this.totals.refused++;
    this.#tell("message_refused", address, calling, reason);
  }

  /**
   * Reports a refused HL7 message or a closed connection, then counts repetitions until
   * {@link tellRefused}.
   */
  #tell(type: Reported["type"], address: string, calling: string, reason: string): void {
    const key = `${type} ${address} ${calling} ${reason}`, before = this.#refused.get(key);
    if (before) return void before.count++;
    if (this.#refused.size >= MAX_REFUSALS) return;
    const event = {
      at: new Date().toISOString(),
      type,
      address,
      calling,
      called: "HL7",
      reason,
    };
    this.#refused.set(key, { ...event, count: 0 });
    this.options.inbox.tell({ ...event, count: 1 }).catch(() => {});
  }

  /** Reports the number of repeated events; called about once a minute. */
  async tellRefused(): Promise<void> {
    const refused = [...this.#refused.values()];
    this.#refused.clear();
    for (const event of refused) {
      if (event.count > 0) {
        await this.options.inbox.tell({ ...event, at: new Date().toISOString() });
      }
    }
  }

  /** Closes all HL7 connections. */
  async close(): Promise<void> {
    for (const wire of this.#serving.keys()) wire.close();
    await Promise.all(this.#serving.values());
    this.writer.close();
  }
}
