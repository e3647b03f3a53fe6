// Filters of the worklist: for each criterion, one array in memory with the values of all studies.
import { normalForm } from "@/model/normal_form.ts";
import type { Sex } from "@/model/norms/norms.ts";
import { matchesSegments, type SearchWord, searchWords } from "@/model/worklist/search_text.ts";

/** Criteria of a worklist filter; an absent criterion does not restrict the list. */
export interface WorklistFilter {
  /** words to be found in patient ID or name, see `searchWords` */
  search?: string;
  hasT1?: boolean;
  hasT2?: boolean;
  sex?: Sex;
  /** range of the patient's age in whole years, inclusive */
  age?: Range<number>;
  /** ranges of birth date and study date, YYYY-MM-DD, inclusive */
  birth?: Range<string>;
  study?: Range<string>;
  /** range of the date on which the last analysis ended, in the site's time zone */
  analysis?: Range<string>;
  /** ids of labels; a study must have at least one of them */
  labels?: readonly number[];
  state?: WorklistState;
  /** whether the list also contains orders without images; absent: only studies */
  hasOrders?: boolean;
}
/** State by which the list is filtered: of the analyses, arrival since a day, or uploading user. */
export type WorklistState =
  | { kind: "waiting" | "processing" | "failed" | "ordered" }
  | { kind: "new"; since: number }
  | { kind: "mine"; userId: number };
interface Range<T> {
  from?: T;
  to?: T;
}

/** A row of the worklist with values for searching and sorting; dates are numbers YYYYMMDD. */
export interface Entry {
  /** position of the row's values in the filter columns */
  slot: number;
  /** study number; negative order number for an order */
  pid: number;
  /** sort value for the order of arrival, in which orders are placed among studies */
  place: number;
  /** patient ID and name, each on a line, normalised by `searchableText` for searching */
  text: string;
  id: string | null;
  name: string | null;
  sex: Sex | null;
  age: number | null;
  birth: number | null;
  study: number | null;
  /** end of the last analysis, ms since the epoch */
  analysedAt: number | null;
  analysisDay: number | null;
  labels: readonly number[];
  labelNames: string | null;
  hasT1: boolean;
  hasT2: boolean;
  waiting: boolean;
  processing: boolean;
  failed: boolean;
  /** whether the row is an order without images instead of a study */
  ordered: boolean;
  /** the worse of the quality grades of the T1w and the FLAIR result */
  grade: string | null;
  /** smallest of the sort values `patients.deviation` and `lesion_order` */
  deviation: number | null;
  /** sort value by urgency, see `attentionOf` */
  attention: number;
  /** day on which the study or order arrived, YYYYMMDD, in the site's time zone */
  created: number;
  /** id of the user who uploaded the study; `null` if received over the network */
  creator: number | null;
}

/** Text by which patient IDs and labels are sorted; ignores case and Unicode composition. */
export const foldCase = (text: string): string => normalForm(text, "NFC").toLowerCase();

/** Converts a date YYYY-MM-DD to the number YYYYMMDD. */
export const dayOf = (date: string): number =>
  Number(date.slice(0, 4) + date.slice(5, 7) + date.slice(8, 10));

const HAS_T1 = 1, HAS_T2 = 2, MALE = 4, FEMALE = 8, WAITING = 16, PROCESSING = 32, FAILED = 64;
const ORDERED = 128;
const STATE_FLAGS = {
  waiting: WAITING,
  processing: PROCESSING,
  failed: FAILED,
  ordered: ORDERED,
} as const;
const NUMBERS = ["age", "birth", "study", "analysisDay", "created", "creator"] as const;
type NumberColumn = (typeof NUMBERS)[number];
/** Value for "unknown" in a numeric filter column. */
const NONE = -1;
const SLOTS_PER_GROWTH = 4096;

/** Filter columns of the worklist. Each is an array, which a filter scans sequentially. */
export class Columns {
  readonly entries: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #carriers = new Map<number, Set<number>>();
  #flags = new Uint8Array(0);
  /** number of rows that are orders without images */
  #orders = 0;
  #numbers = {} as Record<NumberColumn, Int32Array<ArrayBuffer>>;
  /** search texts of all rows in one string, with each text's start; created when needed */
  #texts: { all: string; starts: Int32Array } | null = null;

  constructor() {
    for (const name of NUMBERS) this.#numbers[name] = new Int32Array(0);
  }

  newSlot(): number {
    return this.#free.pop() ?? this.entries.length;
  }

