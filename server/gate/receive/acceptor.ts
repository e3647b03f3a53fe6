import type { GateEvent, GateSettings, InstanceName } from "@/server/gate/link/tasks.ts";
import {
  Aborted,
  AssociationStream,
  MAX_PDU_BYTES,
  type Message,
  TIMEOUTS,
  type Timeouts,
} from "@/server/gate/dimse/association.ts";
import { COMMAND, type Command, RESPONSE } from "@/server/gate/dimse/command.ts";
import { collect, readElements, textOf } from "@/server/gate/dimse/elements.ts";
import {
  acceptPdu,
  type AnsweredContext,
  type AssociateRequest,
  PDU,
  ProtocolError,
  readRequest,
  type Rejection,
  rejectPdu,
} from "@/server/gate/dimse/pdu.ts";
import {
  EXPLICIT_LE,
  isStorageClass,
  isUid,
  MESSAGE_SYNTAXES,
  STATUS,
  STORAGE_COMMITMENT,
  STORAGE_SYNTAXES,
  VERIFICATION,
} from "@/server/gate/dimse/uids.ts";
import { type Wire, WireEnd, WireTimeout } from "@/server/gate/dimse/wire.ts";
import { Places } from "@/server/gate/receive/places.ts";
import type { InboxWriter, Stored } from "@/server/gate/receive/inbox_writer.ts";

/**
 * Maximum number of different rejections reported between {@link Acceptor.tellRejected} calls.
 */
const MAX_REJECTIONS = 100;
const REJECTION = {
  calledUnknown: { result: 1, source: 1, reason: 7 },
  callingUnknown: { result: 1, source: 1, reason: 3 },
  busy: { result: 2, source: 3, reason: 2 },
} as const;
const STORED_STATUS: Record<Stored, { status: number; comment: string }> = {
  stored: { status: STATUS.success, comment: "" },
  known: { status: STATUS.success, comment: "" },
  differs: { status: STATUS.duplicate, comment: "Instance is here with other bytes" },
  full: { status: STATUS.outOfResources, comment: "No room on the disk" },
  too_large: { status: STATUS.outOfResources, comment: "Instance is larger than 512 MB" },
  failed: { status: STATUS.outOfResources, comment: "Cannot write" },
};

interface AcceptorOptions {
  inbox: InboxWriter;
  settings(): GateSettings;
  /** Whether a network address is one of several addresses or networks. */
  isAmong(address: string, networks: readonly string[]): boolean;
  log(text: string): void;
  timeouts?: Timeouts;
}

interface Counts {
  echoes: number;
  stored: number;
  refused: number;
  bytes: number;
}

/**
 * Accepts DICOM associations for C-ECHO, C-STORE, and storage commitment requests and results.
 */
export class Acceptor {
  /** counters since the start of the process */
  readonly totals = { stored: 0, bytes: 0, rejected: 0 };
  associations = 0;
  readonly #places = new Places();
  /** open connections, each with a promise that resolves when serving ends */
  readonly #serving = new Map<Wire, Promise<void>>();
  readonly #rejected = new Map<string, GateEvent & { type: "rejected" }>();

  constructor(private readonly options: AcceptorOptions) {}

  /** Serves one DICOM connection until the connection ends. Never rejects. */
  async serve(wire: Wire): Promise<void> {
    if (!this.#places.admit(wire, this.#isConfigured(wire.address))) return wire.close();
    const serving = this.#associate(wire).catch((error) =>
      this.options.log(`Connection failed: ${error}`)
    );
    this.#serving.set(wire, serving);
    await serving;
    this.#serving.delete(wire);
    this.#places.release(wire);
    wire.close();
  }

