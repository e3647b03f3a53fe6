/** Orders of the hospital in HL7: ORM^O01 (HL7 2.5, 4.4.1) and OMI^O23 (4.4.10). */
import { patientOf } from "@/model/hl7/adt.ts";
import type { HospitalPatient } from "@/model/hl7/adt.ts";
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

/** Trigger event of each type of order message. */
export const ORDER_EVENTS: Readonly<Record<string, string>> = { ORM: "O01", OMI: "O23" };

/**
 * Action that this site takes for each order control code (HL7 table 0119); other codes are
 * ignored.
 */
const CONTROLS: Readonly<Record<string, "set" | "cancel">> = {
  NW: "set",
  SN: "set",
  RO: "set",
  XO: "set",
  XX: "set",
  CA: "cancel",
  OC: "cancel",
  CR: "cancel",
  DC: "cancel",
  OD: "cancel",
  DR: "cancel",
  RP: "cancel",
};
/** Control codes that change an order as a whole. */
const CHANGES: readonly string[] = ["XO", "XX"];
export type OrderControl = "set" | "cancel" | "ignore";
/** Order control codes with an action, for the integration statement. */
export const controlsOf = (action: OrderControl): string[] =>
  Object.keys(CONTROLS).filter((code) => CONTROLS[code] === action);

/** One ordered examination in a message. */
export interface Order {
  control: OrderControl;
  /** empty only in a cancellation or change with an order number */
  accessionNumber: string;
  /** whether the message changes an order (XO, XX), and may assign it to another patient */
  isChange: boolean;
  /** whether the message has an accession number in addition to the order numbers */
  isNamed: boolean;
  /** placer order number; empty if missing */
  placer: string;
  /** assigning authority of the placer order number (ORC-2.2, else 2.3); empty if missing */
  authority: string;
  /** filler order number; equals the accession number for systems that send no accession number */
  filler: string;
  /** placer order number, or else the filler order number; empty if both are missing */
  number: string;
  procedure: string;
  /** DICOM person name; empty if missing */
  referrer: string;
  /** planned day of the examination, YYYY-MM-DD */
  plannedOn: string | null;
  /** imaging modality, e.g. `MR`; empty if missing */
  modality: string;
}

export interface OrderMessage {
  kind: "order";
  patient: HospitalPatient;
  prior: [];
  /** time of the message, ms since the epoch; `null`: not in the message */
  eventMs: number | null;
  orders: Order[];
}

/** Maximum number of orders in a message. */
const MAX_ORDERS = 50;
/** Maximum length of an accession number; DICOM allows 16, some systems send more. */
const MAX_NUMBER = 64;
const MAX_PROCEDURE = 200, MAX_NAME = 195;

/** Segments of one order: ORC, and an OBR with the first TQ1 and all IPC that follow. */
interface Group {
  orc: Segment;
  obr?: Segment;
  tq1?: Segment;
  ipcs: Segment[];
}

/** @throws {Hl7Error} `sequence` for OBR, TQ1 or IPC before an ORC, a second OBR, or no ORC. */
function groupsOf({ segments }: Hl7Message): Group[] {
  const groups: Group[] = [];
  for (const segment of segments) {
    if (segment.name === "ORC") {
      groups.push({ orc: segment, ipcs: [] });
      continue;
    }
    if (!["OBR", "TQ1", "IPC"].includes(segment.name)) continue;
    const group = groups.at(-1);
    if (!group) throw new Hl7Error("sequence", segment.name);
    if (segment.name === "OBR") {
      if (group.obr) throw new Hl7Error("sequence", "OBR");
      group.obr = segment;
    } else if (segment.name === "TQ1") group.tq1 ??= segment;
    else group.ipcs.push(segment);
  }
  if (groups.length === 0) throw new Hl7Error("sequence", "ORC");
  return groups;
}

/** Name of a physician (XCN) for DICOM, which orders the components differently. */
function physicianOf(message: Hl7Message, segment: Segment | undefined, field: number): string {
  const [, family = "", given = "", middle = "", suffix = "", prefix = ""] =
    repetitionsOf(message, segment, field)[0] ?? [];
  const components = [family, given, middle, prefix, suffix].map((part) =>
    part === '""' ? "" : part.replaceAll(/[\\^=]/g, " ").trim()
  );
  return withoutEnd(components.join("^"), "^").slice(0, MAX_NAME);
}

/** Day of an HL7 time, which is only displayed; `null` for a missing or impossible day. */
function dayOf(time: string): string | null {
  const day = /^\d{8}/.exec(time)?.[0];
  if (day === undefined || instantOf(day) === null) return null;
  const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  return new Date(instantOf(day)!).toISOString().startsWith(iso) ? iso : null;
}

const firstOf = (...values: string[]): string =>
  values.find((value) => value !== "" && value !== '""') ?? "";

/**
 * Orders of one group: one for each accession number in its IPC segments (HL7 2.5, 4.5.6). Several
 * procedure steps under one number are one order, for MRI if one of the steps is. A step without a
 * number has the first number of the other steps.
 */
function ordersOf(message: Hl7Message, group: Group): Order[] {
  const numberIn = (ipc: Segment) => firstOf(componentOf(message, ipc, 1));
  const first = group.ipcs.map(numberIn).find((number) => number !== "") ?? "";
  const steps = Map.groupBy(group.ipcs, (ipc) => numberIn(ipc) || first);
  if (steps.size === 0) return [orderOf(message, group, { number: "", ipcs: [] })];
  return [...steps].map(([number, ipcs]) => orderOf(message, group, { number, ipcs }));
}

/**
 * Joins orders that a message repeats with the same numbers, each with a part of the procedure:
 * the second would replace the first. Orders with another command about them in between stay apart.
 * @throws {Hl7Error} `limit` for too many orders.
 */
