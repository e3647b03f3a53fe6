// Users who page through a list while studies are added, deleted and edited.
import assert from "node:assert/strict";
import type { PatientListResponse, PatientQuery } from "@/model/schema/studies/patients.ts";
import type { SortKey } from "@/model/schema/studies/study.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { listPatients } from "@/server/core/studies/service/patients.ts";
import {
  deletePatient,
  insertPatient,
  updatePatient,
} from "@/server/core/studies/storage/patients.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

/** Function that returns a page of the list, through the API or directly. */
export type List = (query: PatientQuery) => Promise<PatientListResponse>;

/** Directly calls the function behind the API, on a database without a site. */
export const listOn = (db: Database): List => (query) =>
  listPatients({ db } as unknown as ServiceContext, query, { uid: 1 } as unknown as Caller);

const NAMES = ["Kim", "Lee", "Müller", "김하늘", "Ärger", ""];
const SORT_KEYS = [
  "pid",
  "patient_name",
  "study_date",
  "patient_id",
  "patient_sex",
  "patient_birthdate",
  "patient_age",
  // columns that are empty in all rows
  "label_list",
  "finding",
] as const satisfies readonly SortKey[];
const SEXES = ["male", "female", null] as const;
const BIRTH_DATES = ["1950-01-01", "1960-05-20", null] as const;
/** Worklist filters of simulated users, each with a predicate on patient name and sex. */
const FILTERS: readonly [PatientQuery, (name: string, sex: string | null) => boolean][] = [
  [{}, () => true],
  [{ search_string: "kim" }, (name) => name === "Kim"],
  [{ search_string: "ar?er" }, (name) => name === "Ärger"],
  [{ sex: "female" }, (_, sex) => sex === "female"],
];
const MAX_STUDIES = 12, MAX_PAGE_SIZE = 4, MAX_CHANGES = 3;
/** Number of pages during which the list changes, and after which paging must have ended. */
const CHANGING_PAGES = 30, MAX_PAGES = 100;
const below = (random: Random, n: number) => Math.floor(random.uniform() * n);
const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)]!;

/** Totals over all histories, so that a run without changes to the list is detected. */
export interface PagingCounts {
  histories: number;
  pages: number;
  arrivals: number;
  deletions: number;
  edits: number;
}

/** The studies of one history, and which of them changed during it. */
class Site {
  /** studies that are stored */
  readonly present = new Set<number>();
  /** studies with another value of the sort column than at the beginning */
  readonly edited = new Set<number>();
  /** name and sex of each study, as it arrived */
  readonly arrived = new Map<number, [name: string, sex: string | null]>();
  static number = 0;

  constructor(
    private readonly db: Database,
    private readonly random: Random,
    private readonly counts: PagingCounts,
  ) {}

  async add(): Promise<void> {
    const n = ++Site.number, patientName = pick(this.random, NAMES);
    const studyDate = `2026-01-0${1 + below(this.random, 4)}`, sex = pick(this.random, SEXES);
    const birthDate = pick(this.random, BIRTH_DATES), age = birthDate && 60 + below(this.random, 9);
    const study = { ...newStudy(n), patientName, studyDate, sex, birthDate, age: age || null };
    const pid = await insertPatient(this.db, study);
    this.present.add(pid);
    this.arrived.set(pid, [patientName, sex]);
  }

  async remove(pid: number): Promise<void> {
    await deletePatient(this.db, pid, { userId: 1, at: "2026-01-01T00:00:00Z" });
    this.present.delete(pid);
  }

  async edit(pid: number): Promise<void> {
    const { patientId, birthDate, sex, age } = newStudy(++Site.number);
    const change = {
      ...{ patientId, birthDate, sex, age },
      patientName: pick(this.random, NAMES),
      studyDate: `2026-01-0${1 + below(this.random, 4)}`,
    };
    await updatePatient(this.db, pid, change as Parameters<typeof updatePatient>[2], {} as never);
    this.edited.add(pid);
  }

  async change(): Promise<void> {
    const pid = pick(this.random, [...this.present]), turn = this.random.uniform();
    if (turn < 0.4 || pid === undefined) {
      await this.add();
      this.counts.arrivals++;
    } else if (turn < 0.75) {
      await this.remove(pid);
      this.counts.deletions++;
    } else {
      await this.edit(pid);
      this.counts.edits++;
    }
  }
}

/**
 * Pages through a list with Next, or with Previous from its end, while it changes.
 *
 * @returns the rows that were shown, in their order.
 */
async function readAll(
  { list, site, random, counts, filter }: {
    list: List;
    site: Site;
    random: Random;
    counts: PagingCounts;
    filter: PatientQuery;
  },
): Promise<number[]> {
  const sort_key: SortKey = pick(random, SORT_KEYS), isBackwards = random.uniform() < 0.3;
  const query = {
    ...filter,
    sort_key,
    sort_direction: random.uniform() < 0.5 ? "asc" : "desc",
    page_size: 1 + below(random, MAX_PAGE_SIZE),
  } as const;
  const shown: number[] = [];
  let page: PatientListResponse = await list({
    ...query,
    ...(isBackwards ? { page_idx: 1000, beyond: "last" as const } : {}),
  });
  for (let turn = 0; turn < MAX_PAGES; turn++) {
    counts.pages++;
    const pids = page.patients.map(({ pid }) => pid);
    // Previous ends with a full first page, so rows of the page shown before may be repeated
    const isFilled = isBackwards && page.offset === 0;
    shown.push(...isFilled ? pids.filter((pid) => !shown.includes(pid)) : pids);
    const isEnd = isBackwards
      ? page.offset === 0
      : page.offset! + page.patients.length >= page.total;
    if (isEnd || page.patients.length === 0) return shown;
    const changes = turn < CHANGING_PAGES ? below(random, MAX_CHANGES + 1) : 0;
    for (let n = 0; n < changes; n++) await site.change();
    page = await list({
      ...query,
      ...(isBackwards ? { before: page.first! } : { after: page.last! }),
    });
  }
  throw new Error(`a list of ${site.present.size} studies has no end`);
}

/**
 * Runs random histories one after the other on a site without studies.
 *
 * @param db  The site's database, beside the core.
 * @throws if a study that was stored throughout and not edited was not shown, or shown twice.
 */
export async function runPagingHistories(
  { list, db, histories, seed }: { list: List; db: Database; histories: number; seed: number },
): Promise<PagingCounts> {
  const random = new Random(seed);
  const counts = { histories, pages: 0, arrivals: 0, deletions: 0, edits: 0 };
  for (let n = 0; n < histories; n++) {
    const site = new Site(db, random, counts);
    for (let count = below(random, MAX_STUDIES + 1); count > 0; count--) await site.add();
    const [filter, isIn] = pick(random, FILTERS);
    const atFirst = [...site.present].filter((pid) => isIn(...site.arrived.get(pid)!));
    const shown = await readAll({ list, site, random, counts, filter });
    for (const pid of atFirst) {
      if (!site.present.has(pid) || site.edited.has(pid)) continue;
      const times = shown.filter((row) => row === pid).length;
      assert.equal(times, 1, `seed ${seed}, history ${n}: study ${pid} in ${shown.join(" ")}`);
    }
    const arrivedTwice = shown.filter((pid, at) =>
      shown.indexOf(pid) !== at && !site.edited.has(pid)
    );
    assert.deepEqual(arrivedTwice, [], `seed ${seed}, history ${n}: ${shown.join(" ")}`);
    for (const pid of [...site.present]) await site.remove(pid);
  }
  return counts;
}
