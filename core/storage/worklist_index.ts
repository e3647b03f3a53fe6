import { sql } from "kysely";
import type { Sex } from "@/model/norms.ts";
import type { SortDirection, SortKey } from "@/model/schema/study.ts";
import type { Database } from "@/core/storage/database.ts";
import { labelsOfPatients } from "@/core/storage/labels.ts";
import { type ChangeReader, changeReader } from "@/core/storage/worklist_changes.ts";

/** Which studies are wanted; what is absent does not limit. */
export interface WorklistFilter {
  /** part of the patient id or name, in either case */
  search?: string;
  hasT1?: boolean;
  hasT2?: boolean;
  sex?: Sex;
  /** whole years, both included */
  age?: Range<number>;
  /** YYYY-MM-DD, both included */
  birth?: Range<string>;
  study?: Range<string>;
  /** day of the later analysis in the site's time zone */
  analysis?: Range<string>;
  /** ids: a study carries at least one of them */
  labels?: readonly number[];
}
export interface Range<T> {
  from?: T;
  to?: T;
}

/** A study as it is searched and sorted; dates are YYYYMMDD, `null` what is not known. */
interface Entry {
  /** where it stands in the columns */
  slot: number;
  pid: number;
  /** id and name, folded, each on its line */
  text: string;
  id: string | null;
  name: string | null;
  sex: Sex | null;
  age: number | null;
  birth: number | null;
  study: number | null;
  /** ms */
  analysedAt: number | null;
  analysisDay: number | null;
  labels: readonly number[];
  labelNames: string | null;
  hasT1: boolean;
  hasT2: boolean;
}

const BUILD_ROWS = 5000;

/** What makes no difference in a search and in the order of names. */
export const folded = (text: string): string => text.normalize("NFC").toLowerCase();

const dayOf = (date: string): number => Number(date.slice(0, 4) + date.slice(5, 7) + date.slice(8, 10));
const dayOrNull = (date: string | null): number | null => date === null ? null : dayOf(date);

/** Day of an instant in this process's time zone. */
function localDay(ms: number): number {
  const date = new Date(ms);
  return date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate();
}

const SORT_VALUE: Record<SortKey, (entry: Entry) => string | number | null> = {
  pid: (entry) => entry.pid,
  patient_id: (entry) => entry.id,
  patient_name: (entry) => entry.name,
  patient_sex: (entry) => entry.sex,
  patient_birthdate: (entry) => entry.birth,
  study_date: (entry) => entry.study,
  analysis_date: (entry) => entry.analysedAt,
  label_list: (entry) => entry.labelNames,
  patient_age: (entry) => entry.age,
};

const HAS_T1 = 1, HAS_T2 = 2, MALE = 4, FEMALE = 8;
const NUMBERS = ["age", "birth", "study", "analysisDay"] as const;
type NumberColumn = (typeof NUMBERS)[number];
/** In a column of numbers: not known. */
const NONE = -1;
const GROW = 4096;

/** What is filtered by, side by side: a filter runs through it in memory order. */
class Columns {
  readonly entries: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #carriers = new Map<number, Set<number>>();
  #flags = new Uint8Array(0);
  #numbers = {} as Record<NumberColumn, Int32Array<ArrayBuffer>>;
  /** the texts of all slots in one, and where each begins; made when it is needed */
  #texts: { all: string; starts: Int32Array } | null = null;

  constructor() {
    for (const name of NUMBERS) this.#numbers[name] = new Int32Array(0);
  }

  newSlot(): number {
    return this.#free.pop() ?? this.entries.length;
  }

