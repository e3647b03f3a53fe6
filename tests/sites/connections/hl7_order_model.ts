import type { Message } from "@/tests/sites/connections/random_messages.ts";

export interface ModelStudy {
  /** empty until the images have been read */
  accession: string;
  /** procedure of the order that matches the study */
  procedure: string | null;
  id: string;
  name: string;
  birth: string | null;
  sex: "male" | "female" | null;
}

interface ModelItem {
  procedure: string;
  /** time of the last message about this order number */
  minute: number;
  isInForce: boolean;
  /** time of the last change (XO); the patient in an older message is ignored */
  change: number | null;
  /** time of the change that filed the order here, possibly moved from another accession number */
  moved: number | null;
  /** whether this is a cancellation that arrived before the order */
  isEarly: boolean;
}

export interface ModelOrder {
  /** empty for cancellations without an accession number */
  accession: string;
  id: string;
  name: string;
  birth: string | null;
  sex: "male" | "female" | null;
  /** time of the message from which the patient data were taken */
  minute: number;
  /** by order number; key `ALL`: a cancellation of all orders with the accession number */
  items: Map<string, ModelItem>;
  /** study with the images of the order */
  study: ModelStudy | null;
}

/** Key of a cancellation without an order number. */
const ALL = "*";

/** Row moved from another patient, or row from which the order was moved to another accession. */
type Taken = { given?: ModelOrder; former?: { row: ModelOrder; procedure: string } };

export type Person = Pick<ModelStudy, "birth" | "sex">;

export const areOther = (a: Person, b: Person) =>
  (a.birth !== null && b.birth !== null && a.birth !== b.birth) ||
  (a.sex !== null && b.sex !== null && a.sex !== b.sex);

/** Identity that a message gave for a patient ID. */
type Named = Person & { name: string };

/** Whether names or birth dates show that two messages about an order are of one person. */
const isSurelyOne = (a: Named, b: Named): boolean =>
  !areOther(a, b) && (a.name === b.name || (a.birth !== null && a.birth === b.birth));

/** Entries of a message with those of the order before that it lacks. */
const completed = (sent: Named, before: Named): Named =>
  isSurelyOne(sent, before)
    ? { ...sent, birth: sent.birth ?? before.birth, sex: sent.sex ?? before.sex }
    : sent;

export interface Given extends Person {
  name: string;
  minute: number;
}

/** Functions of the patient model that the order model calls. */
interface World {
  valid(id: string): string;
  isReused(id: string, birth: string | null): boolean;
  isShared(id: string): boolean;
  /** the identity that updates and merges last gave for an ID, if surely of this person */
  newest(id: string, person: Person): Given | null;
  /** notes orders of a message with a former ID, for the undo of its merges */
  follow(message: Message, orders: readonly ModelOrder[]): void;
  /** joins orders and studies with these accession numbers again */
  join(accessions: ReadonlySet<string>): void;
}

/** Result of an order message; `unfound`: no order has the number; `failed`: refused. */
type End = "done" | "unfound" | "failed";

/** Order whose earlier messages must be re-applied. */
interface Renewed {
  number: string;
  accession: string;
  areAll: boolean;
}

/**
 * Reference model of the patient and accession number under which each order is filed: written
 * from ADR 0078 alone, independently of the server's code.
 */
export class OrderModel {
  readonly orders: ModelOrder[] = [];
  readonly seen = {
    canceled: 0,
    given: 0,
    renumbered: 0,
    unnamed: 0,
    several: 0,
    unclear: 0,
    /** cancellations that arrived before the order; orders that arrived after the cancellation */
    early: 0,
    over: 0,
    /** re-applied messages: the order number became known; an assumed move proved wrong */
    found: 0,
    placed: 0,
  };
  readonly #history: { message: Message; end: End }[] = [];
  #renewed: Renewed[] = [];
  /** accession numbers of the orders that the current message changes */
  #touched = new Set<string>();
  /** orders that the current message has added, or moved from another patient */
  #inserted = new Set<ModelOrder>();

  constructor(private readonly world: World) {}

