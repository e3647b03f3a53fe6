/** Patient identity in an HL7 message of patient administration (HL7 2.5, chapter 3). */
import {
  componentOf,
  eventInstant,
  Hl7Error,
  type Hl7Header,
  type Hl7Message,
  instantOf,
  repetitionsOf,
  type Segment,
  segmentOf,
} from "@/model/hl7/message.ts";
import { withoutEnd } from "@/model/text_end.ts";

/** Action that this site takes for each HL7 trigger event. */
const EVENTS: Readonly<Record<string, "update" | "merge" | "ignore">> = {
  A08: "update",
  A31: "update",
  A40: "merge",
  A47: "merge",
  // visit events (admission, transfer), which change no stored data
  A01: "ignore",
  A02: "ignore",
  A03: "ignore",
  A04: "ignore",
  A05: "ignore",
  A11: "ignore",
  A12: "ignore",
  A13: "ignore",
  A28: "ignore",
};
export type Adt = "update" | "merge" | "ignore";
/** Trigger events with an action, listed in the integration statement. */
export const eventsOf = (action: Adt): string[] =>
  Object.keys(EVENTS).filter((event) => EVENTS[event] === action);

/** A patient identifier in a message (HL7 data type CX). */
export interface Identifier {
  id: string;
  /** namespace of the assigning authority */
  authority: string;
  /** HL7 table 0203: MR medical record number, PI internal number, … */
  type: string;
}

/** Patient data of the hospital's system; `null` for a value that the message does not contain. */
export interface HospitalPatient {
  identifiers: Identifier[];
  /** DICOM person name: component groups parted by `=` */
  name: string | null;
  /** date of birth, ISO 8601 */
  birthDate: string | null;
  /** year, or year and month, of an incomplete date of birth, ISO 8601; `birthDate` is then null */
  birthPart?: string;
  sex: "male" | "female" | null;
}

/** Identity of a patient, without patient IDs. */
export type GivenIdentity = Pick<HospitalPatient, "name" | "birthDate" | "birthPart" | "sex">;

/** A message of patient administration about one patient. */
export interface AdtMessage {
  kind: Adt;
  patient: HospitalPatient;
  /** identifiers that a merge makes invalid */
  prior: Identifier[];
  /** recording time, ms since the epoch; `null`: not in the message */
  eventMs: number | null;
  /** whether the message deletes the name, birth date or sex; recorded values are kept */
  asksToDelete?: true;
}

/** Two quotation marks: the value is deleted (HL7 2.5, 2.5.3.5). */
const DELETED = '""';
/** Maximum length of a patient ID in DICOM (VR LO). */
const MAX_ID = 64;

/** Whether the site accepts this type of message. @throws {Hl7Error} `message`, `event`. */
export function kindOf({ type, event }: Hl7Header): Adt {
  if (type !== "ADT") throw new Hl7Error("message", "MSH^1^9");
  const kind = Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
  if (kind === undefined) throw new Hl7Error("event", "MSH^1^9");
  return kind;
}

function identifiersOf(message: Hl7Message, segment: Segment, field: number): Identifier[] {
  const all = repetitionsOf(message, segment, field).map((parts) => ({
    id: parts[0] ?? "",
    authority: parts[3] ?? "",
    type: (parts[4] ?? "").toUpperCase(),
  })).filter(({ id }) => id !== "" && id !== DELETED);
  const place = `${segment.name}^1^${field}`;
  if (all.length === 0) throw new Hl7Error("required", place);
  if (all.some(({ id }) => id.length > MAX_ID || id.includes("\\"))) {
    throw new Hl7Error("type", place);
  }
  return all;
}

/**
 * Index of DICOM's component group for a name: alphabetic, ideographic, phonetic (XPN-8, table
 * 4000).
 */
const GROUP: Readonly<Record<string, number>> = { A: 0, I: 1, P: 2 };

/**
 * Preference among several names of a patient (XPN-7, table 0200): the legal name, also without a
 * type, before the display name, and both before aliases, nicknames and names at birth.
 */
const preferenceOf = (type = ""): number => ["", "L"].includes(type) ? 0 : type === "D" ? 1 : 2;

/** Converts a name (XPN) to DICOM, which orders the components differently (PS3.5, 6.2.1). */
function nameOf(message: Hl7Message, pid: Segment): string | null {
  const groups = ["", "", ""];
  const names = repetitionsOf(message, pid, 5)
    .toSorted((a, b) => preferenceOf(a[6]) - preferenceOf(b[6]));
  for (const parts of names) {
    const [family = "", given = "", middle = "", suffix = "", prefix = ""] = parts;
    const components = [family, given, middle, prefix, suffix].map((part) =>
      part === DELETED ? "" : part.replaceAll(/[\\^=]/g, " ").trim()
    );
    const group = withoutEnd(components.join("^"), "^");
    const at = GROUP[parts[7] ?? ""] ?? 0;
    // among names of equal preference, the first is the legal one
    if (group !== "" && groups[at] === "") groups[at] = group;
  }
  const name = withoutEnd(groups.join("="), "=");
  return name === "" ? null : name.slice(0, 195);
}

