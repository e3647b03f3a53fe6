import { sql } from "kysely";
import type { Sex } from "@/model/norms.ts";
import type { SortDirection, SortKey } from "@/model/schema/study.ts";
import type { Database } from "@/core/storage/database.ts";
import { labelsOfPatients } from "@/core/storage/labels.ts";

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
/** More changes than are worth putting into the sorted lists one by one. */
const MANY_CHANGES = 500;

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

type Test = (entry: Entry) => boolean;

/** The tests of a filter, the dear ones last. */
function testsOf(filter: WorklistFilter): Test[] {
  const tests: Test[] = [];
  const { hasT1, hasT2, sex, labels } = filter;
  if (hasT1 !== undefined) tests.push((entry) => entry.hasT1 === hasT1);
  if (hasT2 !== undefined) tests.push((entry) => entry.hasT2 === hasT2);
  if (sex !== undefined) tests.push((entry) => entry.sex === sex);
  const between = (
    from: number | undefined,
    to: number | undefined,
    value: (entry: Entry) => number | null,
  ) => {
    if (from === undefined && to === undefined) return;
    const low = from ?? -Infinity, high = to ?? Infinity;
    tests.push((entry) => {
      const at = value(entry);
      return at !== null && at >= low && at <= high;
    });
  };
  const days = (range: Range<string> | undefined, value: (entry: Entry) => number | null) =>
    between(range?.from && dayOf(range.from) || undefined, range?.to && dayOf(range.to) || undefined, value);
  between(filter.age?.from, filter.age?.to, (entry) => entry.age);
  days(filter.birth, (entry) => entry.birth);
  days(filter.study, (entry) => entry.study);
  days(filter.analysis, (entry) => entry.analysisDay);
  if (labels && labels.length > 0) {
    const wanted = new Set(labels);
    tests.push((entry) => entry.labels.some((label) => wanted.has(label)));
  }
  const needle = folded(filter.search ?? "").trim();
  if (needle !== "") tests.push((entry) => entry.text.includes(needle));
  return tests;
}

/** Entries in one order: those with a value, ascending, and those without, which always come last. */
class Order {
  #sorted: Entry[];
  #without: Entry[];

  constructor(entries: Iterable<Entry>, private readonly value: (entry: Entry) => string | number | null) {
    const all = [...entries];
    this.#sorted = all.filter((entry) => value(entry) !== null).sort(this.#compare);
    this.#without = all.filter((entry) => value(entry) === null).sort((a, b) => a.pid - b.pid);
  }

