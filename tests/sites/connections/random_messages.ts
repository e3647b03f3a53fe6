// Random messages of a hospital's system from a seed, and the text of each.
import { adt, order } from "@/tests/sites/connections/hl7_messages.ts";

export const ORDERS: readonly Message["kind"][] = ["order", "change", "cancel"];
/** Few patients, so that chains, circles and repetitions of merges are frequent. */
export const PATIENTS = 12;

/** Random numbers below `n` from a seed (mulberry32). */
export function randomOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * n);
  };
}

export interface Message {
  kind: "update" | "merge" | "order" | "change" | "cancel";
  /** trigger event of a merge; an update is A31 in place of A47, otherwise A08 */
  event?: "A40" | "A47";
  /** accession number, empty in some changes and cancellations, and order number of an order */
  accession?: string;
  number?: string;
  /** empty in some changes */
  procedure?: string;
  id: string;
  prior: string;
  /** patient ID of a second MRG, which makes a merge ambiguous */
  second?: string;
  /**
   * messages with identifiers of two authorities. `two`: one identifier is marked as the medical
   * record number; `unclear`: none is; `foreign`: the two IDs of a merge have different authorities
   */
  ids?: "two" | "unclear" | "foreign";
  name: string;
  /** `null`: not in the message */
  birth?: string | null;
  sex?: "male" | "female" | null;
  /** minutes since the beginning of the test's year */
  minute: number;
}

const SEXES = { male: "M", female: "F", none: "" };

/** Value of PID-3 or MRG-1. */
const identifiersOf = (id: string, ids: Message["ids"], authority = "HOSP"): string => {
  if (ids === undefined) return id;
  if (ids === "foreign") return `${id}^^^${authority}^MR`;
  const types = ids === "two" ? ["^MR", "^PI"] : ["", ""];
  return `${id}^^^HOSP${types[0]}~9${id}^^^CLINIC${types[1]}`;
};

/** The message in HL7. */
export const textOf = (
  message: Message,
  control: string,
) => {
  const { kind, event = "A40", ids, second, name, birth, sex, minute } = message;
  const id = identifiersOf(message.id, ids), prior = identifiersOf(message.prior, ids, "CLINIC");
  const { accession = "", number = "", procedure = "" } = message;
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replaceAll(/[-:T]/g, "")
    .slice(0, 12);
  const segments = [prior, ...second === undefined ? [] : [second]].join("\rMRG|");
  const merge = kind === "merge" ? { prior: segments } : {};
  const person = { birth: (birth ?? "").replaceAll("-", ""), sex: SEXES[sex ?? "none"] };
  if (ORDERS.includes(kind)) {
    const code = kind === "order" ? "NW" : kind === "change" ? "XO" : "CA";
    return order({ id, control, accession, number, code, procedure, name, at, ...person });
  }
  return adt({
    event: kind === "merge" ? event : event === "A47" ? "A31" : "A08",
    id,
    control,
    name,
    at,
    ...person,
    ...merge,
  });
};

/** Number of persons with sequences of orders, so that no accession number has too many. */
const STORIED = 60;

/** Converts a number to letters, because digits are removed from names. */
export const inLetters = (n: number): string =>
  String(n).replaceAll(/\d/g, (digit) => String.fromCharCode(97 + Number(digit)));

/** Name in a message: a quarter of the messages repeat that of the ID. */
const randomName = (random: (n: number) => number, id: string, round: number): string =>
  random(4) === 0 ? nameOf(id) : `Name ${inLetters(round)}`;

/** Name that images and messages of an ID often have. */
export const nameOf = (id: string): string => `Name of ${inLetters(Number(id.slice(2)))}`;

/** IDs with a number below this limit belong to one person in all messages and studies. */
const ONE_PERSON = 4;

/** Birth date and sex in a study or message: mostly of the same person, often incomplete. */
export const randomPerson = (random: (n: number) => number, id: string) => {
  const persons = Number(id.slice(2)) < ONE_PERSON ? 4 : 5;
  return {
    birth: [null, "1950-01-01", "1950-01-01", "1950-01-01", "1975-01-01"][random(persons)]!,
    sex: ([null, "female", "female", "female", "male"] as const)[random(persons)]!,
  };
};

const KINDS: readonly Message["kind"][] = [
  ...["merge", "merge", "update", "update", "update"] as const,
  ...["order", "order", "change", "cancel"] as const,
];

type Random = (n: number) => number;

