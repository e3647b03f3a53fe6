// A DICOM peer that does what no peer should.
import { AssociationStream, oneOf } from "@/server/gate/dimse/association.ts";
import { COMMAND, writeCommand } from "@/server/gate/dimse/command.ts";
import { abortPdu, concat, PDU, pduOf, requestPdu } from "@/server/gate/dimse/pdu.ts";
import { EXPLICIT_LE } from "@/server/gate/dimse/uids.ts";
import { plainWire } from "@/server/gate/dimse/wire.ts";

export const MR = "1.2.840.10008.5.1.4.1.1.4";

/** A PDV of its own PDU. */
export function pdv(bytes: Uint8Array, isCommand: boolean, isLast: boolean): Uint8Array {
  const head = new Uint8Array(6);
  new DataView(head.buffer).setUint32(0, bytes.length + 2);
  head[4] = 1;
  head[5] = (isCommand ? 1 : 0) | (isLast ? 2 : 0);
  return concat([head, bytes]);
}

export const storeCommand = (sopInstanceUid: string, sopClassUid = MR) =>
  writeCommand({
    sopClassUid,
    sopInstanceUid,
    field: COMMAND.store,
    messageId: 1,
    priority: 0,
    dataSetType: 1,
  });

/** A connection that sends whatever it is told. */
export class Peer {
  readonly wire;
  readonly stream;
  private constructor(readonly connection: Deno.TcpConn) {
    this.wire = plainWire(connection);
    this.stream = new AssociationStream(this.wire);
  }

  static async connect(port: number): Promise<Peer> {
    return new Peer(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Associates. @returns type of the answer, and its body. */
  async associate(
    { called = "SULCUS", calling = "PEER", syntax = EXPLICIT_LE, abstractSyntax = MR } = {},
  ): Promise<{ type: number; body: Uint8Array }> {
    const contexts = [{ id: 1, abstractSyntax, transferSyntaxes: [syntax] }];
    await this.wire.write(
      requestPdu({ called, calling, maxPduBytes: 16_384, roles: [], contexts }),
    );
    const header = await this.stream.header(10_000);
    if (!header) return { type: 0, body: new Uint8Array(0) };
    return { type: header.type, body: await this.stream.body(header.length) };
  }

  send(bytes: Uint8Array): Promise<void> {
    return this.wire.write(bytes);
  }

  data(...pdvs: Uint8Array[]): Promise<void> {
    return this.send(pduOf(PDU.data, concat(pdvs)));
  }

  abort(): Promise<void> {
    return this.send(abortPdu(0, 0));
  }

  /** Stores a data set. @returns the status. */
  async store(
    sopInstanceUid: string,
    dataSet: Uint8Array,
    sopClassUid = MR,
  ): Promise<number | undefined> {
    const command = {
      sopClassUid,
      sopInstanceUid,
      field: COMMAND.store,
      messageId: 1,
      priority: 0,
    };
    await this.stream.send(1, command, oneOf(dataSet));
    return (await this.stream.next(10_000))?.command.status;
  }

  /** Type of the next PDU, 0 at the end of the connection. */
  async next(): Promise<number> {
    const header = await this.stream.header(10_000).catch(() => null);
    if (!header) return 0;
    await this.stream.body(header.length);
    return header.type;
  }

  close(): void {
    this.wire.close();
  }
}