  take(message: Message): void {
    const end = this.#take(message), renewed = this.#renewed;
    const again = this.#history.filter((old) =>
      renewed.some(({ number, accession, areAll }) =>
        old.message.number === number && (old.end === "unfound" ||
          (areAll && old.end === "done" && !["", accession].includes(old.message.accession ?? "")))
      )
    );
    this.#history.push({ message, end });
    for (const old of again) {
      if (old.end === "unfound") this.seen.found++;
      else this.seen.placed++;
      old.end = this.#take(old.message);
    }
  }

  #isOf(one: ModelOrder, { id, number = "", birth = null, sex = null }: Message): boolean {
    const isShared = this.world.isShared(this.world.valid(id));
    return !isShared || (number !== "" && one.items.has(number) && !areOther(one, { birth, sex }));
  }

  /** Fills empty fields of an order from an older message. */
  #fill(one: ModelOrder, message: Message): void {
    const { id, number = "", procedure = "", birth = null, sex = null } = message;
    const isSame = this.#isOf(one, message) && isSurelyOne(one, { name: message.name, birth, sex });
    if (one.id === this.world.valid(id) && isSame) {
      one.birth ??= birth;
      one.sex ??= sex;
    }
    const item = one.items.get(number)!;
    item.procedure ||= procedure;
    this.#touched.add(one.accession);
  }

  /** Whether orders with several accession numbers have the order number. */
  #isGroup(number: string, accession: string): boolean {
    const all = this.orders.filter((one) =>
      one.accession !== "" && one.items.has(number) &&
      !(one.accession === accession && one.items.get(number)!.isEarly)
    );
    return new Set(all.map((one) => one.accession)).size > 1;
  }

  /**
   * Removes a changed order from other patients. If exactly one other accession number has the
   * order number, removes the order from that accession number, too.
   * @returns `null` if a newer change of the order has already been applied.
   */
  #takeAway(message: Message, accession: string, own: readonly ModelOrder[]): Taken | null {
    const { kind, number = "", minute } = message, isChange = kind === "change";
    if (number === "") return {};
    const id = this.world.valid(message.id), isShared = this.world.isShared(id);
    const others = this.orders.filter((one) =>
      one.accession !== "" && one.items.has(number) && !own.includes(one) &&
      !(one.id === id && isShared)
    );
    const here = others.filter((one) => one.accession === accession);
    const elsewhere = others.filter((one) => one.accession !== accession);
    const isGroup = this.#isGroup(number, accession);
    const late = (isGroup ? here : others).filter((one) => {
      const item = one.items.get(number)!;
      const since = here.includes(one) || isChange ? item.change : item.moved;
      return since !== null && (since > minute || (since === minute && !isChange));
    });
    for (const one of late) this.#fill(one, message);
    if (late.length > 0) return null;
    const taken: Taken = {};
    if (!isChange) return taken;
    const isLater = (one: ModelOrder) => one.items.get(number)!.minute > minute;
    const [former, ...more] = elsewhere;
    const isAlone = former !== undefined && more.length === 0 && here.length === 0;
    if (isAlone && !isGroup && !isLater(former) && !this.world.isShared(former.id)) {
      this.seen.renumbered++;
      taken.former = { row: former, procedure: former.items.get(number)!.procedure };
      former.items.delete(number);
      this.#touched.add(former.accession);
    }
    for (const one of here.filter((one) => !isLater(one))) {
      this.seen.given++;
      if (own.length === 0 && !taken.given && one.items.size === 1) {
        const nobody = { id, name: "", birth: null, sex: null, minute: -Infinity };
        taken.given = Object.assign(one, nobody);
      } else one.items.delete(number);
    }
    return taken;
  }

  /** Accession number of the order with an order number; otherwise the result of the message. */
  #meantAccession(number: string, id: string): { accession: string } | "unfound" | "failed" {
    const all = this.orders.filter((one) => one.accession !== "" && one.items.has(number));
    const own = all.filter((one) => one.id === id);
    const accessions = new Set((own.length > 0 ? own : all).map(({ accession }) => accession));
    if (accessions.size > 1) this.seen.several++;
    if (accessions.size === 1) this.seen.unnamed++;
    const [accession] = accessions;
    if (accession === undefined) return "unfound";
    return accessions.size > 1 ? "failed" : { accession };
  }

  /** Cancels the stored orders, and stores the cancellation for orders that arrive later. */
  #cancel(message: Message, id: string): End {
    const { accession = "", number = "", name, birth = null, sex = null, minute } = message;
    const ofId = this.orders.filter((one) => one.id === id);
    const all = accession === ""
      ? ofId.filter((one) => one.accession !== "" && one.items.has(number))
      : ofId.filter((one) => one.accession === accession);
    const rows = all.filter((one) => this.#isOf(one, message));
    if (this.world.isShared(id) && rows.length === 0 && all.length > 0) {
      this.seen.unclear++;
      return "failed";
    }
    for (const one of rows) {
      for (const [key, item] of one.items) {
        if (key === ALL || (number !== "" && key !== "" && key !== number)) continue;
        if (item.minute > minute) continue;
        this.seen.canceled++;
        Object.assign(item, { minute, isInForce: false });
        this.#touched.add(one.accession);
      }
    }
    const key = number === "" ? ALL : number;
    const noting = accession === ""
      ? ofId.filter((one) => one.accession === "" && this.#isOf(one, message))
      : rows;
    const noted = noting.find(({ items }) => items.has(key))?.items.get(key);
    if (noted === undefined) {
      this.seen.early++;
      const item = { procedure: "", minute, isInForce: false, change: null, moved: null };
      const row = noting[0] ??
        { accession, id, name, birth, sex, minute, items: new Map(), study: null };
      row.items.set(key, { ...item, isEarly: key !== ALL });
      if (noting.length === 0) this.#insert(row);
    } else if (accession === "" || key === ALL) noted.minute = Math.max(noted.minute, minute);
    return "done";
  }

  /** Time of the latest stored cancellation that is newer than a message with a new order. */
  #cancelledAt(message: Message, id: string, rows: readonly ModelOrder[]): number | null {
    const { number = "", minute } = message;
    const times = rows.flatMap(({ items }) =>
      [...items].filter(([key, item]) => key === ALL || (number === "" && !item.isInForce))
    ).map(([, item]) => item.minute);
    for (const one of this.orders) {
      if (one.id !== id || one.accession !== "" || !this.#isOf(one, message)) continue;
      if (one.items.has(number)) times.push(one.items.get(number)!.minute);
    }
    const later = times.filter((time) => time > minute);
    return later.length > 0 ? Math.max(...later) : null;
  }

  /** Applies an order message that is older than the last message about the order. */
  #takeOlder(message: Message, accession: string, own: readonly ModelOrder[]): End {
    const { kind, number = "", procedure = "", minute } = message, isChange = kind === "change";
    if (isChange) this.#takeAway(message, accession, own);
    const row = own.find(({ items }) => items.has(number))!, item = row.items.get(number)!;
    const change = isChange ? minute : null;
    if (item.isEarly) {
      Object.assign(item, { procedure, change, moved: change, isEarly: false });
    } else {
      if (change !== null) item.change = Math.max(item.change ?? -Infinity, change);
      if (!isChange && item.moved !== null && item.moved >= minute) {
        item.moved = null;
        if (number !== "") this.#renewed.push({ number, accession, areAll: true });
      }
    }
    this.#fill(row, message);
    return "done";
  }

  #set(message: Message, id: string, accession: string): End {
    const { kind, number = "", procedure = "", name, birth = null, sex = null, minute } = message;
    const isShared = this.world.isShared(id), isChange = kind === "change";
    const all = this.orders.filter((one) => one.id === id && one.accession === accession);
    const same = all.filter((one) => this.#isOf(one, message));
    const named = same.filter(({ items }) => items.has(number));
    const isOthers = number !== "" && named.length === 0 &&
      all.some(({ items }) => items.has(number));
    if (isShared && isOthers) {
      this.seen.unclear++;
      return "failed";
    }
    if (number !== "") this.#renewed.push({ number, accession, areAll: false });
    const one = named[0] ?? same[0], before = one?.items.get(number);
    const isTie = before?.minute === minute && before.change === minute && before.isInForce;
    if (before && (before.minute > minute || (isTie && !isChange))) {
      return this.#takeOlder(message, accession, same);
    }
    const over = before ? null : this.#cancelledAt(message, id, same);
    const taken = this.#takeAway(message, accession, same);
    if (taken === null) return "done";
    if (over !== null) this.seen.over++;
    const { former } = taken, row = one ?? taken.given, old = row?.items.get(number);
    const change = isChange ? minute : old?.change ?? null;
    const item: ModelItem = {
      procedure: procedure || former?.procedure || old?.procedure || "",
      minute: over ?? minute,
      isInForce: over === null,
      change,
      moved: old && !old.isEarly ? old.moved : isChange ? minute : null,
      isEarly: false,
    };
    if (row === undefined) {
      const sent = { name, birth, sex };
      const person = former?.row.id === id ? completed(sent, former.row) : sent;
      const items = new Map([[number, item]]);
      this.#insert({ accession, id, ...person, minute, items, study: null });
    } else {
      if (one === undefined) this.#inserted.add(row);
      row.items.set(number, item);
      if (minute >= row.minute) {
        Object.assign(row, completed({ name, birth, sex }, row), { minute });
      }
    }
    return "done";
  }

  #insert(row: ModelOrder): void {
    this.orders.push(row);
    this.#inserted.add(row);
  }

  #take(message: Message): End {
    this.#renewed = [];
    this.#inserted = new Set();
    this.#touched = new Set([message.accession ?? ""]);
    const end = this.#endOf(message), valid = this.world.valid(message.id);
    const rows = this.orders.filter((one) => one.id === valid && this.#inserted.has(one));
    if (valid !== message.id) this.world.follow(message, rows);
    this.world.join(this.#touched);
    return end;
  }

  /** Message with newer patient data; the data in a message with a former ID are outdated. */
  #withNewest(message: Message, valid: string): Message {
    const { id, birth = null, sex = null, minute } = message;
    const newest = this.world.newest(valid, { birth, sex });
    if (newest === null || (valid === id && newest.minute <= minute)) return message;
    return { ...message, name: newest.name, sex: newest.sex ?? sex };
  }

  #endOf(sent: Message): End {
    const { kind, id, number = "", accession = "", birth = null } = sent;
    const valid = this.world.valid(id);
    if (this.world.isReused(id, birth)) {
      this.#touched.clear();
      return "failed";
    }
    const message = this.#withNewest(sent, valid);
    if (kind === "cancel") return this.#cancel(message, valid);
    if (accession !== "") return this.#set(message, valid, accession);
    if (this.world.isShared(valid)) {
      this.seen.unclear++;
      return "failed";
    }
    const meant = this.#meantAccession(number, valid);
    if (typeof meant === "string") return meant;
    this.#touched.add(meant.accession);
    return this.#set(message, valid, meant.accession);
  }
}
