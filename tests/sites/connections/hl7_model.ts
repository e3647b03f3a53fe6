import { orderRows } from "@/server/core/studies/service/orders/order_rows.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  areOther,
  type Given,
  type ModelOrder,
  type ModelStudy,
  OrderModel,
  type Person,
} from "@/tests/sites/connections/hl7_order_model.ts";
import { type Message, ORDERS } from "@/tests/sites/connections/random_messages.ts";

const hasOthers = (studies: readonly Person[]) =>
  studies.some((one) => studies.some((other) => areOther(one, other)));

type Record = Person & { name: string };

/** Whether the data in a message are surely of the person in a record; one entry may be corrected. */
function isSurelyOf(record: Record, given: Record): boolean {
  const differ = [[record.birth, given.birth], [record.sex, given.sex]]
    .filter(([a, b]) => a !== null && b !== null && a !== b);
  return differ.length === 0 || (differ.length === 1 && record.name === given.name);
}

const areSurelyOf = (records: readonly Record[], given: Record) =>
  records.every((one) => isSurelyOf(one, given));

/** Whether four records contradict each other; names do not, since all have a word in common. */
const areFourPeople = (records: readonly Person[]): boolean => {
  const all = [...new Map(records.map((one) => [`${one.birth} ${one.sex}`, one])).values()];
  const grow = (chosen: readonly Person[], from: number): boolean =>
    chosen.length > 3 ||
    all.slice(from).some((one, at) =>
      chosen.every((other) => areOther(one, other)) && grow([...chosen, one], from + at + 1)
    );
  return grow([], 0);
};

/** A message that gave an identity for a patient ID. */
interface GivenMessage extends Given {
  /** former ID of a merge */
  prior: string | null;
  /** whether the merge was undone */
  isUndone: boolean;
}

type Identity = Pick<ModelStudy, "id" | "name" | "birth" | "sex">;
const identityOf = ({ id, name, birth, sex }: Identity): Identity => ({ id, name, birth, sex });

interface Moved<T> {
  moved: T;
  before: Identity;
}

/** A merge of patient IDs with the studies and orders that it moved. */
export interface ModelMerge {
  prior: string;
  id: string;
  minute: number;
  state: "active" | "superseded" | "undone";
  studies: Moved<ModelStudy>[];
  orders: Moved<ModelOrder>[];
}

/**
 * Reference model of the patient under whom each study is filed, written from ADR 0053 and ADR 0078
 * alone: a table of studies, a table of former IDs, and the last time at which each ID was valid.
 */
