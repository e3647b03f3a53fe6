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
  };
  readonly seenOrders = this.#placed.seen;
  readonly #former = new Map<string, { to: string; minute: number }>();
  readonly #used = new Map<string, number>();
  /** identities from messages by patient ID, newest message first */
  readonly #given = new Map<string, Given[]>();

  /** Name, birth date and sex in the newest message of an ID. */
  #newest(id: string): Given | null {
    return this.#given.get(id)?.[0] ?? null;
  }

  /** The newest identity of an ID if it is surely of a person: no birth date is missing. */
  #newestOf(id: string, person: Person): Given | null {
    const newest = this.#newest(id), own = (one: { id: string }) => one.id === id;
    if (newest === null || newest.birth === null || newest.birth !== person.birth) return null;
    const all = [...this.studies.filter(own), ...this.orders.filter(own), person];
    return hasOthers(all) || areOther(newest, person) ? null : newest;
  }

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
    const isReused = this.#isReused(id, birth);
    const study: ModelStudy = { id, name, birth, sex, accession, procedure: null };
    this.studies.push(study);
    for (let next: string | undefined = isReused ? undefined : id; next;) {
      study.id = next;
      next = this.#former.get(next)?.to;
    }
    if (!isReused) this.#rename(study);
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
    const given = this.#given.get(valid)?.find((one) => one.birth !== null);
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

  /** Orders with an ID in which a message replaces the patient data. */
  #ordersMeant(id: string, { birth, sex }: Person): ModelOrder[] {
    const own = this.orders.filter((one) => one.id === id);
    const all = [...this.studies.filter((study) => study.id === id), ...own];
    if (!hasOthers(all)) return own;
    return own.filter((one) =>
      birth !== null && one.birth === birth && !areOther(one, { birth, sex })
    );
  }

  #writeOrders(orders: readonly ModelOrder[], { name, birth, sex, minute }: Given): void {
    for (const one of orders) {
      Object.assign(one, { name, birth: birth ?? one.birth, sex: sex ?? one.sex });
      one.minute = Math.max(one.minute, minute);
    }
  }

  /** Studies of the person in an update; `null` if the update may concern several people. */
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

  /** Surviving ID of a merge: a former ID only if the merge reverses the merge of this ID. */
  #target({ id, prior, birth = null, minute }: Message): string | null {
    const later = this.#former.get(id), isFormer = this.#former.has(prior);
    for (let next = later; next; next = this.#former.get(next.to)) {
      if (next.to === prior) return later!.minute > minute || isFormer ? null : id;
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
    const used = (of: string) => this.#used.get(of) ?? -Infinity;
    const given = { name, birth, sex, minute };
    const note = () => {
      this.#used.set(id, Math.max(used(id), minute));
      // of two messages with the same time, the message that arrives later counts as newer
      const all = [given, ...this.#given.get(id) ?? []];
      this.#given.set(id, all.toSorted((a, b) => b.minute - a.minute));
    };
    const changed: ModelStudy[] = [];
    const write = (studies: readonly ModelStudy[], { name, birth, sex }: Given) => {
      for (const study of studies) {
        const after = { name, birth: birth ?? study.birth, sex: sex ?? study.sex };
        const isSame = study.name === name && study.birth === after.birth &&
          study.sex === after.sex;
        if (!isSame) changed.push(study);
        Object.assign(study, after);
      }
    };
    const of = (one: string) => this.studies.filter((study) => study.id === one);
    if (kind === "update") {
      if (minute < used(id)) return;
      const has = this.studies.some((study) => study.id === id);
      const meant = this.#meant(id, birth, sex);
      if (this.#isShared(id) || meant === null) return void this.seen.refused++;
      const orders = this.#ordersMeant(id, given);
      if (orders.length === 0 && !has && this.#former.has(id)) return;
      if (meant.length < of(id).length) this.seen.narrowed++;
      this.#writeOrders(orders, given);
      write(meant, given);
      note();
      return this.#joinOf(id, changed);
    }
    const priors = this.#former.get(prior), later = this.#former.get(id);
    if (id === prior || (priors && priors.minute > minute) || used(prior) > minute) return;
    const to = this.#target(message);
    if (to === null) return void this.seen.uncertain++;
    if (later && to !== id) this.seen.followed++;
    if (this.#isShared(prior) || this.#isShared(to)) return void this.seen.refused++;
    if (hasOthers(of(prior)) || hasOthers(of(to))) return void this.seen.refused++;
    this.#former.delete(prior);
    if (to === id) this.#former.delete(id);
    const moved = of(prior), isOutdated = to !== id || minute < used(id);
    changed.push(...moved);
    // an outdated merge still joins the two IDs, but name, birth date and sex are those of newer
    // messages
    const identity = isOutdated ? this.#newest(to) : given;
    const orders = identity === null ? [] : [
      ...this.#ordersMeant(prior, identity),
      ...isOutdated ? [] : this.#ordersMeant(to, identity),
    ];
    for (const one of [...this.studies, ...this.orders]) if (one.id === prior) one.id = to;
    this.#former.set(prior, { to: id, minute });
    if (identity !== null) {
      write(isOutdated ? moved : of(to), identity);
      this.#writeOrders(orders, identity);
    }
    note();
    this.#joinOf(id, changed);
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