  set(entry: Entry): void {
    const { slot } = entry;
    if (slot >= this.#flags.length) this.#grow(slot + SLOTS_PER_GROWTH + (slot >> 2));
    this.unset(slot);
    this.entries[slot] = entry;
    if (entry.ordered) this.#orders++;
    this.#flags[slot] = (entry.hasT1 ? HAS_T1 : 0) | (entry.hasT2 ? HAS_T2 : 0) |
      (entry.sex === "male" ? MALE : entry.sex === "female" ? FEMALE : 0) |
      (entry.waiting ? WAITING : 0) | (entry.processing ? PROCESSING : 0) |
      (entry.failed ? FAILED : 0) | (entry.ordered ? ORDERED : 0);
    for (const name of NUMBERS) this.#numbers[name][slot] = entry[name] ?? NONE;
    for (const label of entry.labels) {
      const slots = this.#carriers.get(label);
      if (slots) slots.add(slot);
      else this.#carriers.set(label, new Set([slot]));
    }
  }

  /** Clears a slot (a row's position in the columns) before another row is written into it. */
  unset(slot: number): void {
    if (this.entries[slot]?.ordered) this.#orders--;
    for (const label of this.entries[slot]?.labels ?? []) this.#carriers.get(label)?.delete(slot);
    this.entries[slot] = undefined;
    this.#texts = null;
  }

  /** Clears a slot and makes it available for another row. */
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

  /** Mask with 1 for each slot that matches the filter; `null` if all slots match. */
  match(filter: WorklistFilter): Uint8Array | null {
    const count = this.entries.length;
    let passing: Uint8Array | null = null;
    const passingRows = () => passing ??= new Uint8Array(count).fill(1);
    const { hasT1, hasT2, sex, labels } = filter;
    const flags = this.#flags,
      flag = (bit: number, isSet: boolean) => {
        const out = passingRows(), wanted = isSet ? bit : 0;
        for (let i = 0; i < count; i++) if ((flags[i]! & bit) !== wanted) out[i] = 0;
      };
    if (!filter.hasOrders && this.#orders > 0) flag(ORDERED, false);
    if (hasT1 !== undefined) flag(HAS_T1, hasT1);
    if (hasT2 !== undefined) flag(HAS_T2, hasT2);
    if (sex !== undefined) flag(sex === "male" ? MALE : FEMALE, true);
    const between = (name: NumberColumn, from: number | undefined, to: number | undefined) => {
      if (from === undefined && to === undefined) return;
      // an unknown value is outside every range
      const out = passingRows(),
        numbers = this.#numbers[name],
        low = Math.max(from ?? 0, 0),
        high = to ?? 0x7fffffff;
      for (let i = 0; i < count; i++) if (numbers[i]! < low || numbers[i]! > high) out[i] = 0;
    };
    const days = (name: NumberColumn, range: Range<string> | undefined) =>
      between(
        name,
        range?.from && dayOf(range.from) || undefined,
        range?.to && dayOf(range.to) || undefined,
      );
    between("age", filter.age?.from, filter.age?.to);
    days("birth", filter.birth);
    days("study", filter.study);
    days("analysisDay", filter.analysis);
    if (filter.state?.kind === "new") between("created", filter.state.since, undefined);
    else if (filter.state?.kind === "mine") {
      between("creator", filter.state.userId, filter.state.userId);
    } else if (filter.state) flag(STATE_FLAGS[filter.state.kind], true);
    if (labels && labels.length > 0) {
      const out = passingRows(), carrying = new Uint8Array(count);
      for (const label of labels) {
        for (const slot of this.#carriers.get(label) ?? []) carrying[slot] = 1;
      }
      for (let i = 0; i < count; i++) out[i]! &= carrying[i]!;
    }
    for (const word of searchWords(filter.search ?? "")) {
      const out = passingRows(), holding = this.#search(word);
      for (let i = 0; i < count; i++) out[i]! &= holding[i]!;
    }
    return passing;
  }

  /** Number of rows in a state. */
  count(state: WorklistState): number {
    const passing = this.match({ state, hasOrders: state.kind === "ordered" })!;
    let count = 0;
    // empty slots are not counted: they still contain the flags of a deleted row
    for (let i = 0; i < passing.length; i++) {
      if (passing[i] === 1 && this.entries[i] !== undefined) count++;
    }
    return count;
  }

  /** Number of orders without images among the slots of a mask. */
  countOrders(passing: Uint8Array | null): number {
    if (passing === null) return this.#orders;
    let count = 0;
    for (let i = 0; i < passing.length; i++) {
      if (passing[i] === 1 && this.entries[i]?.ordered) count++;
    }
    return count;
  }

  /** Mask with 1 for each slot with a text that contains a search word. */
  #search({ part, segments }: SearchWord): Uint8Array {
    const { all, starts } = this.#texts ??= this.#makeTexts(), count = this.entries.length;
    const out = new Uint8Array(count);
    for (let slot = 0, at = all.indexOf(part); at >= 0;) {
      while (starts[slot + 1]! <= at) slot++;
      // -1 excludes the line feed, which separates the texts of two rows
      if (
        segments === null || matchesSegments(all, starts[slot]!, starts[slot + 1]! - 1, segments)
      ) {
        out[slot] = 1;
      }
      // the row already matches, so the search goes on in the next row's text
      at = slot + 1 < count ? all.indexOf(part, starts[slot + 1]!) : -1;
    }
    return out;
  }

  #makeTexts(): { all: string; starts: Int32Array } {
    const starts = new Int32Array(this.entries.length + 1),
      texts = this.entries.map((entry) => entry?.text ?? "");
    let at = 0;
    texts.forEach((text, slot) => {
      starts[slot] = at;
      // 1 for the line feed between the texts of two rows
      at += text.length + 1;
    });
    starts[texts.length] = at;
    return { all: texts.join("\n"), starts };
  }
}