export class Model {
  readonly studies: ModelStudy[] = [];
  readonly #placed = new OrderModel({
    valid: (id) => this.#valid(id),
    isReused: (id, birth) => this.#isReused(id, birth),
    newest: (id, person) => this.#newestOf(id, person),
    isShared: (id) => this.#isShared(id),
    follow: (message, orders) => this.#follow(message, orders),
    join: (accessions) => this.#join(accessions),
  });
  readonly orders = this.#placed.orders;
  /** updates of some of an ID's studies, and messages refused because two people share an ID */
  readonly seen = {
    narrowed: 0,
    refused: 0,
    joined: 0,
    doubted: 0,
    parted: 0,
    /** merges into a former ID, and merges that wait for an administrator */
    followed: 0,
    uncertain: 0,
    /** studies that arrived with an outdated name */
    renamed: 0,
    /** messages with identifiers of two authorities that do not identify the patient */
    unidentified: 0,
    /** messages that contradict the person in the records; corrections of a birth date or sex */
    strangers: 0,
    corrected: 0,
    /** undone merges, and merges that cannot be undone */
    undone: 0,
    kept: 0,
    /** merges of two IDs whose last merge was undone: they wait for an administrator */
    redone: 0,
  };
  readonly seenOrders = this.#placed.seen;
  /** merges in order of their application */
  readonly merges: ModelMerge[] = [];
  /** identities from messages by patient ID, newest message first */
  readonly #messages = new Map<string, GivenMessage[]>();

  /** Merge by which an ID is no longer valid. */
  #merge(prior: string): ModelMerge | undefined {
    return this.merges.findLast((one) => one.prior === prior && one.state === "active");
  }

  /** Messages about an ID that count, newest first. */
  #given(id: string): GivenMessage[] {
    return (this.#messages.get(id) ?? []).filter(({ isUndone }) => !isUndone);
  }

  /** Name, birth date and sex in the newest message of an ID. */
  #newest(id: string): Given | null {
    return this.#given(id)[0] ?? null;
  }

  #used(id: string): number {
    return this.#newest(id)?.minute ?? -Infinity;
  }

  /** The newest identity of an ID if it is surely of a person: no birth date is missing. */
  #newestOf(id: string, person: Person): Given | null {
    const newest = this.#newest(id), own = (one: { id: string }) => one.id === id;
    if (newest === null || newest.birth === null || newest.birth !== person.birth) return null;
    const all = [...this.studies.filter(own), ...this.orders.filter(own), person];
    return hasOthers(all) || areOther(newest, person) ? null : newest;
  }

  #valid(id: string): string {
    for (let next = this.#merge(id); next; next = this.#merge(id)) id = next.id;
    return id;
  }

  /** Merges from an ID to the valid one. */
  #chain(id: string): ModelMerge[] {
    const next = this.#merge(id);
    return next === undefined ? [] : [next, ...this.#chain(next.id)];
  }

  /** Orders that came with a former ID leave with the patient in their message. */
  #follow({ id, name, birth = null, sex = null }: Message, orders: readonly ModelOrder[]): void {
    for (const merge of this.#chain(id)) {
      const before = { id: merge.prior, name, birth, sex };
      merge.orders.push(...orders.map((moved) => ({ moved, before })));
    }
  }

  addStudy(
    id: string,
    name: string,
    birth: string | null = "1960-05-20",
    sex: "male" | "female" | null = "male",
    accession = "",
  ): void {
    const isReused = this.#isReused(id, birth);
    const study: ModelStudy = { id, name, birth, sex, accession, procedure: null };
    this.studies.push(study);
    for (const merge of isReused ? [] : this.#chain(id)) {
      merge.studies.push({ moved: study, before: { ...identityOf(study), id: merge.prior } });
    }
    if (!isReused) {
      study.id = this.#valid(id);
      this.#rename(study);
    }
    this.#join(new Set([accession]));
  }

  /** Gives a new study the newest identity of its ID if it is surely of the same person. */
  #rename(study: ModelStudy): void {
    const newest = this.#newestOf(study.id, study);
    if (newest === null) return;
    if (study.name !== newest.name) this.seen.renamed++;
    Object.assign(study, { name: newest.name, sex: newest.sex ?? study.sex });
  }

  /** Whether a former ID has been assigned to a second person. */
  #isReused(id: string, birth: string | null): boolean {
    const valid = this.#valid(id);
    const own = this.studies.filter((study) => study.id === valid);
    const given = this.#given(valid).find((one) => one.birth !== null);
    const hasAnother = birth !== null &&
      [given, ...own].some((one) => one?.birth && one.birth !== birth);
    return valid !== id && (hasAnother || this.#isShared(valid));
  }

  /** Whether more than three people have an ID, so that the ID does not identify a person. */
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
    const named = (inForce.length > 0 ? inForce : all).map(({ procedure }) => procedure);
    return [...new Set(named)].filter(Boolean).join(" / ");
  }

  /** Matches orders of a patient, and studies that a message has changed, again. */
  #joinOf(id: string, changed: readonly ModelStudy[]): void {
    const own = this.orders.filter((one) => one.id === this.#valid(id));
    this.#join(new Set([...own, ...changed].map(({ accession }) => accession)));
  }

  /** Matches orders with studies of the same patient, and separates those of different patients. */
  #join(accessions: ReadonlySet<string>): void {
    const studies = this.studies.filter(({ accession }) =>
      accession !== "" && accessions.has(accession)
    );
    const isFor = (one: ModelOrder, study: ModelStudy) =>
      one.accession === study.accession && one.id === study.id && !areOther(one, study) &&
      !this.#isShared(study.id);
    const orders = this.orders.filter((one) =>
      accessions.has(one.accession) && (one.study !== null || this.#isInForce(one))
    );
    const before = new Set(orders.map(({ study }) => study));
    for (const one of orders) {
      const fitting = studies.filter((study) => isFor(one, study));
      if (one.study === null && fitting.length > 0) this.seen.joined++;
      if (one.study === null || !fitting.includes(one.study)) one.study = fitting[0] ?? null;
    }
    for (const study of studies) {
      const own = orders.filter((one) => isFor(one, study));
      if (own.length > 0) {
        const all = own.map((one) => this.#procedure(one));
        study.procedure = [...new Set(all)].filter(Boolean).join(" / ") || null;
      } else if (before.has(study)) {
        study.procedure = null;
        this.seen.parted++;
      }
      const same = this.orders.filter(({ accession }) => accession === study.accession);
      if (same.some((one) => one.id !== study.id)) this.seen.doubted++;
    }
  }

  #writeOrders(orders: readonly ModelOrder[], { name, birth, sex, minute }: Given): void {
    for (const one of orders) {
      Object.assign(one, { name, birth: birth ?? one.birth, sex: sex ?? one.sex });
      one.minute = Math.max(one.minute, minute);
    }
  }

  /** Studies and orders of the person in an update; otherwise the reason why it waits. */
  #meant(id: string, given: Given): (ModelStudy | ModelOrder)[] | "refused" | "strangers" {
    const own = [...this.studies, ...this.orders].filter((one) => one.id === id);
    if (!hasOthers(own)) return areSurelyOf(own, given) ? own : "strangers";
    const meant = own.filter((one) => {
      const isUncertain = hasOthers(own.filter((other) => !areOther(one, other)));
      return given.birth !== null && one.birth === given.birth && !areOther(one, given) &&
        !isUncertain;
    });
    return meant.length === 0 || hasOthers(meant) ? "refused" : meant;
  }

  /** Whether the person in a merge surely has both IDs. */
  #isSure(own: readonly Record[], others: readonly Record[], given: Given): boolean {
    const known = (key: "birth" | "sex") => others.find((one) => one[key] !== null)?.[key] ?? null;
    const completed = {
      ...given,
      birth: given.birth ?? known("birth"),
      sex: given.sex ?? known("sex") as Person["sex"],
    };
    return areSurelyOf(own, completed);
  }

  /** Surviving ID of a merge: a former ID only if the merge reverses the merge of this ID. */
  #target({ id, prior, birth = null, minute }: Message): string | null {
    const chain = this.#chain(id), isFormer = this.#merge(prior) !== undefined;
    if (chain.some((next) => next.id === prior)) {
      return chain[0]!.minute > minute || isFormer ? null : id;
    }
    if (isFormer && this.#valid(prior) !== this.#valid(id)) return null;
    return this.#isReused(id, birth) ? null : this.#valid(id);
  }

  take(message: Message): void {
    const { kind, id, prior, name, birth = null, sex = null, minute } = message;
    const { ids } = message;
    if (ids === "unclear" || (ids === "foreign" && kind === "merge")) {
      return void this.seen.unidentified++;
    }
    if (ORDERS.includes(kind)) return this.#placed.take(message);
    const given = { name, birth, sex, minute };
    if (kind === "merge") this.#takeMerge(message, given, prior);
    else this.#takeUpdate(id, given);
  }

  /** Notes an identity; of two messages with the same time, the later arrival counts as newer. */
  #note(id: string, given: Given, prior: string | null): void {
    const all = [{ ...given, prior, isUndone: false }, ...this.#messages.get(id) ?? []];
    this.#messages.set(id, all.toSorted((a, b) => b.minute - a.minute));
  }

  /** Writes an identity into studies. @returns the changed studies. */
  #write(studies: readonly ModelStudy[], { name, birth, sex }: Given): ModelStudy[] {
    const changed: ModelStudy[] = [];
    for (const study of studies) {
      const after = { name, birth: birth ?? study.birth, sex: sex ?? study.sex };
      if (study.birth !== after.birth && study.birth !== null) this.seen.corrected++;
      if (JSON.stringify(identityOf(study)) !== JSON.stringify({ id: study.id, ...after })) {
        changed.push(study);
      }
      Object.assign(study, after);
    }
    return changed;
  }

  #takeUpdate(id: string, given: Given): void {
    const newer = this.#given(id).filter(({ minute }) => minute > given.minute);
    if (newer.some((one) => isSurelyOf(one, given))) return;
    const has = [...this.studies, ...this.orders].some((one) => one.id === id);
    if (this.#isShared(id)) return void this.seen.refused++;
    const meant = this.#meant(id, given);
    if (typeof meant === "string") return void this.seen[meant]++;
    if (!has && this.#merge(id) !== undefined) return;
    const isMeant = (one: ModelStudy | ModelOrder) => meant.includes(one);
    const studies = this.studies.filter(isMeant);
    if (studies.length < this.studies.filter((one) => one.id === id).length) this.seen.narrowed++;
    this.#writeOrders(this.orders.filter(isMeant), given);
    const changed = this.#write(studies, given);
    this.#note(id, given, null);
    this.#joinOf(id, changed);
  }

  #takeMerge(message: Message, given: Given, prior: string): void {
    const { id, minute } = message, former = this.#merge(prior), later = this.#merge(id);
    if (id === prior) return;
    const last = this.merges.findLast((one) =>
      [one.prior, one.id].includes(prior) && [one.prior, one.id].includes(id)
    );
    if (last?.state === "undone") return void this.seen.redone++;
    if ((former && former.minute > minute) || this.#used(prior) > minute) return;
    const to = this.#target(message);
    if (to === null) return void this.seen.uncertain++;
    if (later && to !== id) this.seen.followed++;
    if (this.#isShared(prior) || this.#isShared(to)) return void this.seen.refused++;
    const of = (one: string) =>
      [...this.studies, ...this.orders].filter((record) => record.id === one);
    const own = of(prior), others = of(to);
    if (hasOthers(own) || hasOthers(others)) return void this.seen.refused++;
    // an outdated merge still joins the two IDs, but name, birth date and sex are those of newer
    // messages
    const isIdOnly = to !== id || minute < this.#used(id);
    const identity = isIdOnly ? this.#newest(to) : given;
    const isSure = this.#isSure(own, others, given) &&
      (identity === null || areSurelyOf(own, identity)) && (isIdOnly || areSurelyOf(others, given));
    if (!isSure) return void this.seen.strangers++;
    for (const merge of this.merges) {
      const isOver = merge.prior === prior || (to === id && merge.prior === id);
      if (isOver && merge.state === "active") merge.state = "superseded";
    }
    const moved = <T extends ModelStudy | ModelOrder>(all: readonly T[]): Moved<T>[] =>
      all.filter((one) => own.includes(one))
        .map((one) => ({ moved: one, before: identityOf(one) }));
    const studies = moved(this.studies), orders = moved(this.orders);
    const changed = studies.map((one) => one.moved);
    for (const one of own) one.id = to;
    if (identity !== null) {
      const written = isIdOnly ? own : [...own, ...others];
      changed.push(...this.#write(this.studies.filter((one) => written.includes(one)), identity));
      this.#writeOrders(this.orders.filter((one) => written.includes(one)), identity);
    }
    for (const merge of to === id ? [] : this.#chain(id)) {
      const before = { id: merge.prior };
      merge.studies.push(
        ...studies.map((one) => ({ ...one, before: { ...one.before, ...before } })),
      );
      merge.orders.push(...orders.map((one) => ({ ...one, before: { ...one.before, ...before } })));
    }
    const same = former?.id === id ? former : null;
    this.merges.push({
      prior,
      id,
      minute,
      state: "active",
      studies: [...same?.studies ?? [], ...studies],
      orders: [...same?.orders ?? [], ...orders],
    });
    this.#note(id, given, prior);
    this.#joinOf(id, changed);
  }

  /** Undoes a merge. @returns whether it can be undone. */
  undo(merge: ModelMerge): boolean {
    if (merge.state !== "active" || this.#merge(merge.id) !== undefined) {
      this.seen.kept++;
      return false;
    }
    this.seen.undone++;
    merge.state = "undone";
    for (const one of this.#messages.get(merge.id) ?? []) {
      if (one.prior === merge.prior) one.isUndone = true;
    }
    const accessions = new Set<string>();
    // of several entries of a study, the last one counts
    for (const [study, before] of new Map(merge.studies.map((one) => [one.moved, one.before]))) {
      if (study.id !== merge.id) continue;
      accessions.add(study.accession);
      Object.assign(study, before);
    }
    const there = merge.orders.filter(({ moved }) => moved.id === merge.id);
    // orders with the same patient data are written together
    for (const group of Map.groupBy(there, ({ before }) => JSON.stringify(before)).values()) {
      for (const { moved, before } of group) {
        accessions.add(moved.accession);
        Object.assign(moved, before);
      }
    }
    this.#join(accessions);
    return true;
  }
}

/** Patient, accession number and procedure of each study, by study number. */
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

/** Patient of each order, with images or without. */
export const readOrders = async (db: Database) =>
  (await db.selectFrom("hospital_orders")
    .select(["patient_id", "patient_name", "birth_date", "accession_number"])
    .orderBy("id").execute())
    .map((row) => ({
      accession: row.accession_number,
      id: row.patient_id,
      name: row.patient_name,
      birth: row.birth_date,
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
