/**
 * Parser for HL7 version 2 messages in vertical bar encoding (HL7 2.5, chapter 2), and its
 * acknowledgements. Strict about patient data, lenient about line endings.
 */
import { decodeText, type DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import { instantIn } from "@/model/time/site_time.ts";
import { visibleText } from "@/model/visible_text.ts";

/** Maximum size of a message in bytes. */
export const MAX_MESSAGE_BYTES = 262_144;
const MAX_SEGMENTS = 1000;
/** Maximum number of repetitions in a field; reading one takes longer than its size suggests. */
const MAX_REPETITIONS = 1000;
/** Maximum length of a control ID (HL7 2.7; 20 characters in earlier versions). */
const MAX_CONTROL_ID = 199;
/** Maximum length of sending application and facility: HL7 allows 227 characters each (HD). */
const MAX_SENDER = 2 * 227 + 1;

/** Message error condition codes (HL7 table 0357). */
export const HL7_ERROR = {
  sequence: { code: 100, text: "Segment sequence error" },
  required: { code: 101, text: "Required field missing" },
  type: { code: 102, text: "Data type error" },
  value: { code: 103, text: "Table value not found" },
  message: { code: 200, text: "Unsupported message type" },
  event: { code: 201, text: "Unsupported event code" },
  processing: { code: 202, text: "Unsupported processing id" },
  version: { code: 203, text: "Unsupported version id" },
  internal: { code: 207, text: "Application internal error" },
  // A limit of this program: the table has no code for limits, and 207 covers all other errors.
  limit: { code: 207, text: "Application internal error" },
} as const;
export type Hl7Condition = keyof typeof HL7_ERROR;

/**
 * A rejected message: error condition and location, e.g. `PID^1^3`, without values of the message.
 */
export class Hl7Error extends Error {
  override name = "Hl7Error";
  /** @param reason Limit of this program that a message exceeds, for the sender's administrator. */
  constructor(
    readonly condition: Hl7Condition,
    readonly place: string,
    readonly reason = "",
  ) {
    super(`Cannot read an HL7 message: ${HL7_ERROR[condition].text} at ${place}`);
  }
}

/** Refusal of a message that exceeds {@link MAX_MESSAGE_BYTES}. */
export const tooLong = (): Hl7Error =>
  new Hl7Error("limit", "MSH", `more than ${MAX_MESSAGE_BYTES} bytes`);

/** Separator characters of a message (MSH-1 and MSH-2). */
interface Separators {
  field: string;
  component: string;
  repetition: string;
  escape: string;
  subcomponent: string;
}

/** Fields of a segment, still encoded; the segment name is field 0, and MSH-1 counts as a field. */
export interface Segment {
  name: string;
  fields: readonly string[];
}

/** A message parsed into segments. */
export interface Hl7Message {
  separators: Separators;
  segments: readonly Segment[];
}

/**
 * Character sets of HL7 table 0211 as DICOM terms.
 * Keys are without blanks and punctuation, since spellings differ.
 */
const CHARACTER_SETS: Readonly<Record<string, string>> = {
  ASCII: "ISO_IR 6",
  ISOIR6: "ISO_IR 6",
  ISOIR14: "ISO_IR 13",
  ISOIR13: "ISO_IR 13",
  ISOIR87: "ISO_IR 87",
  ISOIR149: "ISO_IR 149",
  ISOIR159: "ISO_IR 159",
  KSX1001: "ISO_IR 149",
  ISOIR100: "ISO_IR 100",
  ISO88591: "ISO_IR 100",
  88591: "ISO_IR 100",
  ISO88592: "ISO_IR 101",
  88592: "ISO_IR 101",
  ISO885915: "ISO_IR 203",
  885915: "ISO_IR 203",
  UNICODEUTF8: "ISO_IR 192",
  UTF8: "ISO_IR 192",
  ISOIR192: "ISO_IR 192",
  GB180302000: "GB18030",
};

const latin1 = (bytes: Uint8Array) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

/**
 * DICOM terms of the character sets in MSH-18; empty for an empty field.
 * @throws {Hl7Error} `value` for an unknown character set.
 */
function characterSets(header: string): string[] {
  const field = header[3] ?? "|", repetition = header[5] ?? "~";
  const named = (header.split(field)[17] ?? "").split(repetition).filter((one) => one.trim());
  return named.map((one) => {
    const term = CHARACTER_SETS[one.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")];
    if (term === undefined) throw new Hl7Error("value", "MSH^1^18");
    return term;
  });
}

/** @throws {Hl7Error} `sequence` for a missing MSH segment or two equal separators. */
function separatorsOf(header: string): Separators {
  const [field, component, repetition, escape, subcomponent] = header.slice(3, 8);
  const all = [field, component, repetition, escape, subcomponent];
  const isApart = all.every((one) => one !== undefined && /^[!-/:-@[-`{-~]$/.test(one)) &&
    new Set(all).size === all.length && header[8] === field;
  if (!header.startsWith("MSH") || !isApart) throw new Hl7Error("sequence", "MSH^1^2");
  return {
    field: field!,
    component: component!,
    repetition: repetition!,
    escape: escape!,
    subcomponent: subcomponent!,
  };
}

/**
 * Decodes the text of a message by the character set in MSH-18.
 * @param fallback Character set for bytes from 0x80 if MSH-18 is empty; UTF-8 takes precedence.
 * @throws {Hl7Error} `type` for bytes that the character set cannot decode.
 */
function textOf(bytes: Uint8Array, fallback: DicomEncoding): string {
  const end = bytes.findIndex((byte) => byte === 13 || byte === 10);
  const header = latin1(bytes.subarray(0, end < 0 ? bytes.length : end));
  separatorsOf(header);
  const terms = characterSets(header), isDeclared = terms.length > 0;
  const text = isDeclared ? decodeText(bytes, terms) : decodeText(bytes, [], fallback);
  // the message declares only ASCII but contains other bytes
  const isBeyond = isDeclared && terms.every((term) => term === "ISO_IR 6") &&
    bytes.some((byte) => byte >= 0x80);
  if (text.includes("\ufffd") || isBeyond) throw new Hl7Error("type", "MSH^1^18");
  return text;
}

/**
 * Parses an HL7 message from its bytes.
 * @param bytes    Message without the MLLP frame.
 * @param fallback Character set for a message that declares none.
 * @throws {Hl7Error} unless the bytes are exactly one message with unambiguous characters.
 */
export function readMessage(
  bytes: Uint8Array,
  fallback: DicomEncoding = "ISO_IR 192",
): Hl7Message {
  if (bytes.length > MAX_MESSAGE_BYTES) throw tooLong();
  const text = textOf(bytes, fallback), separators = separatorsOf(text);
  const lines = text.split(/[\r\n]+/).filter((line) => line !== "");
  if (lines.length > MAX_SEGMENTS) {
    throw new Hl7Error("limit", "MSH", `more than ${MAX_SEGMENTS} segments`);
  }
  const segments = lines.map((line, at) => {
    const fields = line.split(separators.field), name = fields[0]!;
    const isSegment = /^[A-Z][A-Z0-9]{2}$/.test(name) &&
      !["FHS", "BHS", "FTS", "BTS"].includes(name);
    if (!isSegment || (name === "MSH") !== (at === 0)) {
      throw new Hl7Error("sequence", name.slice(0, 3));
    }
    // the character after the letters MSH is itself the first field
    if (name === "MSH") fields.splice(1, 0, separators.field);
    return { name, fields };
  });
  return { separators, segments };
}

/** Finds the first segment with a given name. */
export const segmentOf = ({ segments }: Hl7Message, name: string): Segment | undefined =>
  segments.find((one) => one.name === name);

const SIGNS: Readonly<Record<string, keyof Separators>> = {
  F: "field",
  S: "component",
  T: "subcomponent",
  R: "repetition",
  E: "escape",
};

/**
 * Decodes the escape sequences of a value (HL7 2.5, 2.7). Control characters become blanks, and
 * invisible characters are made visible.
 */
function plain(value: string, separators: Separators): string {
  const { escape } = separators;
  if (!value.includes(escape)) return clean(value);
  const parts = value.split(escape);
  let out = parts[0]!;
  for (let i = 1; i < parts.length; i += 2) {
    const code = parts[i]!, after = parts[i + 1];
    // an unpaired escape character is literal
    if (after === undefined) return clean(out + escape + code);
    const sign = SIGNS[code];
    if (sign) out += separators[sign];
    else if (/^X([0-7][0-9A-F])+$/i.test(code)) {
      out += code.slice(1).replaceAll(/../g, (hex) => String.fromCharCode(parseInt(hex, 16)));
    } else if (/^\.(br|sp)/.test(code)) out += " ";
    else if (!/^[HN]$/.test(code)) out += escape + code + escape;
    out += after;
  }
  return clean(out);
}

const clean = (value: string) => visibleText(value.replaceAll(/\p{Cc}+/gu, " ").trim());

/**
 * Repetitions of a field, each split into components; only the first subcomponent of a component.
 * @throws {Hl7Error} `limit` for more than {@link MAX_REPETITIONS}.
 */
export function repetitionsOf(
  { separators }: Hl7Message,
  segment: Segment | undefined,
  field: number,
): string[][] {
  const value = segment?.fields[field] ?? "";
  if (value === "") return [];
  const repetitions = value.split(separators.repetition, MAX_REPETITIONS + 1);
  if (repetitions.length > MAX_REPETITIONS) {
    const place = `${segment!.name}^1^${field}`;
    throw new Hl7Error("limit", place, `more than ${MAX_REPETITIONS} repetitions`);
  }
  return repetitions.map((repetition) =>
    repetition.split(separators.component).map((component) =>
      plain(component.split(separators.subcomponent)[0]!, separators)
    )
  );
}

/** One component, counted from 1, of a field's first repetition; empty if missing. */
export const componentOf = (
  message: Hl7Message,
  segment: Segment | undefined,
  field: number,
  component = 1,
): string => repetitionsOf(message, segment, field)[0]?.[component - 1] ?? "";

/** Values of the MSH segment. */
export interface Hl7Header {
  /** sending application and facility: control IDs are unique within this pair */
  sender: string;
  receiver: string;
  controlId: string;
  /** message type, e.g. `ADT` */
  type: string;
  /** trigger event, e.g. `A08` */
  event: string;
  version: string;
  /** time of the message (MSH-7), unchanged */
  sentAt: string;
}

/**
 * Checks a control ID (MSH-10), which every acknowledgement repeats. Characters that would be
 * escaped are refused, because some senders would not recognise their control ID afterwards.
 */
function checkControlId(controlId: string): void {
  const place = "MSH^1^10";
  if (controlId === "" || controlId === '""') throw new Hl7Error("required", place);
  if (controlId.length > MAX_CONTROL_ID) {
    throw new Hl7Error("limit", place, `more than ${MAX_CONTROL_ID} characters`);
  }
  if (!/^[!-%'-[\]_-{}]+$/.test(controlId)) throw new Hl7Error("type", place);
}

/** Reads the MSH segment. @throws {Hl7Error} `required`, `limit`, `type`, `version`, `processing`. */
export function headerOf(message: Hl7Message): Hl7Header {
  const msh = segmentOf(message, "MSH");
  const at = (field: number, component = 1) => componentOf(message, msh, field, component);
  const header = {
    sender: `${at(3)}^${at(4)}`,
    receiver: `${at(5)}^${at(6)}`,
    controlId: at(10),
    type: at(9),
    // the trigger event is only in EVN (version 2.1)
    event: at(9, 2) || componentOf(message, segmentOf(message, "EVN"), 1),
    version: at(12),
    sentAt: at(7),
  };
  if (header.sender.length > MAX_SENDER) throw new Hl7Error("type", "MSH^1^3");
  if (!/^2(\.\d){0,2}$/.test(header.version)) throw new Hl7Error("version", "MSH^1^12");
  checkControlId(header.controlId);
  if (!["P", ""].includes(at(11))) throw new Hl7Error("processing", "MSH^1^11");
  return header;
}

/**
 * Converts an HL7 time (TS) to ms since the epoch; `null` if it is none.
 * @param timeZone Time zone of a time without one.
 */
export function instantOf(time: string, timeZone = "UTC"): number | null {
  const parts =
    /^(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:\.(\d{1,4}))?(?:([+-])(\d{2})(\d{2}))?$/
      .exec(time);
  if (!parts) return null;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00"] = parts;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`, ms = Date.parse(iso);
  if (Number.isNaN(ms)) return null;
  const clockMs = ms + Number((parts[7] ?? "0").padEnd(3, "0").slice(0, 3));
  if (!parts[8]) return timeZone === "UTC" ? clockMs : instantIn(timeZone, clockMs);
  return clockMs - 60_000 * Number(`${parts[8]}1`) * (60 * Number(parts[9]) + Number(parts[10]));
}

/** Offset at the end of an HL7 time, for example +0900; empty without one. */
const offsetIn = (time: string): string => /^\d.*?([+-]\d{4})$/.exec(time)?.[1] ?? "";

/**
 * Time of a message's event, ms since the epoch: of the first of several HL7 times that is one. A
 * time without a zone has that of the message's time, MSH-7 (HL7 2.5, 2.15.9.7), or else the site's:
 * otherwise messages of systems with and without a zone would be ordered hours wrong.
 */
export function eventInstant(
  times: readonly string[],
  { sentAt }: Hl7Header,
  timeZone: string,
): number | null {
  const offset = offsetIn(sentAt);
  for (const time of [...times, sentAt]) {
    const zoned = offset !== "" && offsetIn(time) === "" ? `${time}${offset}` : time;
    const ms = instantOf(zoned, timeZone);
    if (ms !== null) return ms;
  }
  return null;
}

/** Values of a message that the acknowledgement repeats, if they were readable. */
const answered = (bytes: Uint8Array): Hl7Header & { fields: string[] } => {
  const end = bytes.findIndex((byte) => byte === 13 || byte === 10);
  const header = latin1(bytes.subarray(0, Math.min(end < 0 ? bytes.length : end, 4000)));
  const separator = header.startsWith("MSH") ? header[3] ?? "|" : "|";
  const fields = header.startsWith("MSH") ? header.split(separator) : [];
  // the acknowledgement is ASCII with the usual separators, independent of the message
  const at = (n: number) =>
    (fields[n] ?? "").replaceAll(/[^\x20-\x7e]|[|~\\&]/g, "?").slice(0, 199);
  const type = at(8).split("^");
  return {
    sender: `${at(2)}|${at(3)}`,
    receiver: `${at(4)}|${at(5)}`,
    controlId: at(9),
    type: type[0] ?? "",
    event: type[1] ?? "",
    version: /^2(\.\d){0,2}$/.test(at(11)) ? at(11) : "2.5",
    sentAt: at(6),
    fields,
  };
};

/**
 * The acknowledgement of a message (HL7 2.5, 2.9.2, original mode).
 * @param bytes Bytes of the message, which may be unreadable.
 * @param error `null`: accepted, AA. Otherwise AR for messages that are not supported,
 * AE for an error in the message or on this server, and for a message that exceeds a limit: after
 * AR the sender may repeat the message unchanged, but it would never be accepted.
 */
export function acknowledgement(bytes: Uint8Array, id: string, error: Hl7Error | null): string {
  const { sender, receiver, controlId, event, version } = answered(bytes);
  const isRejected = error !== null &&
    ["sequence", "message", "event", "processing", "version"].includes(error.condition);
  const code = error === null ? "AA" : isRejected ? "AR" : "AE";
  const at = new Date().toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  const type = /^[A-Z0-9]{3}$/.test(event) ? `ACK^${event}^ACK` : "ACK";
  const lines = [
    `MSH|^~\\&|${receiver}|${sender}|${at}+0000||${type}|${id}|P|${version}`,
    `MSA|${code}|${controlId}`,
  ];
  if (error !== null) {
    const { code, text } = HL7_ERROR[error.condition];
    // ERR-8, the message to the user
    const subject = error.place === "MSH^1^10" ? "Control ID" : "Message";
    const reason = error.reason === "" ? "" : `||||${subject} too long: ${error.reason}`;
    lines.push(`ERR||${error.place}|${code}^${text}^HL70357|E${reason}`);
  }
  return lines.join("\r") + "\r";
}
