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
  /** trigger event of a merge */
  event?: "A40" | "A47";
  /** accession number, empty in some changes and cancellations, and order number of an order */
  accession?: string;
  number?: string;
  id: string;
  prior: string;
  name: string;
  /** `null`: not in the message */
  birth?: string | null;
  sex?: "male" | "female" | null;
  /** minutes since the beginning of the test's year */
  minute: number;
}

const SEXES = { male: "M", female: "F", none: "" };

/** The message in HL7. */
export const textOf = (
  { kind, event = "A40", id, prior, name, birth, sex, minute, accession = "", number = "" }:
    Message,
  control: string,
) => {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replaceAll(/[-:T]/g, "")
    .slice(0, 12);
  const merge = kind === "merge" ? { prior } : {};
  const person = { birth: (birth ?? "").replaceAll("-", ""), sex: SEXES[sex ?? "none"] };
  if (ORDERS.includes(kind)) {
    const code = kind === "order" ? "NW" : kind === "change" ? "XO" : "CA",
      procedure = `${kind} ${minute}`;
    return order({ id, control, accession, number, code, procedure, name, at, ...person });
  }
  return adt({
    event: kind === "merge" ? event : "A08",
    id,
    control,
    name,
    at,
    ...person,
    ...merge,
  });
};

/** Birth date and sex of a study or message: mostly of one person, often incomplete. */
export const randomPerson = (random: (n: number) => number) => ({
  birth: [null, "1950-01-01", "1950-01-01", "1950-01-01", "1975-01-01"][random(5)]!,
  sex: ([null, "female", "female", "female", "male"] as const)[random(5)]!,
});

const KINDS: readonly Message["kind"][] = [
  ...["merge", "merge", "update", "update", "update"] as const,
  ...["order", "order", "change", "cancel"] as const,
];

/** A message of a round; late ones are up to an hour old. */
export function randomMessage(
  random: (n: number) => number,
  round: number,
  kinds: readonly Message["kind"][] = KINDS,
): Message {
  const kind = kinds[random(kinds.length)]!, { accession, number } = randomOrder(random);
  const isUnnamed = ["change", "cancel"].includes(kind) && random(3) === 0;
  return {
    kind,
    event: random(3) === 0 ? "A47" : "A40",
    accession: isUnnamed ? "" : accession,
    number,
    id: `P-${random(PATIENTS)}`,
    prior: `P-${random(PATIENTS)}`,
    name: `Name ${round}`,
    ...randomPerson(random),
    minute: round - (random(4) === 0 ? random(60) : 0),
  };
}

/** Few numbers, so that two patients often have the same one. */
const ACCESSIONS = 8, NUMBERS = 6;

/**
 * Accession number and order number of an order or of images. Half of the order numbers are often
 * under the same two accession numbers, and half under any.
 */
export function randomOrder(random: (n: number) => number) {
  const n = random(NUMBERS), isNear = n % 2 === 0;
  return {
    accession: `A${isNear ? (n + random(2)) % ACCESSIONS : random(ACCESSIONS)}`,
    number: `N${n}`,
  };
}
