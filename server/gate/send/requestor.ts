import type { DicomPeer } from "@/server/gate/link/tasks.ts";
import {
  AssociationStream,
  MAX_PDU_BYTES,
  type Message,
  TIMEOUTS,
} from "@/server/gate/dimse/association.ts";
import { COMMAND, type Command, RESPONSE } from "@/server/gate/dimse/command.ts";
import {
  type AssociateAccept,
  PDU,
  type ProposedContext,
  ProtocolError,
  readAccept,
  requestPdu,
  type Role,
} from "@/server/gate/dimse/pdu.ts";
import { plainWire } from "@/server/gate/dimse/wire.ts";

const CONNECT_MS = 15_000;
/** Time limit of a response, ms: a PACS that loads images from tape may be silent for minutes. */
const ANSWER_MS = 300_000;

/** TLS certificate and private key of this site, PEM. */
export interface OwnCertificates {
  cert: string;
  key: string;
  /** trusted certificate authorities */
  ca: string;
}

/** Error: the remote system rejected the association; the message contains the reason. */
export class Rejected extends Error {
  override name = "Rejected";
}
/** Error: the remote system accepts none of the required SOP classes or transfer syntaxes. */
export class NotSupported extends Error {
  override name = "NotSupported";
}

const REASONS: Readonly<Record<string, string>> = {
  "1.1": "no reason given",
  "1.2": "application context not supported",
  "1.3": "our AE title is not known there",
  "1.7": "its AE title is another",
  "2.1": "no reason given",
  "2.2": "protocol version not supported",
  "3.1": "temporary congestion",
  "3.2": "too many associations",
};

/** A DICOM association that this site has requested. */
export class Requestor {
  #messageId = 0;

  private constructor(
    private readonly stream: AssociationStream,
    private readonly proposed: readonly ProposedContext[],
    private readonly accepted: AssociateAccept,
    private readonly end: () => void,
  ) {}

  /**
   * Connects and requests an association. The caller ends the association with {@link close}.
   * @throws errors of the connection, {@link Rejected}.
   */
  static async open(
    { host, port, called, calling, tls }: DicomPeer,
    contexts: readonly Omit<ProposedContext, "id">[],
    own: OwnCertificates | null,
    roles: Role[] = [],
  ): Promise<Requestor> {
    const connection = await connect(host, port, tls ? own ?? "system" : null);
    const wire = plainWire(connection),
      stream = new AssociationStream(wire, { ...TIMEOUTS, idleMs: ANSWER_MS });
    const proposed = contexts.map((context, at) => ({ ...context, id: 2 * at + 1 }));
    try {
      await wire.write(
        requestPdu({ called, calling, maxPduBytes: MAX_PDU_BYTES, roles, contexts: proposed }),
      );
      const header = await stream.header(TIMEOUTS.associateMs);
      if (header === null) throw new Rejected("The peer ended the connection");
      const body = await stream.body(header.length);
      if (header.type === PDU.reject) {
        throw new Rejected(
          `Refused: ${REASONS[`${body[2]}.${body[3]}`] ?? `reason ${body[2]}.${body[3]}`}`,
        );
      }
      if (header.type !== PDU.accept) {
        throw new ProtocolError("Cannot associate: no answer to the request", 2);
      }
      const accepted = readAccept(body);
      stream.peerMaxBytes = accepted.maxPduBytes;
      return new Requestor(stream, proposed, accepted, () => wire.close());
    } catch (error) {
      wire.close();
      throw error;
    }
  }

  /**
   * Accepted presentation context for a SOP class, in the given transfer syntax if possible.
   * `null` if the remote system accepts none.
   */
  find(
    abstractSyntax: string,
    transferSyntax?: string,
  ): { id: number; transferSyntax: string } | null {
    const ids = this.proposed.filter((one) => one.abstractSyntax === abstractSyntax).map(({ id }) =>
      id
    );
    return this.accepted.contexts.find((one) =>
      one.result === 0 && ids.includes(one.id) &&
      (transferSyntax === undefined || one.transferSyntax === transferSyntax)
    ) ?? null;
  }

  /** {@link find}. @throws {NotSupported} when the remote system accepts none. */
  contextOf(
    abstractSyntax: string,
    transferSyntax?: string,
  ): { id: number; transferSyntax: string } {
    const accepted = this.find(abstractSyntax, transferSyntax);
    if (!accepted) {
      throw new NotSupported(
        `The peer does not take ${abstractSyntax} ${transferSyntax ?? ""}`.trim(),
      );
    }
    return accepted;
  }

  /** Abstract and transfer syntax of a presentation context. */
  syntaxesOf(id: number): { abstractSyntax: string; transferSyntax: string } {
    const { abstractSyntax } = this.proposed.find((one) => one.id === id)!;
    return {
      abstractSyntax,
      transferSyntax: this.accepted.contexts.find((one) => one.id === id)!.transferSyntax,
    };
  }

  /** Sends a DIMSE request. @returns message id of the request. */
  async request(
    contextId: number,
    command: Command,
    dataSet?: AsyncIterable<Uint8Array>,
  ): Promise<number> {
    const messageId = ++this.#messageId;
    await this.stream.send(contextId, { ...command, messageId }, dataSet);
    return messageId;
  }

  /** Next message of the remote system. @throws if that system ends the association. */
  async next(waitMs = ANSWER_MS): Promise<Message> {
    const message = await this.stream.next(waitMs);
    if (message === null) throw new ProtocolError("Cannot go on: the peer released");
    return message;
  }

  /** Next DIMSE response; the caller may read the response's data set. */
  async response(): Promise<Message> {
    for (;;) {
      const message = await this.next();
      if (message.command.field! & RESPONSE) return message;
      // ignored: a request that the remote system sends instead of a response
      if (message.dataSet) { for await (const _ of message.dataSet); }
    }
  }

  /** Responds to a DIMSE request of the remote system. */
  answer(contextId: number, command: Command): Promise<void> {
    return this.stream.send(contextId, command);
  }

  /** C-CANCEL: asks the remote system to stop a search. */
  cancel(contextId: number, messageId: number): Promise<void> {
    return this.stream.send(contextId, { field: COMMAND.cancel, respondedId: messageId });
  }

  /** Releases the association and disconnects. Never rejects. */
  async close(): Promise<void> {
    await this.stream.release().catch(() => {});
    this.end();
  }

  /** Disconnects immediately, without releasing the association. */
  drop(): void {
    this.end();
  }
}

/**
 * Opens a TCP connection, plain or TLS.
 * @param tls `null`: plain; `system`: TLS with the operating system's certificate authorities.
 */
export async function connect(
  hostname: string,
  port: number,
  tls: OwnCertificates | "system" | null,
): Promise<Deno.Conn> {
  if (tls === null) {
    const connection = await Deno.connect({
      hostname,
      port,
      signal: AbortSignal.timeout(CONNECT_MS),
    });
    connection.setNoDelay(true);
    return connection;
  }
  const options = tls === "system" ? {} : { caCerts: [tls.ca], cert: tls.cert, key: tls.key };
  let timer: ReturnType<typeof setTimeout> | undefined, isLate = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Deno.errors.TimedOut("No TLS connection"));
    }, CONNECT_MS);
  });
  const opening = (async () => {
    const connection = await Deno.connectTls({ hostname, port, ...options });
    if (!isLate) await connection.handshake();
    if (isLate) connection.close();
    return connection;
  })();
  opening.catch(() => {});
  try {
    return await Promise.race([opening, late]);
  } finally {
    clearTimeout(timer);
  }
}
