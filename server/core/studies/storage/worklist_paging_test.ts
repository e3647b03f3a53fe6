// covers: D1-3.3
import assert from "node:assert/strict";
import type { SortDirection, SortKey } from "@/model/schema/studies/study.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import {
  deletePatient,
  findPage,
  insertPatient,
  readPage,
} from "@/server/core/studies/storage/patients.ts";
import { emptyEntry } from "@/server/core/studies/storage/empty_entry_fixture.ts";
import { Columns, type Entry } from "@/server/core/studies/storage/worklist_columns.ts";
import {
  compareOf,
  type Cursor,
  Order,
  SORT_VALUE,
} from "@/server/core/studies/storage/worklist_order.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const HISTORIES = 10_000, NAMES = ["Kim", "Lee", "Müller", "김", null];
/** Patient IDs, of which some are equal numbers. */
const IDS = ["p-2", "p-10", "p-02", "p-100", "q-1", null];
const below = (random: Random, n: number) => Math.floor(random.uniform() * n);

const entryOf = (pid: number, slot: number, name: string | null, id: string | null): Entry => ({
  ...emptyEntry(pid, slot),
  name,
  id,
  text: name ?? "",
  sex: pid % 3 === 0 ? "male" : "female",
});

/** A list in memory to which studies are added and from which they are deleted. */
class Site {
  readonly columns = new Columns();
  readonly order: Order;
  readonly entries = new Map<number, Entry>();
  #pid = 0;

  constructor(private readonly random: Random, key: SortKey) {
    this.order = new Order(this.columns, SORT_VALUE[key], compareOf(key, "en"));
  }

  add(): void {
    const entry = entryOf(
      ++this.#pid,
      this.columns.newSlot(),
      NAMES[below(this.random, NAMES.length)]!,
      IDS[below(this.random, IDS.length)]!,
    );
    this.columns.set(entry);
    this.order.add(entry);
    this.entries.set(entry.pid, entry);
  }

  delete(): void {
    const entry = [...this.entries.values()][below(this.random, this.entries.size)];
    if (!entry) return;
    this.order.remove(entry);
    this.columns.free(entry.slot);
    this.entries.delete(entry.pid);
  }

  /** A page, and the places of its first and last row. */
  page(
    direction: SortDirection,
    isFiltered: boolean,
    limit: number,
    turn: { after?: Cursor; before?: Cursor },
  ) {
    const passing = isFiltered ? this.columns.match({ sex: "female" }) : null,
      { after, before } = turn;
    const offset = after
      ? this.order.countUntil(passing, direction, after, true)
      : before
      ? Math.max(0, this.order.countUntil(passing, direction, before, false) - limit)
      : 0;
    const { slots, total } = passing
      ? this.order.page(passing, direction, offset, limit)
      : this.order.slice(direction, offset, limit);
    const rows = slots.map((slot) => this.columns.entries[slot]!);
    return { rows, total, offset };
  }
}

/** Reads a list to its end, or back to its beginning, while it changes. @returns numbers of what was seen. */
function readAll(
  site: Site,
  random: Random,
  isFiltered: boolean,
  isBackwards: boolean,
): Set<number> {
  const direction = random.uniform() < 0.5 ? "asc" : "desc",
    limit = 1 + below(random, 4),
    seen = new Set<number>();
  let page = site.page(direction, isFiltered, limit, {});
  if (isBackwards) {
    // from a place behind all
    const end = direction === "asc" ? { value: null, pid: 1e9 } : { value: null, pid: -1 };
    page = site.page(direction, isFiltered, limit, { before: end });
  }
  for (let turns = 0; turns < 200; turns++) {
    for (const { pid } of page.rows) seen.add(pid);
    const isEnd = isBackwards ? page.offset === 0 : page.offset + page.rows.length >= page.total;
    if (isEnd || page.rows.length === 0) break;
    for (let n = below(random, 4); n > 0; n--) random.uniform() < 0.5 ? site.add() : site.delete();
    const edge = site.order.cursorOf(isBackwards ? page.rows[0]! : page.rows.at(-1)!);
    page = site.page(
      direction,
      isFiltered,
      limit,
      isBackwards ? { before: edge } : { after: edge },
    );
  }
  return seen;
}

