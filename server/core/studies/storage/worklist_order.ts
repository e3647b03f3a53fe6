// Sort orders of the worklist, and the pages of each order.
import { compareIds } from "@/model/patient/id_order.ts";
import type { SortDirection, SortKey } from "@/model/schema/studies/study.ts";
import type { Language } from "@/model/text.ts";
import type { Columns, Entry } from "@/server/core/studies/storage/worklist_columns.ts";

/** Value by which each sort key sorts an entry; `null` comes last in both directions. */
export const SORT_VALUE: Record<SortKey, (entry: Entry) => string | number | null> = {
  pid: (entry) => entry.place,
  patient_id: (entry) => entry.id,
  patient_name: (entry) => entry.name,
  patient_sex: (entry) => entry.sex,
  patient_birthdate: (entry) => entry.birth,
  study_date: (entry) => entry.study,
  analysis_date: (entry) => entry.analysedAt,
  label_list: (entry) => entry.labelNames,
  patient_age: (entry) => entry.age,
  quality_grade: (entry) => entry.grade,
  finding: (entry) => entry.deviation,
  attention: (entry) => entry.attention,
};

/** Whether a sort key sorts names of people or labels, in the order of a language's dictionaries. */
export const isInDictionaryOrder = (key: SortKey): boolean =>
  key === "patient_name" || key === "label_list";

/**
 * Compares two sort values; names are compared as in dictionaries of a language, IDs as people
 * count.
 */
export type Compare = (a: string | number, b: string | number) => number;

const bySign: Compare = (x, y) => x < y ? -1 : x > y ? 1 : 0;

const collators: Partial<Record<Language, Intl.Collator>> = {};

/** Returns the comparison for a sort key and language, which does not depend on the database. */
export function compareOf(key: SortKey, language: Language): Compare {
  if (key === "patient_id") return compareIds as Compare;
  if (!isInDictionaryOrder(key)) return bySign;
  const { compare } = collators[language] ??= new Intl.Collator(language, { numeric: true });
  return (x, y) => compare(x as string, y as string);
}

/** Position in a sort order: sort value and study number. Valid even if the row is deleted. */
export interface Cursor {
  value: string | number | null;
  pid: number;
}

/** Number of rows sorted or merged before yielding to the event loop; takes about 10 ms. */
const SLICE_ROWS = 4096;
const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

/**
 * Sorts like `Array.sort`, but yields to the event loop after each slice of rows.
 * The sorted slices are then merged.
 */
async function sortInSlices<T>(rows: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < rows.length; start += SLICE_ROWS) {
    runs.push(rows.slice(start, start + SLICE_ROWS).sort(compare));
    await turn();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let n = 0; n < runs.length; n += 2) {
      merged.push(runs[n + 1] ? await mergeInSlices(runs[n]!, runs[n + 1]!, compare) : runs[n]!);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeInSlices<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const isOfA = j === b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0);
    merged.push(isOfA ? a[i++]! : b[j++]!);
    if (merged.length % SLICE_ROWS === 0) await turn();
  }
  return merged;
}

/** Slots (row positions) in one sort order: with a value ascending, and without, always last. */
export class Order {
  readonly #sorted: number[];
  readonly #without: number[];

  /** @param sorted Entries with a value in sort order; if absent, the constructor sorts them. */
  constructor(
    private readonly columns: Columns,
    private readonly value: (entry: Entry) => string | number | null,
    private readonly compareValues: Compare,
    sorted?: readonly Entry[],
  ) {
    const entries = columns.entries.filter((entry) => entry !== undefined);
    const slots = (list: readonly Entry[]) => list.map((entry) => entry.slot);
    this.#sorted = slots(
      sorted ?? entries.filter((entry) => value(entry) !== null).sort(this.#compare),
    );
    this.#without = slots(
      entries.filter((entry) => value(entry) === null).sort((a, b) => a.pid - b.pid),
    );
  }

  /**
   * Creates a sort order like the constructor, but yields to the event loop while sorting.
   * @returns a function that creates the order, with entries that changed meanwhile.
   */
  static async inSlices(
    columns: Columns,
    value: (entry: Entry) => string | number | null,
    compareValues: Compare,
  ): Promise<() => Order> {
    const entries = columns.entries.slice();
    const sorted = await sortInSlices(
      entries.filter((entry) => entry !== undefined).filter((entry) => value(entry) !== null),
      (a, b) => compareValues(value(a)!, value(b)!) || a.pid - b.pid,
    );
    return () => {
      const unchanged = sorted.filter((entry) => columns.entries[entry.slot] === entry);
      const order = new Order(columns, value, compareValues, unchanged);
      for (const [slot, entry] of columns.entries.entries()) {
        if (entry && entry !== entries[slot] && value(entry) !== null) order.add(entry);
      }
      return order;
    };
  }

  #compare = (a: Entry, b: Entry): number =>
    this.compareValues(this.value(a)!, this.value(b)!) || a.pid - b.pid;

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

  /** Position of an entry, as {@link countUntil} expects it. */
  cursorOf = (entry: Entry): Cursor => ({ value: this.value(entry), pid: entry.pid });

  /**
   * Number of matching entries before a position, in the direction of reading.
   * @param isIncluded Whether to count the entry at the position as well.
   */
  countUntil(
    passing: Uint8Array | null,
    direction: SortDirection,
    { value, pid }: Cursor,
    isIncluded: boolean,
  ): number {
    const hasValue = value !== null, list = hasValue ? this.#sorted : this.#without;
    const isUp = direction === "asc", isEqualBelow = isUp === isIncluded;
    // binary search for the number of entries below the position, or up to and including it
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1, entry = this.columns.entries[list[middle]!]!;
      const order = (hasValue ? this.compareValues(this.value(entry)!, value) : 0) ||
        entry.pid - pid;
      if (order < 0 || (order === 0 && isEqualBelow)) low = middle + 1;
      else high = middle;
    }
    const inList = isUp ? low : list.length - low, earlier = hasValue ? 0 : this.#sorted.length;
    if (passing === null) return earlier + inList;
    let count = 0;
    if (!hasValue) { for (const slot of this.#sorted) count += passing[slot]!; }
    for (let i = 0; i < inList; i++) count += passing[list[isUp ? i : list.length - 1 - i]!]!;
    return count;
  }

  /** Removes an entry, before its slot (row position) is used by another entry. */
  remove(entry: Entry): void {
    const { list, at } = this.#place(entry);
    if (list[at] === entry.slot) list.splice(at, 1);
  }

  /** Inserts an entry that already has a slot. */
  add(entry: Entry): void {
    const { list, at } = this.#place(entry);
    list.splice(at, 0, entry.slot);
  }

  /** Slots of one page of the matching entries, and the number of matches. */
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

  /** Slots of one page of all entries, see {@link page}. */
  slice(
    direction: SortDirection,
    offset: number,
    limit: number,
  ): { slots: number[]; total: number } {
    const { length } = this.#sorted, total = length + this.#without.length;
    const slots: number[] = [];
    for (let i = offset; i < Math.min(total, offset + limit); i++) {
      const [list, at] = i < length ? [this.#sorted, i] : [this.#without, i - length];
      slots.push(list[direction === "asc" ? at : list.length - 1 - at]!);
    }
    return { slots, total };
  }
}
