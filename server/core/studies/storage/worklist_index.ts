import { sql } from "kysely";
import type { AnalysisStatus, SortDirection, SortKey } from "@/model/schema/studies/study.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import type { Database } from "@/server/core/database/database.ts";
import { labelsOfPatients } from "@/server/core/studies/storage/labels.ts";
import { type ChangeReader, changeReader } from "@/server/core/studies/storage/worklist_changes.ts";
import {
  Columns,
  dayOf,
  type Entry,
  foldCase,
  type WorklistFilter,
  type WorklistState,
} from "@/server/core/studies/storage/worklist_columns.ts";
import { searchableText } from "@/model/worklist/search_text.ts";
import { gradeWithIcv } from "@/model/measured/icv_basis.ts";
import { isIcvBeyond } from "@/server/core/studies/storage/findings.ts";
import {
  type HospitalOrder,
  ordersAfter,
  readOrders,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import {
  attentionOf,
  attentionOfOrder,
  statesOf,
  worseGrade,
} from "@/server/core/studies/storage/worklist_state.ts";
import {
  compareOf,
  type Cursor,
  isInDictionaryOrder,
  Order,
  SORT_VALUE,
} from "@/server/core/studies/storage/worklist_order.ts";

/** Language by which names are sorted if the request states none. */
const DEFAULT_LANGUAGE: Language = "en";
/** Number of rows read before the process yields to the event loop; takes about 20 ms. */
const BUILD_ROWS = 1000;

/** Range of rows that a page of the worklist contains. */
export interface PagePlace {
  /** number of matching rows before the page */
  offset: number;
  limit: number;
  /** whether to return the last page instead of an empty page after the end */
  orLast?: boolean;
  /** row after which the page starts, or before which it ends; `offset` is then ignored */
  after?: Cursor | undefined;
  before?: Cursor | undefined;
}

/** A page of the worklist: study numbers, total number, offset, and positions of its end rows. */
export interface FoundPage {
  pids: number[];
  total: number;
  /** number of orders without images that are part of the total */
  ordered: number;
  offset: number;
  first: Cursor | null;
  last: Cursor | null;
}

/** Name of a sort order. Names and labels are sorted separately for each language. */
const orderName = (key: SortKey, language: Language): string =>
  isInDictionaryOrder(key) ? `${key} ${language}` : key;

const dayOrNull = (date: string | null): number | null => date === null ? null : dayOf(date);

/** Day of an instant as number YYYYMMDD, in the time zone of this process. */
export function localDay(ms: number): number {
  const date = new Date(ms);
  return date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate();
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
      "p.created_at",
      "p.created_by",
      "p.deviation",
      "p.lesion_order",
      "a1.status as a1_status",
      "a2.status as a2_status",
      "a1.grade as a1_grade",
      "a2.grade as a2_grade",
      isIcvBeyond.as("is_icv_beyond"),
      sql<string | null>`CASE WHEN a1.status = 'completed' THEN a1.finished_at END`.as("a1_at"),
      sql<string | null>`CASE WHEN a2.status = 'completed' THEN a2.finished_at END`.as("a2_at"),
    ]);

/** Percentile of a study's largest deviation; the smaller value deviates more. */
const nearerToEnd = (volumes: number | null, lesions: number | null): number | null =>
  volumes === null || lesions === null ? volumes ?? lesions : Math.min(volumes, lesions);

type Source = Awaited<ReturnType<ReturnType<typeof sources>["executeTakeFirstOrThrow"]>>;

