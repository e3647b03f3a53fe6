/** Protocol data units (PDU) of DICOM associations (PS3.8 §9.3); all numbers are big-endian. */
import { withoutPadding } from "@/model/dicom/padding.ts";
import {
  APPLICATION_CONTEXT,
  IMPLEMENTATION_NAME,
  IMPLEMENTATION_UID,
} from "@/server/gate/dimse/uids.ts";

export const PDU = {
  request: 1,
  accept: 2,
  reject: 3,
  data: 4,
  releaseRequest: 5,
  release: 6,
  abort: 7,
} as const;

/** Error: the remote system sent bytes that are not DICOM, or a PDU that is not allowed now. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
  /** @param reason Reason of the A-ABORT by the provider (PS3.8 Table 9-26). */
  constructor(message: string, readonly reason: 0 | 1 | 2 | 4 | 5 | 6 = 6) {
    super(message);
  }
}

export interface ProposedContext {
  id: number;
  abstractSyntax: string;
  transferSyntaxes: string[];
}
export interface AnsweredContext {
  id: number;
  /** 0 accepted, 3 abstract syntax not supported, 4 transfer syntaxes not supported */
  result: number;
  transferSyntax: string;
}
/** Roles of the requesting system in an association for a SOP class (PS3.7 D.3.3.4). */
export interface Role {
  sopClassUid: string;
  isScu: boolean;
  isScp: boolean;
}
interface Association {
  called: string;
  calling: string;
  /** maximum P-DATA-TF length that the sender of this PDU accepts; 0: unlimited */
  maxPduBytes: number;
  roles: Role[];
}
export interface AssociateRequest extends Association {
  contexts: ProposedContext[];
}
export interface AssociateAccept extends Association {
  contexts: AnsweredContext[];
}
export interface Rejection {
  /** result of the rejection: 1 permanent, 2 transient */
  result: number;
  source: number;
  reason: number;
}

const latin = new TextDecoder("latin1"), utf8 = new TextEncoder();
const textOf = (bytes: Uint8Array) => withoutPadding(latin.decode(bytes)).trim();

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function item(type: number, body: Uint8Array): Uint8Array {
  const head = new Uint8Array(4);
  head[0] = type;
  new DataView(head.buffer).setUint16(2, body.length);
  return concat([head, body]);
}

/** Adds the header to the body of a PDU. */
export function pduOf(type: number, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(6);
  head[0] = type;
  new DataView(head.buffer).setUint32(2, body.length);
  return concat([head, body]);
}

const u32 = (value: number) => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};
const u16 = (value: number) => Uint8Array.of(value >> 8, value & 255);
const aeTitle = (text: string) => utf8.encode(text.slice(0, 16).padEnd(16));

function associate(
  type: number,
  association: Association,
  contexts: Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const { called, calling, maxPduBytes, roles } = association;
  const user = [
    item(0x51, u32(maxPduBytes)),
    item(0x52, utf8.encode(IMPLEMENTATION_UID)),
    ...roles.map(({ sopClassUid, isScu, isScp }) => {
      const uid = utf8.encode(sopClassUid);
      return item(
        0x54,
        concat([u16(uid.length), uid, Uint8Array.of(isScu ? 1 : 0, isScp ? 1 : 0)]),
      );
    }),
    item(0x55, utf8.encode(IMPLEMENTATION_NAME)),
  ];
  return pduOf(
    type,
    concat([
      Uint8Array.of(0, 1, 0, 0),
      aeTitle(called),
      aeTitle(calling),
      new Uint8Array(32),
      item(0x10, utf8.encode(APPLICATION_CONTEXT)),
      ...contexts,
      item(0x50, concat(user)),
    ]),
  );
}

export const requestPdu = (request: AssociateRequest): Uint8Array<ArrayBuffer> =>
  associate(
    PDU.request,
    request,
    request.contexts.map(({ id, abstractSyntax, transferSyntaxes }) =>
      item(
        0x20,
        concat([
          Uint8Array.of(id, 0, 0, 0),
          item(0x30, utf8.encode(abstractSyntax)),
          ...transferSyntaxes.map((uid) => item(0x40, utf8.encode(uid))),
        ]),
      )
    ),
  );

export const acceptPdu = (accept: AssociateAccept): Uint8Array<ArrayBuffer> =>
  associate(
    PDU.accept,
    accept,
    accept.contexts.map(({ id, result, transferSyntax }) =>
      item(0x21, concat([Uint8Array.of(id, 0, result, 0), item(0x40, utf8.encode(transferSyntax))]))
    ),
  );