  #compare = (a: Entry, b: Entry): number => {
    const x = this.value(a)!, y = this.value(b)!;
    return x < y ? -1 : x > y ? 1 : a.pid - b.pid;
  };

  #listOf(entry: Entry): { list: Entry[]; compare: (a: Entry, b: Entry) => number } {
    return this.value(entry) === null
      ? { list: this.#without, compare: (a, b) => a.pid - b.pid }
      : { list: this.#sorted, compare: this.#compare };
  }

  #place(entry: Entry): { list: Entry[]; at: number } {
    const { list, compare } = this.#listOf(entry);
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(list[middle]!, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return { list, at: low };
  }

  remove(entry: Entry): void {
    const { list, at } = this.#place(entry);
    if (list[at]?.pid === entry.pid) list.splice(at, 1);
  }

  add(entry: Entry): void {
    const { list, at } = this.#place(entry);
    list.splice(at, 0, entry);
  }

  /** Numbers of a page of those that pass the tests, and how many pass in all. */
  page(
    tests: readonly Test[],
    direction: SortDirection,
    offset: number,
    limit: number,
  ): { pids: number[]; total: number } {
    const pids: number[] = [], end = offset + limit;
    let total = 0;
    for (const list of [this.#sorted, this.#without]) {
      const { length } = list;
      for (let i = 0; i < length; i++) {
        const entry = list[direction === "asc" ? i : length - 1 - i]!;
        let passes = true;
        for (let t = 0; passes && t < tests.length; t++) passes = tests[t]!(entry);
        if (!passes) continue;
        if (total >= offset && total < end) pids.push(entry.pid);
        total++;
      }
    }
    return { pids, total };
  }

  /** {@link page} of all. */
  slice(direction: SortDirection, offset: number, limit: number): { pids: number[]; total: number } {
    const { length } = this.#sorted, total = length + this.#without.length;
    const pids: number[] = [];
    for (let i = offset; i < Math.min(total, offset + limit); i++) {
      const [list, at] = i < length ? [this.#sorted, i] : [this.#without, i - length];
      pids.push(list[direction === "asc" ? at : list.length - 1 - at]!.pid);
    }
    return { pids, total };
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

async function entriesOf(db: Database, rows: readonly Source[]): Promise<Entry[]> {
  const labels = rows.length === 0 ? null : await labelsOfPatients(db, rows.map(({ pid }) => pid));
  return rows.map((row): Entry => {
    const refs = labels?.get(row.pid) ?? [];
    const analysed = [row.a1_at, row.a2_at].filter((at) => at !== null).map((at) => Date.parse(at));
    const analysedAt = analysed.length > 0 ? Math.max(...analysed) : null;
    const id = folded(row.patient_id), name = folded(row.patient_name);
    return {
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
  readonly #entries = new Map<number, Entry>();
  readonly #orders = new Map<SortKey, Order>();
  /** change up to which the index has read; `null` before it is built */
  #seq: number | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly db: Database) {}

  /** Numbers of one page of the studies that pass a filter, and how many pass. Rows without the value come last. */
  async find(
    filter: WorklistFilter,
    sort: { key: SortKey; direction: SortDirection },
    page: { offset: number; limit: number },
  ): Promise<{ pids: number[]; total: number }> {
    await this.refresh();
    const order = this.#order(sort.key), tests = testsOf(filter);
    return tests.length === 0
      ? order.slice(sort.direction, page.offset, page.limit)
      : order.page(tests, sort.direction, page.offset, page.limit);
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
    if (!order) this.#orders.set(key, order = new Order(this.#entries.values(), SORT_VALUE[key]));
    return order;
  }

  async #read(): Promise<void> {
    if (this.#seq === null) return await this.#build();
    const changes = await this.db.selectFrom("worklist_changes").select(["seq", "pid"])
      .where("seq", ">", this.#seq).orderBy("seq").limit(MANY_CHANGES + 1).execute();
    if (changes.length === 0) return;
    // too many, or some that nobody can read any more
    if (changes.length > MANY_CHANGES || changes[0]!.seq !== this.#seq + 1) return await this.#build();
    const pids = [...new Set(changes.map(({ pid }) => pid))];
    const rows = await sources(this.db).where("p.pid", "in", pids).execute();
    const now = new Map((await entriesOf(this.db, rows)).map((entry) => [entry.pid, entry]));
    for (const pid of pids) {
      const before = this.#entries.get(pid), after = now.get(pid);
      for (const order of this.#orders.values()) {
        if (before) order.remove(before);
        if (after) order.add(after);
      }
      if (after) this.#entries.set(pid, after);
      else this.#entries.delete(pid);
    }
    this.#seq = changes.at(-1)!.seq;
  }

  async #build(): Promise<void> {
    // first: what changes while the rows are read is read again
    const { seq } = await this.db.selectFrom("worklist_changes")
      .select((e) => e.fn.max("seq").as("seq")).executeTakeFirstOrThrow();
    const found = new Map<number, Entry>();
    for (let after = 0;;) {
      const rows = await sources(this.db).where("p.pid", ">", after).orderBy("p.pid").limit(BUILD_ROWS)
        .execute();
      for (const entry of await entriesOf(this.db, rows)) found.set(entry.pid, entry);
      if (rows.length < BUILD_ROWS) break;
      after = rows.at(-1)!.pid;
      // others may answer in between
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.#entries.clear();
    this.#orders.clear();
    for (const [pid, entry] of found) this.#entries.set(pid, entry);
    this.#seq = Number(seq ?? 0);
  }
}

const indexes = new WeakMap<Database, WorklistIndex>();

/** The index of a database; not of a transaction, which sees what others do not. */
export function worklistIndex(db: Database): WorklistIndex {
  let index = indexes.get(db);
  if (!index) indexes.set(db, index = new WorklistIndex(db));
  return index;
}

/** Changes that are kept for indexes of other processes. */
const KEPT_CHANGES = 10_000;

/** Forgets changes of long ago; an index that has not read them reads everything anew. */
export async function pruneChanges(db: Database): Promise<void> {
  const { seq } = await db.selectFrom("worklist_changes").select((e) => e.fn.max("seq").as("seq"))
    .executeTakeFirstOrThrow();
  await db.deleteFrom("worklist_changes").where("seq", "<=", Number(seq ?? 0) - KEPT_CHANGES).execute();
}