  /** Whether a remote system with this network address is configured. */
  #isConfigured(address: string): boolean {
    return this.options.settings().senders.some(({ addresses }) =>
      addresses.length > 0 && this.options.isAmong(address, addresses)
    );
  }

  /** Closes all DICOM connections. */
  async close(): Promise<void> {
    for (const wire of this.#serving.keys()) wire.close();
    await Promise.all(this.#serving.values());
  }

  /** Reports a rejected association, then counts repetitions until {@link tellRejected}. */
  #reject(address: string, calling: string, called: string, reason: string): void {
    this.totals.rejected++;
    const key = `${address} ${calling} ${called} ${reason}`, known = this.#rejected.get(key);
    if (known) return void known.count++;
    // a flood of invented AE titles is counted, but only a limited number of reports is written
    if (this.#rejected.size >= MAX_REJECTIONS) return;
    const event = {
      at: new Date().toISOString(),
      type: "rejected" as const,
      address,
      calling,
      called,
      reason,
    };
    this.#rejected.set(key, { ...event, count: 0 });
    this.options.inbox.tell({ ...event, count: 1 }).catch(() => {});
  }

  /** Reports the number of repeated rejections of associations; called about once a minute. */
  async tellRejected(): Promise<void> {
    const rejected = [...this.#rejected.values()];
    this.#rejected.clear();
    for (const event of rejected) {
      if (event.count > 0) {
        await this.options.inbox.tell({ ...event, at: new Date().toISOString() });
      }
    }
  }

  /** Reason for rejecting an association; `null` if the association is accepted. */
  #refusal({ called, calling }: AssociateRequest, address: string): [Rejection, string] | null {
    const { aeTitle, senders, maxAssociations } = this.options.settings();
    if (called !== aeTitle) return [REJECTION.calledUnknown, "called_unknown"];
    const ofTitle = senders.filter((sender) => sender.aeTitle === calling);
    const isKnown = ofTitle.some(({ addresses }) =>
      addresses.length === 0 || this.options.isAmong(address, addresses)
    );
    if (!isKnown) {
      return [REJECTION.callingUnknown, ofTitle.length > 0 ? "address_unknown" : "calling_unknown"];
    }
    if (this.associations >= maxAssociations) return [REJECTION.busy, "busy"];
    return null;
  }

  async #associate(wire: Wire): Promise<void> {
    const timeouts = this.options.timeouts ?? TIMEOUTS,
      stream = new AssociationStream(wire, timeouts);
    let request: AssociateRequest;
    try {
      stream.reader.setDeadline(timeouts.silentMs);
      if (!await stream.reader.hasMore()) return;
      this.#places.advance(wire, "asking");
      const header = await stream.header(timeouts.silentMs, timeouts.associateMs);
      if (header === null) return;
      if (header.type !== PDU.request) {
        throw new ProtocolError("Cannot begin: no association is asked for", 2);
      }
      request = readRequest(await stream.body(header.length));
    } catch (error) {
      const isSilent = error instanceof WireTimeout || !this.#places.has(wire);
      this.#reject(wire.address, "", "", isSilent ? "silent" : "not_dicom");
      if (error instanceof ProtocolError) await stream.abort(2, error.reason);
      return;
    }
    const { called, calling } = request, refusal = this.#refusal(request, wire.address);
    if (refusal) {
      const [rejection, reason] = refusal;
      this.#reject(wire.address, calling, called, reason);
      await wire.write(rejectPdu(rejection)).catch(() => {});
      // the remote system should close the connection; an error or timeout does not matter
      await stream.header(2000).catch(() => {});
      return;
    }
    this.associations++;
    this.#places.advance(wire, "associated");
    const startMs = performance.now(),
      counts: Counts = { echoes: 0, stored: 0, refused: 0, bytes: 0 };
    const ended = await this.#run(wire, stream, request, counts).finally(() => this.associations--);
    await this.options.inbox.tell({
      type: "association",
      at: new Date().toISOString(),
      address: wire.address,
      calling,
      called,
      ...ended,
      ...counts,
      seconds: (performance.now() - startMs) / 1000,
    });
  }

  async #run(wire: Wire, stream: AssociationStream, request: AssociateRequest, counts: Counts) {
    try {
      const contexts = answerOf(request);
      stream.peerMaxBytes = request.maxPduBytes;
      await wire.write(acceptPdu({
        called: request.called,
        calling: request.calling,
        maxPduBytes: MAX_PDU_BYTES,
        roles: request.roles.filter(({ sopClassUid }) => sopClassUid === STORAGE_COMMITMENT),
        contexts,
      }));
      for (let message = await stream.next(); message; message = await stream.next()) {
        const context = contexts.find(({ id, result }) =>
          id === message!.contextId && result === 0
        );
        if (!context) throw new ProtocolError("Cannot read: a context that was not agreed on", 2);
        const { abstractSyntax } = request.contexts.find(({ id }) => id === context.id)!;
        await this.#answer(
          stream,
          message,
          request,
          { ...context, abstractSyntax },
          wire.address,
          counts,
        );
      }
      await stream.acceptRelease();
      return { end: "released" as const, reason: "" };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof Aborted) return { end: "aborted" as const, reason };
      if (error instanceof WireEnd) return { end: "broken" as const, reason };
      await stream.abort(2, error instanceof ProtocolError ? error.reason : 0);
      if (error instanceof WireTimeout) return { end: "timeout" as const, reason };
      if (error instanceof ProtocolError) return { end: "protocol" as const, reason };
      this.options.log(`Association failed: ${error instanceof Error ? error.stack : error}`);
      return { end: "internal" as const, reason };
    }
  }

  async #answer(
    stream: AssociationStream,
    message: Message,
    { calling, called }: AssociateRequest,
    context: AnsweredContext & { abstractSyntax: string },
    address: string,
    counts: Counts,
  ): Promise<void> {
    const { command, dataSet, contextId } = message;
    const respond = (status: number, more: Command = {}, comment = "") =>
      stream.send(contextId, {
        sopClassUid: command.sopClassUid ?? command.requestedClassUid,
        field: command.field! | RESPONSE,
        respondedId: command.messageId,
        status,
        ...(comment === "" ? {} : { errorComment: comment }),
        ...more,
      });
    const who = { at: new Date().toISOString(), address, calling, called };
    switch (command.field) {
      case COMMAND.echo:
        counts.echoes++;
        return await respond(STATUS.success);
      case COMMAND.store: {
        if (!dataSet) throw new ProtocolError("Cannot store: there is no data set", 2);
        const { status, comment } = await this.#store(command, dataSet, context, calling, counts);
        return await respond(status, { sopInstanceUid: command.sopInstanceUid }, comment);
      }
      case COMMAND.action:
      case COMMAND.eventReport: {
        if (!dataSet) throw new ProtocolError("Cannot go on: there is no data set", 2);
        const read = readElements(await collect(dataSet), context.transferSyntax === EXPLICIT_LE);
        const transactionUid = textOf(read, "00081195");
        const isRequest = command.field === COMMAND.action;
        const more = isRequest
          ? { sopInstanceUid: command.requestedInstanceUid, actionTypeId: command.actionTypeId }
          : { sopInstanceUid: command.sopInstanceUid, eventTypeId: command.eventTypeId };
        if (context.abstractSyntax !== STORAGE_COMMITMENT) {
          return await respond(STATUS.classNotSupported, more);
        }
        if (isRequest && command.actionTypeId !== 1) {
          return await respond(STATUS.noSuchAction, more);
        }
        if (!isUid(transactionUid)) return await respond(STATUS.processingFailure, more);
        const done = namesOf(read, "00081199"), failed = namesOf(read, "00081198");
        await this.options.inbox.tell(
          isRequest ? { ...who, type: "commit_request", transactionUid, instances: done } : {
            ...who,
            type: "commit_result",
            transactionUid,
            committed: done.map(({ sopInstanceUid }) => sopInstanceUid),
            failed: failed.map(({ sopInstanceUid }) => sopInstanceUid),
          },
        );
        return await respond(STATUS.success, more);
      }
      // C-CANCEL is ignored, because no search runs that could be cancelled
      case COMMAND.cancel:
        return;
      default:
        if (dataSet) { for await (const _ of dataSet); }
        // ignored: a response to a request that this side has not sent
        if (command.field! & RESPONSE) return;
        return await respond(STATUS.unrecognizedOperation);
    }
  }

  async #store(
    { sopClassUid = "", sopInstanceUid = "" }: Command,
    dataSet: AsyncIterable<Uint8Array>,
    { abstractSyntax, transferSyntax }: AnsweredContext & { abstractSyntax: string },
    calling: string,
    counts: Counts,
  ): Promise<{ status: number; comment: string }> {
    const refuse = async (status: number, comment: string) => {
      for await (const _ of dataSet);
      counts.refused++;
      return { status, comment };
    };
    if (!isUid(sopInstanceUid)) {
      return await refuse(STATUS.invalidInstance, "No valid SOP Instance UID");
    }
    if (sopClassUid !== abstractSyntax) {
      return await refuse(STATUS.classNotSupported, "Not the class agreed on");
    }
    if (!this.options.settings().isAccepting) {
      return await refuse(STATUS.outOfResources, "No room on the disk");
    }
    const arriving = { sopClassUid, sopInstanceUid, transferSyntax, sender: calling };
    const { state, bytes } = await this.options.inbox.store(arriving, dataSet);
    const { status, comment } = STORED_STATUS[state];
    if (status !== STATUS.success) counts.refused++;
    else {
      counts.stored++;
      counts.bytes += bytes;
      this.totals.stored++;
      this.totals.bytes += bytes;
    }
    return { status, comment };
  }
}