export const rejectPdu = ({ result, source, reason }: Rejection): Uint8Array<ArrayBuffer> =>
  pduOf(PDU.reject, Uint8Array.of(0, result, source, reason));
/** A-ABORT by the service provider (source 2), or by the user (source 0) with reason 0. */
export const abortPdu = (source: 0 | 2, reason: number): Uint8Array<ArrayBuffer> =>
  pduOf(PDU.abort, Uint8Array.of(0, 0, source, reason));
export const releaseRequestPdu = (): Uint8Array<ArrayBuffer> =>
  pduOf(PDU.releaseRequest, new Uint8Array(4));
export const releasePdu = (): Uint8Array<ArrayBuffer> => pduOf(PDU.release, new Uint8Array(4));

/** Items in the body of a PDU. @throws {ProtocolError} for an item that exceeds the body. */
function* itemsOf(body: Uint8Array): Generator<{ type: number; value: Uint8Array }> {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  for (let at = 0; at < body.length;) {
    if (at + 4 > body.length) {
      throw new ProtocolError("Cannot read the association: an item is cut short");
    }
    const length = view.getUint16(at + 2), end = at + 4 + length;
    if (end > body.length) {
      throw new ProtocolError("Cannot read the association: an item is too long");
    }
    yield { type: body[at]!, value: body.subarray(at + 4, end) };
    at = end;
  }
}

function roleOf(value: Uint8Array): Role {
  if (value.length < 4) throw new ProtocolError("Cannot read the association: a role is cut short");
  const length = value[0]! << 8 | value[1]!;
  if (2 + length + 2 > value.length) {
    throw new ProtocolError("Cannot read the association: a role is cut short");
  }
  return {
    sopClassUid: textOf(value.subarray(2, 2 + length)),
    isScu: value[2 + length] === 1,
    isScp: value[3 + length] === 1,
  };
}

/** Parses items that association requests and acceptances share. @throws {ProtocolError}. */
function readAssociation(body: Uint8Array): { association: Association; contexts: Uint8Array[] } {
  if (body.length < 68) throw new ProtocolError("Cannot read the association: it is cut short");
  const contexts: Uint8Array[] = [], roles: Role[] = [];
  let maxPduBytes = 16_384;
  for (const { type, value } of itemsOf(body.subarray(68))) {
    if (type === 0x20 || type === 0x21) contexts.push(value);
    else if (type === 0x50) {
      for (const { type, value: sub } of itemsOf(value)) {
        if (type === 0x51 && sub.length === 4) {
          maxPduBytes = new DataView(sub.buffer, sub.byteOffset, 4).getUint32(0);
        } else if (type === 0x54) roles.push(roleOf(sub));
      }
    }
  }
  const [called, calling] = [body.subarray(4, 20), body.subarray(20, 36)].map(textOf);
  return { association: { called: called!, calling: calling!, maxPduBytes, roles }, contexts };
}

/** Parses an association request. @throws {ProtocolError} for an invalid request. */
export function readRequest(body: Uint8Array): AssociateRequest {
  const { association, contexts } = readAssociation(body);
  if ((body[1]! & 1) === 0) {
    throw new ProtocolError("Cannot read the association: another protocol version", 2);
  }
  return {
    ...association,
    contexts: contexts.map((value) => {
      if (value.length < 4) {
        throw new ProtocolError("Cannot read the association: a context is cut short");
      }
      const items = [...itemsOf(value.subarray(4))];
      return {
        id: value[0]!,
        abstractSyntax: textOf(items.find(({ type }) => type === 0x30)?.value ?? new Uint8Array(0)),
        transferSyntaxes: items.filter(({ type }) => type === 0x40).map(({ value }) =>
          textOf(value)
        ),
      };
    }),
  };
}

/** Parses an association acceptance. @throws {ProtocolError} for an invalid acceptance. */
export function readAccept(body: Uint8Array): AssociateAccept {
  const { association, contexts } = readAssociation(body);
  return {
    ...association,
    contexts: contexts.map((value) => {
      if (value.length < 4) {
        throw new ProtocolError("Cannot read the association: a context is cut short");
      }
      const [syntax] = [...itemsOf(value.subarray(4))].filter(({ type }) => type === 0x40);
      return {
        id: value[0]!,
        result: value[2]!,
        transferSyntax: syntax ? textOf(syntax.value) : "",
      };
    }),
  };
}