  set(entry: Entry): void {
    const { slot } = entry;
    if (slot >= this.#flags.length) this.#grow(slot + GROW + (slot >> 2));
    this.unset(slot);
    this.entries[slot] = entry;
    this.#flags[slot] = (entry.hasT1 ? HAS_T1 : 0) | (entry.hasT2 ? HAS_T2 : 0) |
      (entry.sex === "male" ? MALE : entry.sex === "female" ? FEMALE : 0);
    for (const name of NUMBERS) this.#numbers[name][slot] = entry[name] ?? NONE;
    for (const label of entry.labels) {
      const slots = this.#carriers.get(label);
      if (slots) slots.add(slot);
      else this.#carriers.set(label, new Set([slot]));
    }
  }

  /** Empties a slot, which is to be set again. */
  unset(slot: number): void {
    for (const label of this.entries[slot]?.labels ?? []) this.#carriers.get(label)?.delete(slot);
    this.entries[slot] = undefined;
    this.#texts = null;
  }

  /** Empties a slot for another study. */
  free(slot: number): void {
    this.unset(slot);
    this.#free.push(slot);
  }

  #grow(length: number): void {
    const flags = new Uint8Array(length);
    flags.set(this.#flags);
    this.#flags = flags;
    for (const name of NUMBERS) {
      const numbers = new Int32Array(length);
      numbers.set(this.#numbers[name]);
      this.#numbers[name] = numbers;
    }
  }

  /** 1 at the slots that pass; `null` when everything does. */
  match(filter: WorklistFilter): Uint8Array | null {
    const count = this.entries.length;
    let passing: Uint8Array | null = null;
    const all = () => passing ??= new Uint8Array(count).fill(1);
    const { hasT1, hasT2, sex, labels } = filter;
    const flags = this.#flags,
      flag = (bit: number, isSet: boolean) => {
        const out = all(), wanted = isSet ? bit : 0;
        for (let i = 0; i < count; i++) if ((flags[i]! & bit) !== wanted) out[i] = 0;
      };
    if (hasT1 !== undefined) flag(HAS_T1, hasT1);
    if (hasT2 !== undefined) flag(HAS_T2, hasT2);
    if (sex !== undefined) flag(sex === "male" ? MALE : FEMALE, true);
    const between = (name: NumberColumn, from: number | undefined, to: number | undefined) => {
      if (from === undefined && to === undefined) return;
      // what is not known passes no limit
      const out = all(), numbers = this.#numbers[name], low = Math.max(from ?? 0, 0), high = to ?? 0x7fffffff;
      for (let i = 0; i < count; i++) if (numbers[i]! < low || numbers[i]! > high) out[i] = 0;
    };
    const days = (name: NumberColumn, range: Range<string> | undefined) =>
      between(name, range?.from && dayOf(range.from) || undefined, range?.to && dayOf(range.to) || undefined);
    between("age", filter.age?.from, filter.age?.to);
    days("birth", filter.birth);
    days("study", filter.study);
    days("analysisDay", filter.analysis);
    if (labels && labels.length > 0) {
      const out = all(), carrying = new Uint8Array(count);
      for (const label of labels) for (const slot of this.#carriers.get(label) ?? []) carrying[slot] = 1;
      for (let i = 0; i < count; i++) out[i]! &= carrying[i]!;
    }
    const needle = folded(filter.search ?? "").trim();
    if (needle !== "") {
      const out = all(), holding = this.#search(needle);
      for (let i = 0; i < count; i++) out[i]! &= holding[i]!;
    }
    return passing;
  }

  /** 1 at the slots whose text holds the needle. */
  #search(needle: string): Uint8Array {
    const { all, starts } = this.#texts ??= this.#makeTexts(), count = this.entries.length;
    const out = new Uint8Array(count);
    // a line end parts one text from the next
    if (needle.includes("\n")) return out;
    for (let slot = 0, at = all.indexOf(needle); at >= 0;) {
      while (starts[slot + 1]! <= at) slot++;
      out[slot] = 1;
      // the rest of this text cannot change that
      at = slot + 1 < count ? all.indexOf(needle, starts[slot + 1]!) : -1;
    }
    return out;
  }

  #makeTexts(): { all: string; starts: Int32Array } {
    const starts = new Int32Array(this.entries.length + 1),
      texts = this.entries.map((entry) => entry?.text ?? "");
    let at = 0;
    texts.forEach((text, slot) => {
      starts[slot] = at;
      // and a line end between two
      at += text.length + 1;
    });
    starts[texts.length] = at;
    return { all: texts.join("\n"), starts };
  }
}

/** Slots in one order: those with a value, ascending, and those without, which always come last. */
class Order {
  readonly #sorted: number[];
  readonly #without: number[];