Deno.test(`in ${HISTORIES} histories, a reader who pages through sees every study that was there throughout`, () => {
  const random = new Random(20261127);
  for (let n = 0; n < HISTORIES; n++) {
    const site = new Site(random, (["pid", "patient_name", "patient_id"] as const)[n % 3]!);
    for (let count = below(random, 14); count > 0; count--) site.add();
    const isFiltered = random.uniform() < 0.3, before = new Map(site.entries);
    const seen = readAll(site, random, isFiltered, random.uniform() < 0.3);
    for (const [pid, entry] of before) {
      if (!site.entries.has(pid) || (isFiltered && entry.sex !== "female")) continue;
      assert.ok(seen.has(pid), `history ${n}: study ${pid} was there and not shown`);
    }
  }
});

databaseTest(
  "a page goes on behind the row that was shown last, also when that row is gone",
  async (database) => {
    const db = await database.open();
    const pids: number[] = [];
    for (let n = 0; n < 12; n++) {
      pids.push(
        await insertPatient(db, {
          ...{
            studyUid: `1.${n}`,
            patientId: `P${n}`,
            patientName: "Kim",
            birthDate: null,
            sex: null,
            age: null,
          },
          ...{ studyDate: null, createdAt: "2026-01-01T00:00:00Z", createdBy: null },
        }),
      );
    }
    const list = async (turn: Partial<Parameters<typeof findPage>[1]>) => {
      const page = {
        filter: {},
        sortKey: "patient_name",
        sortDirection: "asc",
        offset: 0,
        limit: 5,
      } as const;
      const { pids, ...found } = await findPage(db, { ...page, ...turn });
      return { patients: (await readPage(db, pids)).map(({ row }) => row), ...found };
    };
    const gone = (pid: number) => deletePatient(db, pid, { userId: 1, at: "2026-01-01T00:00:00Z" });
    const first = await list({});
    await gone(pids[0]!);
    await gone(pids[4]!);
    const second = await list({ after: first.last! });
    assert.deepEqual(second.patients.map(({ pid }) => pid), pids.slice(5, 10));
    assert.deepEqual([second.offset, second.total], [3, 10]);
    const back = await list({ before: second.first! });
    assert.deepEqual(back.patients.map(({ pid }) => pid), [
      ...pids.slice(1, 4),
      ...pids.slice(5, 7),
    ]);
    // without it, a study would have been skipped
    assert.deepEqual((await list({ offset: 5 })).patients[0]!.pid, pids[7]);
    await db.destroy();
  },
);

databaseTest(
  "a list by patient ID counts as people do, and pages go on from row to row",
  async (database) => {
    const db = await database.open(), ids = ["P-10", "P-9", "p-2", "P-100", "P-02", "P-1"];
    for (const [n, patientId] of ids.entries()) {
      await insertPatient(db, { ...newStudy(n + 1), patientId });
    }
    const list = async (turn: Partial<Parameters<typeof findPage>[1]>) => {
      const page = { filter: {}, sortKey: "patient_id", sortDirection: "asc", limit: 2 } as const;
      const { pids, ...found } = await findPage(db, { ...page, offset: 0, ...turn });
      const rows = (await readPage(db, pids)).map(({ row }) => row.patient_id);
      return { rows, ...found };
    };
    for (const sortDirection of ["asc", "desc"] as const) {
      const seen: string[] = [];
      for (let page = await list({ sortDirection }); page.rows.length > 0;) {
        seen.push(...page.rows);
        page = await list({ sortDirection, after: page.last! });
      }
      const counted = ["P-1", "p-2", "P-02", "P-9", "P-10", "P-100"];
      assert.deepEqual(seen, sortDirection === "asc" ? counted : counted.toReversed());
    }
    await db.destroy();
  },
);