function withoutRepeats(orders: readonly Order[]): Order[] {
  const commandOf = ({ control, isChange }: Order) => `${control} ${isChange}`;
  const numbersOf = ({ accessionNumber, placer, filler }: Order) =>
    [accessionNumber, placer, filler].filter(Boolean);
  const keyOf = (order: Order) => {
    const { accessionNumber, placer, authority, filler } = order;
    return JSON.stringify(
      [commandOf(order), mayBeMri(order), accessionNumber, placer, authority, filler],
    );
  };
  const groups: { key: string; all: Order[] }[] = [];
  for (const order of orders) {
    const key = keyOf(order), numbers = numbersOf(order);
    const at = groups.findLastIndex((group) => group.key === key);
    const isParted = groups.slice(at + 1).some(({ all: [other] }) =>
      commandOf(other!) !== commandOf(order) && other!.control !== "ignore" &&
      numbersOf(other!).some((number) => numbers.includes(number))
    );
    if (at >= 0 && !isParted) groups[at]!.all.push(order);
    else groups.push({ key, all: [order] });
    if (groups.length > MAX_ORDERS) {
      throw new Hl7Error("limit", "ORC", `more than ${MAX_ORDERS} orders`);
    }
  }
  return groups.map(({ all }) => {
    const procedures = new Set(all.map(({ procedure }) => procedure).filter(Boolean));
    return { ...all[0]!, procedure: [...procedures].join(" / ").slice(0, MAX_PROCEDURE) };
  });
}

/** @param step Procedure steps of the order, and the accession number in them; empty if missing. */
function orderOf(
  message: Hl7Message,
  { orc, obr, tq1 }: Group,
  step: { number: string; ipcs: readonly Segment[] },
): Order {
  const at = (segment: Segment | undefined, field: number, component = 1) =>
    componentOf(message, segment, field, component);
  const code = at(orc, 1).toUpperCase();
  if (code === "") throw new Hl7Error("required", "ORC^1^1");
  const control = Object.hasOwn(CONTROLS, code) ? CONTROLS[code]! : "ignore";
  const placed = [orc, obr].find((segment) => firstOf(at(segment, 2)) !== "");
  const placer = firstOf(at(placed, 2)), filler = firstOf(at(orc, 3), at(obr, 3));
  // IHE Scheduled Workflow (RAD TF-2, 4.4): IPC-1, and OBR-18 in messages without IPC
  const named = firstOf(step.number, at(obr, 18)), number = firstOf(placer, filler);
  // a cancellation often contains no accession number: the order number then identifies the order
  const accessionNumber = firstOf(named, control === "cancel" && placer !== "" ? "" : filler);
  if ([accessionNumber, placer, filler].some((id) => id.length > MAX_NUMBER || id.includes("\\"))) {
    throw new Hl7Error("type", "ORC^1^3");
  }
  const isChange = CHANGES.includes(code), isSet = control === "set";
  const modalities = (step.ipcs.length > 0 ? step.ipcs : [undefined])
    .map((ipc) => firstOf(at(ipc, 5), at(obr, 24)).toUpperCase());
  if (isSet && accessionNumber === "" && !(isChange && number !== "")) {
    throw new Hl7Error("required", "OBR^1^18");
  }
  if (control === "cancel" && accessionNumber === "" && number === "") {
    throw new Hl7Error("required", "ORC^1^2");
  }
  return {
    control,
    isChange,
    accessionNumber,
    isNamed: named !== "",
    placer,
    authority: firstOf(at(placed, 2, 2), at(placed, 2, 3)).slice(0, MAX_NUMBER),
    filler,
    number,
    procedure: firstOf(at(obr, 4, 2), at(obr, 4, 5), at(obr, 44, 2), at(obr, 4))
      .slice(0, MAX_PROCEDURE),
    referrer: firstOf(
      physicianOf(message, segmentOf(message, "PV1"), 8),
      physicianOf(message, obr, 16),
      physicianOf(message, orc, 12),
    ),
    plannedOn: dayOf(at(tq1, 7)) ?? dayOf(at(obr, 36)) ?? dayOf(at(obr, 27, 4)) ??
      dayOf(at(orc, 7, 4)),
    modality: modalities.find((modality) => mayBeMri({ modality })) ?? modalities[0]!,
  };
}

/** Whether this is an order message. @throws {Hl7Error} `event` for another event of the type. */
export function isOrder({ type, event }: Hl7Header): boolean {
  if (!Object.hasOwn(ORDER_EVENTS, type)) return false;
  if (ORDER_EVENTS[type] !== event) throw new Hl7Error("event", "MSH^1^9");
  return true;
}

/** @throws {Hl7Error} `sequence`, `required`, `type`, `limit` for a message that is not applied. */
export function readOrders(
  message: Hl7Message,
  header: Hl7Header,
  timeZone: string,
): OrderMessage {
  const orders = withoutRepeats(groupsOf(message).flatMap((group) => ordersOf(message, group)));
  return {
    kind: "order",
    patient: patientOf(message),
    prior: [],
    eventMs: eventInstant([], header, timeZone),
    orders,
  };
}

/**
 * Modalities and departments of orders that may concern an MRI: DICOM's term, usual spelling,
 * and the codes of HL7 table 0074 for MRI, radiology and diagnostic imaging.
 */
const MRI_MODALITIES: readonly string[] = ["MR", "MRI", "NMR", "RAD", "IMG"];

/** Whether an order may concern an MRI: one that names no modality or department may. */
export const mayBeMri = ({ modality }: Pick<Order, "modality">): boolean =>
  modality === "" || MRI_MODALITIES.includes(modality);