/** Makes worklist entries from database rows; they have no slot yet. */
async function entriesOf(db: Database, rows: readonly Source[]): Promise<Entry[]> {
  const labels = rows.length === 0 ? null : await labelsOfPatients(db, rows.map(({ pid }) => pid));
  return rows.map((row): Entry => {
    const refs = labels?.get(row.pid) ?? [];
    const analysed = [row.a1_at, row.a2_at].filter((at) => at !== null).map((at) => Date.parse(at));
    const analysedAt = analysed.length > 0 ? Math.max(...analysed) : null;
    const id = foldCase(row.patient_id);
    const statuses: AnalysisStatus[] = [
      ...row.t1_series_id === null ? [] : [row.a1_status ?? "ready" as const],
      ...row.t2_series_id === null ? [] : [row.a2_status ?? "ready" as const],
    ];
    const t1Grade = gradeWithIcv(row.a1_grade, row.is_icv_beyond === 1);
    const grade = worseGrade(t1Grade, row.a2_grade);
    return {
      ...statesOf(statuses),
      grade,
      deviation: nearerToEnd(
        row.a1_status === "completed" ? row.deviation : null,
        row.a2_status === "completed" ? row.lesion_order : null,
      ),
      attention: attentionOf(row.pid, statuses, grade),
      created: localDay(Date.parse(row.created_at)),
      creator: row.created_by,
      slot: -1,
      pid: row.pid,
      place: row.pid,
      ordered: false,
      text: `${searchableText(row.patient_id)}\n${searchableText(row.patient_name)}`,
      id: id || null,
      name: row.patient_name.trim() || null,
      sex: row.patient_sex,
      age: row.patient_age,
      birth: dayOrNull(row.patient_birthdate),
      study: dayOrNull(row.study_date),
      analysedAt,
      analysisDay: analysedAt === null ? null : localDay(analysedAt),
      labels: refs.map((ref) => ref.id),
      labelNames: refs.length > 0 ? refs.map((ref) => foldCase(ref.label_name)).join("\n") : null,
      hasT1: row.t1_series_id !== null,
      hasT2: row.t2_series_id !== null,
    };
  });
}

/** Distance of orders that arrived after the same study, in sort order; studies are 1 apart. */
const PART = 1e-9, MAX_PARTS = 4e8;

/** Makes the worklist entry of an order without images. */
const entryOfOrder = (order: HospitalOrder): Entry => ({
  ...statesOf([]),
  ordered: true,
  grade: null,
  deviation: null,
  attention: attentionOfOrder(order.id),
  created: localDay(Date.parse(order.orderedAt)),
  creator: null,
  slot: -1,
  pid: -order.id,
  place: order.afterPid + 0.5 + Math.min(order.id, MAX_PARTS) * PART,
  text: [order.patientId, order.patientName, order.accessionNumber].map(searchableText).join("\n"),
  id: foldCase(order.patientId) || null,
  name: order.patientName.trim() || null,
  sex: order.sex,
  age: null,
  birth: dayOrNull(order.birthDate),
  study: null,
  analysedAt: null,
  analysisDay: null,
  labels: [],
  labelNames: null,
  hasT1: false,
  hasT2: false,
});

/**
 * Index of all studies in memory for searching and sorting the worklist, about 400 bytes per study.
 * The database is authoritative: before each response, the index reads new changes in it.
 * These may come from any process of the site.
 */
