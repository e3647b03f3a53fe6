// Filters of the worklist: one in-memory column of all studies per criterion.
import type { Sex } from "@/model/norms/norms.ts";
import { matchesSegments, type SearchWord, searchWords } from "@/model/worklist/search_text.ts";

/** Filter criteria; absent criteria do not restrict. */
export interface WorklistFilter {
  /** search words for patient id and name, see `searchWords` */
  search?: string;
  hasT1?: boolean;
  hasT2?: boolean;
  sex?: Sex;
  /** age of the patient in whole years, inclusive */
  age?: Range<number>;
  /** range of dates, YYYY-MM-DD, inclusive */
  birth?: Range<string>;
  study?: Range<string>;
  /** date of the later analysis in the site's time zone */
  analysis?: Range<string>;
  /** label ids, of which a study must carry at least one */
  labels?: readonly number[];
  state?: WorklistState;
  /** also orders without images; absent: only studies */
  hasOrders?: boolean;
}
/** State filter: state of the analyses, received since a day (YYYYMMDD), or uploaded by a user. */
export type WorklistState =
  | { kind: "waiting" | "processing" | "failed" | "ordered" }
  | { kind: "new"; since: number }
  | { kind: "mine"; userId: number };
interface Range<T> {
  from?: T;
  to?: T;
}

/** A study with the values for searching and sorting; dates are YYYYMMDD, `null` if unknown. */
export interface Entry {
  /** index of the study in the columns */
  slot: number;
  /** study number; negative number of an order */
  pid: number;
  /** sort value of the number: an order is sorted among the studies by arrival */
  place: number;
  /** id and name, one per line, normalised for searching (`searchableText`) */
  text: string;
  id: string | null;
  name: string | null;
  sex: Sex | null;
  age: number | null;
  birth: number | null;
  study: number | null;
  /** end of the analysis, ms since the epoch */
  analysedAt: number | null;
  analysisDay: number | null;
  labels: readonly number[];
  labelNames: string | null;
  hasT1: boolean;
  hasT2: boolean;
  waiting: boolean;
  processing: boolean;
  failed: boolean;
  /** an order without images, no study */
  ordered: boolean;
  /** the worse grade of the study's results */
  grade: string | null;
  /** sort values, see `patients.deviation` and `lesion_order` */
  deviation: number | null;
  /** sort value, see `attentionOf` */
  attention: number;
  /** day of arrival in the site's time zone */
  created: number;
  /** id of the user who uploaded it */
  creator: number | null;
}

/** Collation of patient ids and labels, which ignores meaningless differences. */
export const foldCase = (text: string): string => text.normalize("NFC").toLowerCase();

/** Converts YYYY-MM-DD to the number YYYYMMDD. */
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
/** Marks an unknown value in a numeric column. */
const NONE = -1;
const SLOTS_PER_GROWTH = 4096;

/** Filter columns as separate arrays: a filter scans each sequentially in memory. */
export class Columns {
  readonly entries: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #carriers = new Map<number, Set<number>>();
  #flags = new Uint8Array(0);
  /** number of orders without images */
  #orders = 0;
  #numbers = {} as Record<NumberColumn, Int32Array<ArrayBuffer>>;
  /** search texts of all rows in one string, with the start of each row's; created on demand */
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

  /** Clears a slot before another study is written into that slot. */
  unset(slot: number): void {
    if (this.entries[slot]?.ordered) this.#orders--;
    for (const label of this.entries[slot]?.labels ?? []) this.#carriers.get(label)?.delete(slot);
    this.entries[slot] = undefined;
    this.#texts = null;
  }

  /** Clears a slot for reuse by another study. */
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

  /** Mask of matching slots; `null` when all match. */
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

  /** Number of studies in a state. */
  count(state: WorklistState): number {
    const passing = this.match({ state, hasOrders: state.kind === "ordered" })!;
    let count = 0;
    // empty slots are skipped: they still contain the flags of an earlier study
    for (let i = 0; i < passing.length; i++) {
      if (passing[i] === 1 && this.entries[i] !== undefined) count++;
    }
    return count;
  }

  /** Number of orders without images among matching slots. */
  countOrders(passing: Uint8Array | null): number {
    if (passing === null) return this.#orders;
    let count = 0;
    for (let i = 0; i < passing.length; i++) {
      if (passing[i] === 1 && this.entries[i]?.ordered) count++;
    }
    return count;
  }

  /** Mask of the slots with a text that matches a search word. */
  #search({ part, segments }: SearchWord): Uint8Array {
    const { all, starts } = this.#texts ??= this.#makeTexts(), count = this.entries.length;
    const out = new Uint8Array(count);
    for (let slot = 0, at = all.indexOf(part); at >= 0;) {
      while (starts[slot + 1]! <= at) slot++;
      // -1: the line feed between the texts of two studies belongs to neither text
      if (
        segments === null || matchesSegments(all, starts[slot]!, starts[slot + 1]! - 1, segments)
      ) {
        out[slot] = 1;
      }
      // the study already matches, so the remaining text of the study is skipped
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
      // plus the line feeds between the texts
      at += text.length + 1;
    });
    starts[texts.length] = at;
    return { all: texts.join("\n"), starts };
  }
}