/** Accepts or refuses each presentation context that the remote system proposes. */
function answerOf(request: AssociateRequest): AnsweredContext[] {
  return request.contexts.map(({ id, abstractSyntax, transferSyntaxes }) => {
    const isStored = isStorageClass(abstractSyntax);
    const isKnown = isStored || abstractSyntax === VERIFICATION ||
      abstractSyntax === STORAGE_COMMITMENT;
    const taken = isStored ? Object.keys(STORAGE_SYNTAXES) : MESSAGE_SYNTAXES;
    const transferSyntax = taken.find((uid) => transferSyntaxes.includes(uid));
    return {
      id,
      result: !isKnown ? 3 : transferSyntax === undefined ? 4 : 0,
      transferSyntax: transferSyntax ?? transferSyntaxes[0] ?? "",
    };
  });
}

/** SOP Class and Instance UIDs in a sequence of references to instances. */
function namesOf(dataSet: ReturnType<typeof readElements>, tag: string): InstanceName[] {
  const items = (dataSet[tag]?.Value ?? []) as ReturnType<typeof readElements>[];
  return items.map((item) => ({
    sopClassUid: textOf(item, "00081150"),
    sopInstanceUid: textOf(item, "00081155"),
  })).filter(({ sopInstanceUid }) => isUid(sopInstanceUid));
}