export class WorklistIndex {
  #columns = new Columns();
  /** slot (position in the columns) of each study, by study number */
  #slots = new Map<number, number>();
  /** sort orders by sort key; those of names and labels also by language */
  readonly #orders = new Map<string, Order>();
  readonly #changes: ChangeReader;
  #isBuilt = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly db: Database) {
    this.#changes = changeReader(db);
  }

  /**
   * Study numbers on one page of the matching rows, offset of the page, and number of matches.
   * Rows without a value in the sort column come last.
   */
  async find(
    filter: WorklistFilter,
    sort: { key: SortKey; direction: SortDirection; language?: Language },
    { offset, limit, orLast = false, after, before }: PagePlace,
  ): Promise<FoundPage> {
    await this.refresh();
    const order = this.#order(sort.key, sort.language), passing = this.#columns.match(filter);
    const pageAt = (at: number) =>
      passing === null
        ? order.slice(sort.direction, at, limit)
        : order.page(passing, sort.direction, at, limit);
    let at = after
      ? order.countUntil(passing, sort.direction, after, true)
      : before
      ? Math.max(0, order.countUntil(passing, sort.direction, before, false) - limit)
      : offset;
    let page = pageAt(at);
    if (orLast && at > 0 && page.slots.length === 0) {
      at = Math.max(0, Math.floor((page.total - 1) / limit) * limit);
      page = pageAt(at);
    }
    const entries = page.slots.map((slot) => this.#columns.entries[slot]!);
    const first = entries[0], last = entries.at(-1);
    return {
      pids: entries.map(({ pid }) => pid),
      total: page.total,
      ordered: filter.hasOrders ? this.#columns.countOrders(passing) : 0,
      offset: at,
      first: first ? order.cursorOf(first) : null,
      last: last ? order.cursorOf(last) : null,
    };
  }

  /** Number of worklist rows in each of the given states. */
  async count(states: readonly WorklistState[]): Promise<number[]> {
    await this.refresh();
    return states.map((state) => this.#columns.count(state));
  }

  /** Reads new changes. Calls run one after another, since each must see all earlier commits. */
  refresh(): Promise<void> {
    const reading = this.#last.then(() => this.#read());
    this.#last = reading.catch(() => {});
    return reading;
  }

  /** Creates all sort orders in advance in short steps, so that no request has to wait for one. */
  async warm(): Promise<void> {
    await this.refresh();
    for (const key of Object.keys(SORT_VALUE) as SortKey[]) {
      for (const language of isInDictionaryOrder(key) ? LANGUAGES : [DEFAULT_LANGUAGE]) {
        const name = orderName(key, language), columns = this.#columns;
        if (this.#orders.has(name)) continue;
        const order = await Order.inSlices(columns, SORT_VALUE[key], compareOf(key, language));
        // not stored if a request has created the order meanwhile, or all rows were read again
        if (!this.#orders.has(name) && columns === this.#columns) this.#orders.set(name, order());
      }
    }
  }

  #order(key: SortKey, language: Language = DEFAULT_LANGUAGE): Order {
    const name = orderName(key, language);
    let order = this.#orders.get(name);
    if (!order) {
      order = new Order(this.#columns, SORT_VALUE[key], compareOf(key, language));
      this.#orders.set(name, order);
    }
    return order;
  }

  async #read(): Promise<void> {
    const changes = this.#isBuilt ? await this.#changes.read() : null;
    if (changes === null) return await this.#build();
    if (changes.pids.length === 0) return changes.accept();
    const { pids } = changes;
    const rows = await sources(this.db).where("p.pid", "in", pids).execute();
    const orders = await readOrders(this.db, pids.filter((pid) => pid < 0).map((pid) => -pid));
    const currentEntries = new Map(
      [...await entriesOf(this.db, rows), ...orders.map(entryOfOrder)]
        .map((entry) => [entry.pid, entry]),
    );
    for (const pid of pids) {
      const slot = this.#slots.get(pid), after = currentEntries.get(pid);
      if (slot !== undefined) {
        const oldEntry = this.#columns.entries[slot]!;
        for (const order of this.#orders.values()) order.remove(oldEntry);
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
    // begins before rows are read, so that rows that change meanwhile are read again
    await this.#changes.begin();
    const columns = new Columns(), slots = new Map<number, number>();
    for (let lastPid = 0;;) {
      const rows = await sources(this.db).where("p.pid", ">", lastPid).orderBy("p.pid").limit(
        BUILD_ROWS,
      )
        .execute();
      for (const entry of await entriesOf(this.db, rows)) {
        entry.slot = columns.newSlot();
        columns.set(entry);
        slots.set(entry.pid, entry.slot);
      }
      if (rows.length < BUILD_ROWS) break;
      lastPid = rows.at(-1)!.pid;
      // yields to the event loop
      await new Promise((resolve) => setTimeout(resolve));
    }
    for (let lastId = 0;;) {
      const orders = await ordersAfter(this.db, lastId, BUILD_ROWS);
      for (const entry of orders.map(entryOfOrder)) {
        entry.slot = columns.newSlot();
        columns.set(entry);
        slots.set(entry.pid, entry.slot);
      }
      if (orders.length < BUILD_ROWS) break;
      lastId = orders.at(-1)!.id;
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.#columns = columns;
    this.#slots = slots;
    this.#orders.clear();
    this.#isBuilt = true;
  }
}

const indexes = new WeakMap<Database, WorklistIndex>();

/** Worklist index of a database. A transaction has no index: it sees uncommitted changes. */
export function worklistIndex(db: Database): WorklistIndex {
  let index = indexes.get(db);
  if (!index) indexes.set(db, index = new WorklistIndex(db));
  return index;
}
