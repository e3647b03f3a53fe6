/** Command sets of DIMSE messages (PS3.7 Annex E): group 0000, implicit little-endian. */
import { withoutPadding } from "@/model/dicom/padding.ts";
import { concat, ProtocolError } from "@/server/gate/dimse/pdu.ts";

const FIELDS = {
  sopClassUid: [0x0002, "UI"],
  requestedClassUid: [0x0003, "UI"],
  field: [0x0100, "US"],
  messageId: [0x0110, "US"],
  respondedId: [0x0120, "US"],
  moveDestination: [0x0600, "AE"],
  priority: [0x0700, "US"],
  dataSetType: [0x0800, "US"],
  status: [0x0900, "US"],
  errorComment: [0x0902, "LO"],
  sopInstanceUid: [0x1000, "UI"],
  requestedInstanceUid: [0x1001, "UI"],
  eventTypeId: [0x1002, "US"],
  actionTypeId: [0x1008, "US"],
  remaining: [0x1020, "US"],
  completed: [0x1021, "US"],
  failed: [0x1022, "US"],
  warnings: [0x1023, "US"],
  moveOriginator: [0x1030, "AE"],
  moveOriginatorId: [0x1031, "US"],
} as const;
type Field = keyof typeof FIELDS;
type IsNumber<K extends Field> = (typeof FIELDS)[K][1] extends "US" ? number : string;
/** Values of a DIMSE command set by element name. */
export type Command = { -readonly [K in Field]?: IsNumber<K> };

/** Values of Command Field in requests; a response has the same value with the highest bit set. */
export const COMMAND = {
  store: 0x0001,
  get: 0x0010,
  find: 0x0020,
  move: 0x0021,
  echo: 0x0030,
  eventReport: 0x0100,
  action: 0x0130,
  cancel: 0x0fff,
} as const;
export const RESPONSE = 0x8000;
/**
 * Command Data Set Type of a message without a data set; with any other value a data set follows.
 */
export const NO_DATA_SET = 0x0101;

const BY_ELEMENT = new Map(
  Object.entries(FIELDS).map((
    [name, [element, vr]],
  ) => [element as number, { name, vr: vr as string }]),
);
const utf8 = new TextEncoder(), latin = new TextDecoder("latin1");

function element(number: number, value: Uint8Array): Uint8Array {
  const head = new Uint8Array(8), view = new DataView(head.buffer);
  view.setUint16(2, number, true);
  view.setUint32(4, value.length, true);
  return concat([head, value]);
}

/** Encodes a DIMSE command set. */
export function writeCommand(command: Command): Uint8Array<ArrayBuffer> {
  const parts = (Object.keys(FIELDS) as Field[]).flatMap((name) => {
    const value = command[name], [number, vr] = FIELDS[name];
    if (value === undefined) return [];
    if (typeof value === "number") return [element(number, Uint8Array.of(value & 255, value >> 8))];
    const bytes = utf8.encode(value), pad = vr === "UI" ? 0 : 0x20;
    return [element(number, bytes.length % 2 ? concat([bytes, Uint8Array.of(pad)]) : bytes)];
  });
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, parts.reduce((sum, part) => sum + part.length, 0), true);
  return concat([element(0, length), ...parts]);
}

/** Decodes a DIMSE command set. @throws {ProtocolError} when the bytes are invalid. */
export function readCommand(bytes: Uint8Array): Command {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const command: Record<string, string | number> = {};
  for (let at = 0; at < bytes.length;) {
    if (at + 8 > bytes.length) throw new ProtocolError("Cannot read the command: it is cut short");
    const group = view.getUint16(at, true), number = view.getUint16(at + 2, true);
    const length = view.getUint32(at + 4, true), end = at + 8 + length;
    if (group !== 0 || end > bytes.length) {
      throw new ProtocolError("Cannot read the command: not a command set");
    }
    const attribute = BY_ELEMENT.get(number);
    if (attribute?.vr === "US" && length === 2) {
      command[attribute.name] = view.getUint16(at + 8, true);
    } else if (attribute && attribute.vr !== "US") {
      command[attribute.name] = withoutPadding(latin.decode(bytes.subarray(at + 8, end)));
    }
    at = end;
  }
  if (typeof command.field !== "number") {
    throw new ProtocolError("Cannot read the command: it names none");
  }
  return command;
}