  constructor(
    private readonly columns: Columns,
    private readonly value: (entry: Entry) => string | number | null,
  ) {
    const all = columns.entries.filter((entry) => entry !== undefined);
    const slots = (entries: Entry[]) => entries.map((entry) => entry.slot);
    this.#sorted = slots(all.filter((entry) => value(entry) !== null).sort(this.#compare));
    this.#without = slots(all.filter((entry) => value(entry) === null).sort((a, b) => a.pid - b.pid));
  }

  #compare = (a: Entry, b: Entry): number => {
    const x = this.value(a)!, y = this.value(b)!;
    return x < y ? -1 : x > y ? 1 : a.pid - b.pid;
  };

  #place(entry: Entry): { list: number[]; at: number } {
    const hasValue = this.value(entry) !== null, list = hasValue ? this.#sorted : this.#without;
    const compare = hasValue ? this.#compare : (a: Entry, b: Entry) => a.pid - b.pid;
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.columns.entries[list[middle]!]!, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return { list, at: low };
  }

  /** Takes out an entry that still stands in its slot. */
  remove(entry: Entry): void {
    const { list, at } = this.#place(entry);
    if (list[at] === entry.slot) list.splice(at, 1);
  }

  /** Puts in an entry that stands in its slot. */
  add(entry: Entry): void {
    const { list, at } = this.#place(entry);
    list.splice(at, 0, entry.slot);
  }

  /** Slots of a page of those that pass, and how many pass in all. */
  page(
    passing: Uint8Array,
    direction: SortDirection,
    offset: number,
    limit: number,
  ): { slots: number[]; total: number } {
    const slots: number[] = [], end = offset + limit, isUp = direction === "asc";
    let total = 0;
    for (const list of [this.#sorted, this.#without]) {
      const { length } = list;
      for (let i = 0; i < length; i++) {
        const slot = list[isUp ? i : length - 1 - i]!;
        if (passing[slot] === 0) continue;
        if (total >= offset && total < end) slots.push(slot);
        total++;
      }
    }
    return { slots, total };
  }

  /** {@link page} of all. */
  slice(direction: SortDirection, offset: number, limit: number): { slots: number[]; total: number } {
    const { length } = this.#sorted, total = length + this.#without.length;
    const slots: number[] = [];
    for (let i = offset; i < Math.min(total, offset + limit); i++) {
      const [list, at] = i < length ? [this.#sorted, i] : [this.#without, i - length];
      slots.push(list[direction === "asc" ? at : list.length - 1 - at]!);
    }
    return { slots, total };
  }
}

const sources = (db: Database) =>
  db.selectFrom("patients as p")
    .leftJoin("analyses as a1", "a1.id", "p.t1_analysis_id")
    .leftJoin("analyses as a2", "a2.id", "p.t2_analysis_id")
    .select([
      "p.pid",
      "p.patient_id",
      "p.patient_name",
      "p.patient_sex",
      "p.patient_age",
      "p.patient_birthdate",
      "p.study_date",
      "p.t1_series_id",
      "p.t2_series_id",
      sql<string | null>`CASE WHEN a1.status = 'completed' THEN a1.finished_at END`.as("a1_at"),
      sql<string | null>`CASE WHEN a2.status = 'completed' THEN a2.finished_at END`.as("a2_at"),
    ]);

type Source = Awaited<ReturnType<ReturnType<typeof sources>["executeTakeFirstOrThrow"]>>;

/** Entries that have no slot yet. */
async function entriesOf(db: Database, rows: readonly Source[]): Promise<Entry[]> {
  const labels = rows.length === 0 ? null : await labelsOfPatients(db, rows.map(({ pid }) => pid));
  return rows.map((row): Entry => {
    const refs = labels?.get(row.pid) ?? [];
    const analysed = [row.a1_at, row.a2_at].filter((at) => at !== null).map((at) => Date.parse(at));
    const analysedAt = analysed.length > 0 ? Math.max(...analysed) : null;
    const id = folded(row.patient_id), name = folded(row.patient_name);
    return {
      slot: -1,
      pid: row.pid,
      text: `${id}\n${name}`,
      id: id || null,
      name: name || null,
      sex: row.patient_sex,
      age: row.patient_age,
      birth: dayOrNull(row.patient_birthdate),
      study: dayOrNull(row.study_date),
      analysedAt,
      analysisDay: analysedAt === null ? null : localDay(analysedAt),
      labels: refs.map((ref) => ref.id),
      labelNames: refs.length > 0 ? refs.map((ref) => folded(ref.label_name)).join("\n") : null,
      hasT1: row.t1_series_id !== null,
      hasT2: row.t2_series_id !== null,
    };
  });
}

/**
 * What the worklist is searched and sorted by, of every study, in memory: about 400 bytes a study. The database stays
 * the truth; before each answer the index reads what was committed since the last one, whoever wrote it.
 */
export class WorklistIndex {
  #columns = new Columns();
  /** pid → slot */
  #slots = new Map<number, number>();
  readonly #orders = new Map<SortKey, Order>();
  readonly #changes: ChangeReader;
  #isBuilt = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly db: Database) {
    this.#changes = changeReader(db);
  }

  /** Numbers of one page of the studies that pass a filter, and how many pass. Rows without the value come last. */
  async find(
    filter: WorklistFilter,
    sort: { key: SortKey; direction: SortDirection },
    page: { offset: number; limit: number },
  ): Promise<{ pids: number[]; total: number }> {
    await this.refresh();
    const order = this.#order(sort.key), passing = this.#columns.match(filter);
    const { slots, total } = passing === null
      ? order.slice(sort.direction, page.offset, page.limit)
      : order.page(passing, sort.direction, page.offset, page.limit);
    return { pids: slots.map((slot) => this.#columns.entries[slot]!.pid), total };
  }

  /** Reads what has changed. One after the other: each must see what was committed before it was asked for. */
  refresh(): Promise<void> {
    const next = this.#last.then(() => this.#read());
    this.#last = next.catch(() => {});
    return next;
  }

  /** Makes every order, so that no physician waits for the first. */
  async warm(): Promise<void> {
    await this.refresh();
    for (const key of Object.keys(SORT_VALUE) as SortKey[]) this.#order(key);
  }

  #order(key: SortKey): Order {
    let order = this.#orders.get(key);
    if (!order) this.#orders.set(key, order = new Order(this.#columns, SORT_VALUE[key]));
    return order;
  }

  async #read(): Promise<void> {
    const changes = this.#isBuilt ? await this.#changes.read() : null;
    if (changes === null) return await this.#build();
    if (changes.pids.length === 0) return changes.accept();
    const { pids } = changes;
    const rows = await sources(this.db).where("p.pid", "in", pids).execute();
    const now = new Map((await entriesOf(this.db, rows)).map((entry) => [entry.pid, entry]));
    for (const pid of pids) {
      const slot = this.#slots.get(pid), after = now.get(pid);
      if (slot !== undefined) {
        const before = this.#columns.entries[slot]!;
        for (const order of this.#orders.values()) order.remove(before);
      }
      if (after) {
        after.slot = slot ?? this.#columns.newSlot();
        this.#columns.set(after);
        this.#slots.set(pid, after.slot);
        for (const order of this.#orders.values()) order.add(after);
      } else if (slot !== undefined) {
        this.#columns.free(slot);
        this.#slots.delete(pid);
      }
    }
    changes.accept();
  }

  async #build(): Promise<void> {
    // first: what changes while the rows are read is read again
    await this.#changes.begin();
    const columns = new Columns(), slots = new Map<number, number>();
    for (let after = 0;;) {
      const rows = await sources(this.db).where("p.pid", ">", after).orderBy("p.pid").limit(BUILD_ROWS)
        .execute();
      for (const entry of await entriesOf(this.db, rows)) {
        entry.slot = columns.newSlot();
        columns.set(entry);
        slots.set(entry.pid, entry.slot);
      }
      if (rows.length < BUILD_ROWS) break;
      after = rows.at(-1)!.pid;
      // others may answer in between
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.#columns = columns;
    this.#slots = slots;
    this.#orders.clear();
    this.#isBuilt = true;
  }
}

const indexes = new WeakMap<Database, WorklistIndex>();

/** The index of a database; not of a transaction, which sees what others do not. */
export function worklistIndex(db: Database): WorklistIndex {
  let index = indexes.get(db);
  if (!index) indexes.set(db, index = new WorklistIndex(db));
  return index;
}