/** Date of birth (PID-7). @throws {Hl7Error} `type` for an impossible date. */
function birthOf(message: Hl7Message, pid: Segment): { birthDate: string | null; part?: string } {
  const value = componentOf(message, pid, 7);
  if (value === "" || value === DELETED) return { birthDate: null };
  const [, year, month, day] = /^(\d{4})(\d{2})?(\d{2})?/.exec(value) ?? [];
  // an incomplete date is no error; it can only contradict a recorded date
  if (/^\d{4}(\d{2})?$/.test(value)) {
    return { birthDate: null, part: month ? `${year}-${month}` : year! };
  }
  const iso = day && `${year}-${month}-${day}`;
  const isDate = iso !== undefined && instantOf(value) !== null &&
    new Date(`${iso}T00:00:00Z`).toISOString().startsWith(iso) && iso >= "1850-01-01" &&
    Date.parse(iso) <= Date.now() + 86_400_000;
  if (!isDate) throw new Hl7Error("type", "PID^1^7");
  return { birthDate: iso };
}

/** The patient of a message. @throws {Hl7Error} `sequence`, `required`, `type`. */
export function patientOf(message: Hl7Message): HospitalPatient {
  const pid = segmentOf(message, "PID");
  if (!pid) throw new Hl7Error("sequence", "PID");
  const isSeveral = message.segments.filter(({ name }) => name === "PID").length > 1;
  if (isSeveral) throw new Hl7Error("sequence", "PID^2");
  const sex = { M: "male", F: "female" }[componentOf(message, pid, 8).toUpperCase()] ?? null;
  const { birthDate, part } = birthOf(message, pid);
  return {
    identifiers: identifiersOf(message, pid, 3),
    name: nameOf(message, pid),
    birthDate,
    ...part !== undefined && { birthPart: part },
    sex: sex as HospitalPatient["sex"],
  };
}

/** Whether name, birth date or sex (PID-5, PID-7, PID-8) are two quotation marks. */
const asksToDelete = (message: Hl7Message): boolean => {
  const pid = segmentOf(message, "PID");
  return [5, 7, 8].some((field) => componentOf(message, pid, field) === DELETED);
};

/** @throws {Hl7Error} `sequence`, `required`, `type` for a message that no site could apply. */
export function readAdt(message: Hl7Message, header: Hl7Header, timeZone: string): AdtMessage {
  const kind = kindOf(header);
  const evn = segmentOf(message, "EVN");
  // recording time, not EVN-6, which may be an earlier time, even that of an error now corrected
  const eventMs = eventInstant([componentOf(message, evn, 2)], header, timeZone);
  const nobody = { identifiers: [], name: null, birthDate: null, sex: null };
  if (kind === "ignore") return { kind, patient: nobody, prior: [], eventMs };
  const patient = patientOf(message);
  const deletion = asksToDelete(message) ? { asksToDelete: true } as const : {};
  if (kind === "update") return { kind, patient, prior: [], eventMs, ...deletion };
  const mrg = segmentOf(message, "MRG");
  if (!mrg) throw new Hl7Error("sequence", "MRG");
  // several MRG segments are refused: only the patient in the first segment would be merged
  const isSeveral = message.segments.filter(({ name }) => name === "MRG").length > 1;
  if (isSeveral) throw new Hl7Error("sequence", "MRG^2");
  return { kind, patient, prior: identifiersOf(message, mrg, 1), eventMs, ...deletion };
}

/**
 * Whether two patient IDs may have the same assigning authority. IDs of different authorities are
 * not merged, because they may belong to two people.
 */
export const mayBeOfOneAuthority = (
  [id, identifiers]: readonly [id: string, identifiers: readonly Identifier[]],
  [otherId, others]: readonly [id: string, identifiers: readonly Identifier[]],
): boolean => {
  const authoritiesOf = (wanted: string, all: readonly Identifier[]) =>
    all.filter((one) => one.id === wanted).map(({ authority }) => authority);
  const second = authoritiesOf(otherId, others);
  return authoritiesOf(id, identifiers).some((one) =>
    one === "" || second.some((two) => two === "" || two === one)
  );
};

/**
 * Selects the identifier that matches the patient IDs of the site's images.
 * @param authority Assigning authority of these patient IDs. If empty, the only identifier is used,
 * otherwise the only medical record number, otherwise the only internal number.
 * @returns `null` if ambiguous, because a wrong choice would merge two people.
 */
export function patientIdOf(identifiers: readonly Identifier[], authority: string): string | null {
  const only = (of: readonly Identifier[]) => {
    const ids = new Set(of.map(({ id }) => id));
    return ids.size === 1 ? [...ids][0]! : null;
  };
  if (authority !== "") return only(identifiers.filter((one) => one.authority === authority));
  return only(identifiers) ?? only(identifiers.filter(({ type }) => type === "MR")) ??
    only(identifiers.filter(({ type }) => type === "PI"));
}
