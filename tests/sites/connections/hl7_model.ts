import { orderRows } from "@/server/core/studies/service/orders/order_rows.ts";
import type { Database } from "@/server/core/database/database.ts";
import { adt, order } from "@/tests/sites/connections/hl7_messages.ts";

const ORDERS: readonly Message["kind"][] = ["order", "change", "cancel"];
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
  /** accession number and order number of an order */
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

interface ModelStudy {
  /** empty until its images have been read */
  accession: string;
  /** procedure of its order */
  procedure: string | null;
  id: string;
  name: string;
  birth: string | null;
  sex: "male" | "female" | null;
}

interface ModelItem {
  procedure: string;
  minute: number;
  isInForce: boolean;
  /** the last message was a change, which says whose the order is */
  isChange: boolean;
}

interface ModelOrder {
  accession: string;
  id: string;
  name: string;
  birth: string | null;
  sex: "male" | "female" | null;
  /** of the message that its patient is of */
  minute: number;
  /** procedure and last message of each order number; a cancelled one has no procedure any more */
  items: Map<string, ModelItem>;
  /** study with its images */
  study: ModelStudy | null;
}

type Person = Pick<ModelStudy, "birth" | "sex">;

const areOther = (a: Person, b: Person) =>
  (a.birth !== null && b.birth !== null && a.birth !== b.birth) ||
  (a.sex !== null && b.sex !== null && a.sex !== b.sex);

const hasOthers = (studies: readonly Person[]) =>
  studies.some((one) => studies.some((other) => areOther(one, other)));

type Named = Person & { name: string };

/** Whether two records of an ID that several people have are of one of them. */
const areSurelyOne = (a: Named, b: Named) =>
  a.birth !== null && a.birth === b.birth && a.name === b.name && !areOther(a, b);

/** Whether four records contradict each other; the names of all messages have a word in common. */
const areFourPeople = (records: readonly Person[]): boolean => {
  const all = [...new Map(records.map((one) => [`${one.birth} ${one.sex}`, one])).values()];
  const grow = (chosen: readonly Person[], from: number): boolean =>
    chosen.length > 3 ||
    all.slice(from).some((one, at) =>
      chosen.every((other) => areOther(one, other)) && grow([...chosen, one], from + at + 1)
    );
  return grow([], 0);
};

/**
 * Who has which study, by the sentences of ADR 0053 alone: a table of studies, one of former IDs,
 * and the last time at which each ID was used as a valid one.
 */
export class Model {
  readonly studies: ModelStudy[] = [];
  readonly orders: ModelOrder[] = [];
  /** updates of some of an ID's studies, and messages refused because two people share an ID */
  readonly seen = {
    narrowed: 0,
    refused: 0,
    joined: 0,
    doubted: 0,
    parted: 0,
    canceled: 0,
    given: 0,
    unclear: 0,
  };
  readonly #former = new Map<string, { to: string; minute: number }>();
  readonly #used = new Map<string, number>();

  #valid(id: string): string {
    for (let next = this.#former.get(id); next; next = this.#former.get(id)) id = next.to;
    return id;
  }

  addStudy(
    id: string,
    name: string,
    birth: string | null = "1960-05-20",
    sex: "male" | "female" | null = "male",
    accession = "",
  ): void {
    const valid = this.#isReused(id, birth) ? id : this.#valid(id);
    this.studies.push({ id: valid, name, birth, sex, accession, procedure: null });
    this.#join();
  }

  /** Whether a former ID has been given to a second person. */
  #isReused(id: string, birth: string | null): boolean {
    const valid = this.#valid(id);
    const hasAnother = birth !== null &&
      this.studies.some((study) => study.id === valid && study.birth && study.birth !== birth);
    return valid !== id && (hasAnother || this.#isShared(valid));
  }

