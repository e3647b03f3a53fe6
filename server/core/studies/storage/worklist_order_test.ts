// covers: D1-2.5
import assert from "node:assert/strict";
import { emptyEntry } from "@/server/core/studies/storage/empty_entry_fixture.ts";
import { Columns, type Entry } from "@/server/core/studies/storage/worklist_columns.ts";
import { compareOf, Order, SORT_VALUE } from "@/server/core/studies/storage/worklist_order.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const ROWS = 20_000, NAMES = ["김하늘", "Kim 2", "kim 10", "Ångström", "O'Neil"];

/** A study with a name, or without one. */
const entryOf = (slot: number, pid: number, random: Random): Entry => ({
  ...emptyEntry(pid, slot),
  name: random.uniform() < 0.9 ? `${NAMES[Math.floor(5 * random.uniform())]} ${pid % 700}` : null,
});

Deno.test("an order that is made in slices lets requests be answered, and has what changed meanwhile", async () => {
  const columns = new Columns(), random = new Random(20261128);
  let pid = 0, turns = 0, isOver = false;
  for (let n = 0; n < ROWS; n++) {
    columns.set(entryOf(columns.newSlot(), ++pid, random));
  }
  const requests = (async () => {
    for (; !isOver; turns++) {
      const slot = Math.floor(random.uniform() * ROWS), entry = columns.entries[slot];
      // a study is changed, deleted, or comes; a slot that is free is used again
      if (entry && turns % 3 === 0) columns.set(entryOf(slot, entry.pid, random));
      else if (entry && turns % 3 === 1) columns.free(slot);
      else columns.set(entryOf(columns.newSlot(), ++pid, random));
      await new Promise((resolve) => setTimeout(resolve));
    }
  })();
  const value = SORT_VALUE.patient_name, compare = compareOf("patient_name", "ko");
  const order = (await Order.inSlices(columns, value, compare))();
  const expected = new Order(columns, value, compare);
  isOver = true;
  await requests;
  assert.deepEqual(order.slice("asc", 0, ROWS * 2), expected.slice("asc", 0, ROWS * 2));
  // five slices are sorted, and merged three times
  assert.ok(turns >= 15, `${turns} turns`);
});