/** Accession number, order number and procedure of a message about an order. */
function orderEntries(random: Random, kind: Message["kind"], minute: number) {
  const { accession, number } = randomOrder(random), isNew = kind === "order";
  const isUnnamed = !isNew && random(3) === 0, isWithoutNumber = !isUnnamed && random(12) === 0;
  return {
    accession: isUnnamed ? "" : accession,
    number: isWithoutNumber ? "" : number,
    procedure: kind === "change" && random(4) === 0 ? "" : `${kind} ${minute}`,
  };
}

/** A message of a round; a quarter of the messages are up to an hour old. */
export function randomMessage(
  random: Random,
  round: number,
  kinds: readonly Message["kind"][] = KINDS,
): Message {
  const kind = kinds[random(kinds.length)]!;
  const minute = round - (random(4) === 0 ? random(60) : 0), id = `P-${random(PATIENTS)}`;
  return {
    kind,
    event: random(3) === 0 ? "A47" : "A40",
    ...orderEntries(random, kind, minute),
    id,
    prior: `P-${random(PATIENTS)}`,
    name: randomName(random, id, round),
    ...randomPerson(random, id),
    minute,
  };
}

/**
 * Messages about one order in random order of arrival: one or two new orders with the same order
 * number, changes of procedure, patient or accession number, and cancellations.
 */
function randomStory(random: Random, round: number): Message[] {
  const placed = randomMessage(random, round, ["order"]), second = randomOrder(random);
  // half of the orders have a unique order number, and a patient ID that is never merged
  const id = `Q-${random(STORIED)}`, person = randomPerson(random, "P-0");
  const first = random(2) === 0 ? placed : { ...placed, number: `S${round}`, id, ...person };
  const messages = [first], later = 1 + random(3);
  if (random(3) === 0) messages.push({ ...first, accession: second.accession });
  for (let n = 1; n <= later; n++) {
    const kind = random(2) === 0 ? "change" : "cancel", minute = round + n - 1 + random(2);
    // most messages have the numbers of the first order, or only the order number
    const id = random(4) === 0 ? `P-${random(PATIENTS)}` : first.id;
    const accession = [first.accession, first.accession, "", second.accession][random(4)];
    messages.push({
      ...first,
      ...random(3) === 0 && randomPerson(random, id),
      kind,
      accession,
      number: accession === "" ? first.number || second.number : first.number,
      procedure: random(4) === 0 ? "" : `${kind} ${minute}`,
      id,
      name: `Name ${inLetters(round)} ${inLetters(n)}`,
      minute,
    });
  }
  return messages.map((message) => ({ message, at: random(1000) }))
    .toSorted((a, b) => a.at - b.at).map(({ message }) => message);
}

/** IDs of which updates correct birth date and sex, but not the name. */
export const CORRECTED = 4;

/** An update with the name that images of the ID have, and another birth date. */
function randomCorrection(random: Random, minute: number): Message {
  const id = `C-${random(CORRECTED)}`, birth = ["1950-01-01", "1975-01-01"][random(2)]!;
  return { kind: "update", id, prior: id, name: nameOf(id), birth, sex: null, minute };
}

/** Minutes: a message time further in the future is an error, and the time of arrival is used. */
export const DAY = 1440;

/**
 * Random messages. Messages about the same order often arrive late and out of order. Some messages
 * have identifiers of two authorities, a second MRG, or a time in the future.
 */
export function randomMessages(random: Random): (round: number) => Message {
  const waiting: Message[] = [];
  return (round) => {
    if (random(12) === 0) waiting.push(...randomStory(random, round));
    if (random(30) === 0) waiting.push(randomCorrection(random, round));
    const isWaiting = waiting.length > 0 && random(2) === 0;
    const message = isWaiting ? waiting.shift()! : randomMessage(random, round);
    const ids = ([undefined, undefined, "two", "two", "unclear", "foreign"] as const)[random(6)];
    return {
      ...message,
      ...random(3) === 0 && ids !== undefined && { ids },
      ...message.kind === "merge" && random(12) === 0 && { second: `P-${random(PATIENTS)}` },
      ...random(30) === 0 && { minute: round + [60, 2 * DAY][random(2)]! },
    };
  };
}

/** Few accession and order numbers, so that two patients often have the same number. */
const ACCESSIONS = 8, NUMBERS = 6;
/** The last two order numbers are equal, but have different assigning authorities. */
const TWICE: Readonly<Record<number, string>> = { 4: "N4^WARD", 5: "N4^CLINIC" };

/**
 * Accession number and order number of an order or of images. Half of the order numbers occur with
 * only two accession numbers each, and half with any accession number.
 */
export function randomOrder(random: Random) {
  const n = random(NUMBERS), isNear = n % 2 === 0;
  return {
    accession: `A${isNear ? (n + random(2)) % ACCESSIONS : random(ACCESSIONS)}`,
    number: TWICE[n] ?? `N${n}`,
  };
}