  /** Whether more than three people have an ID, so that it says nothing about a person. */
  #isShared(id: string): boolean {
    return areFourPeople([...this.studies, ...this.orders].filter((one) => one.id === id));
  }

  /** Rows of orders without images. */
  get rows() {
    return this.orders.filter((one) => one.study === null && this.#isInForce(one))
      .map((one) => ({
        accession: one.accession,
        id: one.id,
        name: one.name,
        birth: one.birth,
        sex: one.sex,
        procedure: this.#procedure(one),
      }));
  }

  #isInForce({ items }: ModelOrder): boolean {
    return [...items.values()].some(({ isInForce }) => isInForce);
  }

  #procedure({ items }: ModelOrder): string {
    const all = [...items.values()], inForce = all.filter(({ isInForce }) => isInForce);
    return [...new Set((inForce.length > 0 ? inForce : all).map(({ procedure }) => procedure))]
      .join(" / ");
  }

  /** Joins orders and images of one patient, and parts those that are of two people now. */
  #join(): void {
    for (const study of this.studies) {
      const same = this.orders.filter((one) => one.accession === study.accession);
      const isShared = this.#isShared(study.id);
      const own = same.filter((one) =>
        (one.study !== null || this.#isInForce(one)) && one.id === study.id &&
        (isShared ? areSurelyOne(one, study) : !areOther(one, study))
      );
      const lost = same.filter((one) => one.study === study && !own.includes(one));
      for (const one of lost) one.study = null;
      for (const one of own) {
        if (one.study === null) this.seen.joined++;
        one.study ??= study;
      }
      if (own.length > 0) {
        const all = own.map((one) => this.#procedure(one));
        study.procedure = [...new Set(all)].filter(Boolean).join(" / ") || null;
      } else if (lost.length > 0) {
        study.procedure = null;
        this.seen.parted++;
      }
      if (same.some((one) => one.id !== study.id)) this.seen.doubted++;
    }
  }

  /** Whether another patient has this order by a later message, of which one is a change. */
  #isGivenLater(
    accession: string,
    own: readonly ModelOrder[],
    number: string,
    item: ModelItem,
  ): boolean {
    return this.orders.some((one) => {
      const other = one.accession === accession && !own.includes(one) && one.items.get(number);
      return other && other.minute > item.minute && (item.isChange || other.isChange);
    });
  }

  /** Takes a changed order from other patients. @returns the row that is the new patient's now. */
  #take(
    accession: string,
    id: string,
    number: string,
    own: readonly ModelOrder[],
  ): ModelOrder | null {
    let given: ModelOrder | null = null;
    for (const one of this.orders) {
      if (one.accession !== accession || own.includes(one) || !one.items.has(number)) continue;
      this.seen.given++;
      if (own.length === 0 && given === null && one.items.size === 1) {
        given = Object.assign(one, { id, name: "", birth: null, sex: null, minute: -Infinity });
      } else one.items.delete(number);
    }
    return given;
  }

  #takeOrder(
    { kind, id, accession = "", number = "", name, birth = null, sex = null, minute }: Message,
  ): void {
    const valid = this.#valid(id);
    if (this.#isReused(id, birth)) return;
    const all = this.orders.filter((one) => one.accession === accession && one.id === valid);
    const isShared = this.#isShared(valid), given = { name, birth, sex };
    const same = all.filter((one) =>
      !isShared || areSurelyOne(one, given) || (one.items.has(number) && !areOther(one, given))
    );
    const isOthers = kind === "cancel"
      ? same.length === 0 && all.length > 0
      : kind === "order" && !same.some(({ items }) => items.has(number)) &&
        all.some(({ items }) => items.has(number));
    if (isShared && isOthers) return void this.seen.unclear++;
    const isInForce = kind !== "cancel", isChange = kind === "change";
    const item = { procedure: `${kind} ${minute}`, minute, isInForce, isChange };
    const before = (same.find(({ items }) => items.has(number)) ?? same[0])?.items.get(number);
    if (isInForce && before && before.minute > minute) return;
    if (isInForce && this.#isGivenLater(accession, same, number, item)) return;
    if (isChange) {
      const taken = this.#take(accession, valid, number, same);
      if (taken) same.push(taken);
    }
    if (same.length === 0) {
      const items = new Map([[number, isInForce ? item : { ...item, procedure: "" }]]);
      this.orders.push({ accession, id: valid, name, birth, sex, minute, items, study: null });
      return this.#join();
    }
    const named = same.filter(({ items }) => items.has(number));
    if (kind === "cancel") {
      for (const one of named) {
        const old = one.items.get(number)!;
        if (old.minute > minute) continue;
        this.seen.canceled++;
        one.items.set(number, { ...old, minute, isInForce: false });
      }
      return this.#join();
    }
    const one = named[0] ?? same[0]!;
    one.items.set(number, item);
    if (minute >= one.minute) {
      Object.assign(one, { name, birth: birth ?? one.birth, sex: sex ?? one.sex, minute });
    }
    this.#join();
  }

  /** Gives the orders of an ID the patient's data of a message. @returns whether there are any. */
  #writeOrders(id: string, { name, birth = null, sex = null, minute }: Message): boolean {
    const own = this.orders.filter((one) => one.id === id);
    const all = [...this.studies.filter((study) => study.id === id), ...own];
    const meant = hasOthers(all)
      ? own.filter((one) => birth !== null && one.birth === birth && !areOther(one, { birth, sex }))
      : own;
    for (const one of meant) {
      Object.assign(one, { name, birth: birth ?? one.birth, sex: sex ?? one.sex });
      one.minute = Math.max(one.minute, minute);
    }
    return meant.length > 0;
  }

  /** Studies of the one person in an update; `null` when several people may be meant. */
  #meant(id: string, birth: string | null, sex: ModelStudy["sex"]): ModelStudy[] | null {
    const own = this.studies.filter((study) => study.id === id);
    if (!hasOthers(own)) return own;
    const given = { birth, sex };
    const meant = own.filter((study) => {
      const isUncertain = hasOthers(own.filter((other) => !areOther(study, other)));
      const isNamed = birth ? study.birth === birth : sex && study.sex === sex;
      return isNamed && !isUncertain && !areOther(study, given);
    });
    return meant.length === 0 || hasOthers(meant) ? null : meant;
  }

  take(message: Message): void {
    const { kind, id, prior, name, birth = null, sex = null, minute } = message;
    if (ORDERS.includes(kind)) return this.#takeOrder(message);
    const used = (of: string) => this.#used.get(of) ?? -Infinity;
    const note = () => this.#used.set(id, Math.max(used(id), minute));
    const write = (studies: readonly ModelStudy[]) => {
      for (const study of studies) {
        study.name = name;
        study.birth = birth ?? study.birth;
        study.sex = sex ?? study.sex;
      }
    };
    const of = (one: string) => this.studies.filter((study) => study.id === one);
    if (kind === "update") {
      if (minute < used(id)) return;
      const has = this.studies.some((study) => study.id === id);
      const meant = this.#meant(id, birth, sex);
      if (this.#isShared(id) || meant === null) return void this.seen.refused++;
      if (!this.#writeOrders(id, message) && !has && this.#former.has(id)) return;
      if (meant.length < of(id).length) this.seen.narrowed++;
      write(meant);
      note();
      return this.#join();
    }
    const priors = this.#former.get(prior), later = this.#former.get(id);
    if (id === prior || (priors && priors.minute > minute) || used(prior) > minute) return;
    const isLater = later !== undefined && later.minute > minute;
    const to = isLater ? this.#valid(id) : id;
    if (to === prior) return;
    if (this.#isShared(prior) || this.#isShared(to)) return void this.seen.refused++;
    if (hasOthers(of(prior)) || hasOthers(of(to))) return void this.seen.refused++;
    this.#former.delete(prior);
    if (!isLater) this.#former.delete(id);
    for (const one of [...this.studies, ...this.orders]) if (one.id === prior) one.id = to;
    this.#former.set(prior, { to: id, minute });
    if (!isLater && minute >= used(id)) {
      write(of(id));
      this.#writeOrders(id, message);
    }
    note();
    this.#join();
  }
}

const SEXES = { male: "M", female: "F", none: "" };

/** The message in HL7. */
export const textOf = (
  { kind, id, prior, name, birth, sex, minute, accession = "", number = "" }: Message,
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
  return adt({ event: merge.prior ? "A40" : "A08", id, control, name, at, ...person, ...merge });
};

/** Patient of each study, in their order. */
export const readStudies = async (db: Database) =>
  (await db.selectFrom("patients").select([
    "patient_id",
    "patient_name",
    "patient_birthdate",
    "patient_sex",
    "accession_number",
    "ordered_procedure",
  ]).orderBy("pid").execute())
    .map((row) => ({
      accession: row.accession_number ?? "",
      procedure: row.ordered_procedure,
      id: row.patient_id,
      name: row.patient_name,
      birth: row.patient_birthdate,
      sex: row.patient_sex,
    }));

/** Rows of orders without images, in the order of their arrival. */
export async function readOrderRows(db: Database) {
  const ids = await db.selectFrom("hospital_orders").select("id").orderBy("id").execute();
  const rows = await orderRows(db, ids.map(({ id }) => id));
  return rows.toSorted((a, b) => b.pid - a.pid).map((row) => ({
    accession: row.order!.accession_number,
    id: row.patient_id,
    name: row.patient_name,
    birth: row.patient_birthdate,
    sex: row.patient_sex,
    procedure: row.order!.procedure,
  }));
}

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
export const randomMessage = (random: (n: number) => number, round: number): Message => ({
  kind: KINDS[random(KINDS.length)]!,
  ...randomOrder(random),
  id: `P-${random(PATIENTS)}`,
  prior: `P-${random(PATIENTS)}`,
  name: `Name ${round}`,
  ...randomPerson(random),
  minute: round - (random(4) === 0 ? random(60) : 0),
});

/** Few numbers, so that two patients often have the same one. */
const ACCESSIONS = 6;

/** Accession number and order number of an order or of images. */
export const randomOrder = (random: (n: number) => number) => {
  const accession = `A${random(ACCESSIONS)}`;
  return { accession, number: `${accession}.${random(2)}` };
};
