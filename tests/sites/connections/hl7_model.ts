import { orderRows } from "@/server/core/studies/service/orders/order_rows.ts";
import type { Database } from "@/server/core/database/database.ts";
import { type Message, ORDERS } from "@/tests/sites/connections/random_messages.ts";

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
  /** a change placed the order here, perhaps from another accession number */
  isMoved: boolean;
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

/** The row that another patient gives away, or the row under the former accession number. */
type Taken = { given?: ModelOrder; former?: ModelOrder };

type Person = Pick<ModelStudy, "birth" | "sex">;

const areOther = (a: Person, b: Person) =>
  (a.birth !== null && b.birth !== null && a.birth !== b.birth) ||
  (a.sex !== null && b.sex !== null && a.sex !== b.sex);

const hasOthers = (studies: readonly Person[]) =>
  studies.some((one) => studies.some((other) => areOther(one, other)));

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
 * Who has which study, by the sentences of ADR 0053 and 0078 alone: a table of studies, one of former IDs,
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
    renumbered: 0,
    unnamed: 0,
    several: 0,
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
        !isShared && !areOther(one, study)
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

  /**
   * Takes a changed order from other patients and, if its number is under one accession number
   * alone, from that one. @returns `null`: a later change says where the order is.
   */
  #take(
    { kind, accession = "", number = "", minute }: Message,
    id: string,
    own: readonly ModelOrder[],
  ): Taken | null {
    const isChange = kind === "change", all = this.orders.filter(({ items }) => items.has(number));
    const others = all.filter((one) =>
      !own.includes(one) && !(one.id === id && this.#isShared(id))
    );
    const here = others.filter((one) => one.accession === accession);
    const elsewhere = others.filter((one) => one.accession !== accession);
    const isGroup = new Set(all.map((one) => one.accession)).size > 1;
    const isLater = (one: ModelOrder, says: (item: ModelItem) => boolean) => {
      const item = one.items.get(number)!;
      return item.minute > minute && says(item);
    };
    if (here.some((one) => isLater(one, (item) => isChange || item.isChange))) return null;
    const says = (item: ModelItem) => isChange ? item.isChange : item.isMoved;
    if (!isGroup && elsewhere.some((one) => isLater(one, says))) return null;
    if (!isChange) return {};
    const taken: Taken = {};
    for (const one of here) {
      this.seen.given++;
      if (own.length === 0 && !taken.given && one.items.size === 1) {
        taken.given = Object.assign(one, {
          id,
          name: "",
          birth: null,
          sex: null,
          minute: -Infinity,
        });
      } else one.items.delete(number);
    }
    const isAlone = here.length === 0 && elsewhere.length === 1;
    if (isAlone && !isGroup && !this.#isShared(elsewhere[0]!.id)) {
      this.seen.renumbered++;
      taken.former = elsewhere[0]!;
      taken.former.items.delete(number);
    }
    return taken;
  }

  /** Accession number that a change without one means; `null`: none, or several. */
  #meantAccession(number: string, id: string): string | null {
    const all = this.orders.filter((one) => one.items.has(number));
    const own = all.filter((one) => one.id === id);
    const accessions = new Set((own.length > 0 ? own : all).map(({ accession }) => accession));
    if (accessions.size > 1) this.seen.several++;
    if (accessions.size === 1) this.seen.unnamed++;
    return accessions.size === 1 ? [...accessions][0]! : null;
  }

  /** Cancels an order in the rows that have it. */
  #cancel(rows: readonly ModelOrder[], number: string, minute: number): void {
    for (const one of rows) {
      const old = one.items.get(number);
      if (!old || old.minute > minute) continue;
      this.seen.canceled++;
      one.items.set(number, { ...old, minute, isInForce: false });
    }
    this.#join();
  }

  #takeOrder(message: Message): void {
    const { kind, id, number = "", name, birth = null, sex = null, minute } = message;
    const valid = this.#valid(id), given = { name, birth, sex };
    if (this.#isReused(id, birth)) return;
    const isShared = this.#isShared(valid), isChange = kind === "change";
    const isOf = (one: ModelOrder) => !isShared || (one.items.has(number) && !areOther(one, given));
    let accession = message.accession ?? "";
    if (isChange && accession === "") {
      if (isShared) return void this.seen.unclear++;
      const meant = this.#meantAccession(number, valid);
      if (meant === null) return;
      accession = meant;
    }
    const ofId = this.orders.filter((one) => one.id === valid);
    const all = accession === ""
      ? ofId.filter(({ items }) => items.has(number))
      : ofId.filter((one) => one.accession === accession);
    const same = all.filter(isOf), named = same.filter(({ items }) => items.has(number));
    const isOthers = kind === "cancel"
      ? same.length === 0 && all.length > 0
      : named.length === 0 && all.some(({ items }) => items.has(number));
    if (isShared && isOthers) return void this.seen.unclear++;
    const item = { procedure: `${kind} ${minute}`, minute, isInForce: true, isChange };
    if (kind === "cancel") {
      if (same.length > 0 || accession === "") return this.#cancel(same, number, minute);
      const items = new Map([
        [number, { ...item, procedure: "", isInForce: false, isMoved: false }],
      ]);
      this.orders.push({ accession, id: valid, ...given, minute, items, study: null });
      return this.#join();
    }
    const one = named[0] ?? same[0], before = one?.items.get(number);
    if (before && before.minute > minute) return;
    const taken = this.#take({ ...message, accession }, valid, same);
    if (taken === null) return;
    const row = one ?? taken.given, old = row?.items.get(number);
    const isMoved = isChange && (old?.isMoved ?? true), { former } = taken;
    if (row === undefined) {
      const kept = former && former.id === valid && (!isShared || isOf(former)) ? former : given;
      this.orders.push({
        accession,
        id: valid,
        name,
        birth: birth ?? kept.birth,
        sex: sex ?? kept.sex,
        minute,
        items: new Map([[number, { ...item, isMoved }]]),
        study: null,
      });
      return this.#join();
    }
    row.items.set(number, { ...item, isMoved });
    if (minute >= row.minute) {
      Object.assign(row, { name, birth: birth ?? row.birth, sex: sex ?? row.sex, minute });
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
