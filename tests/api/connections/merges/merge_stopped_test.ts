// covers: S-145, S-147
// A merge that ends before any of its statements changes nothing, and can be repeated.
import assert from "node:assert/strict";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import { adt, order } from "@/tests/sites/connections/hl7_messages.ts";
import { addArchive, addStudy, person } from "@/tests/sites/connections/merged_studies.ts";
import {
  readAll,
  readAtOnce,
  type Rows,
  stoppedBefore,
  tablesOf,
} from "@/tests/sites/connections/stopped_statements.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";

const CONFIG = new URL("../../../../deno.json", import.meta.url).pathname;
const PROCESS =
  new URL("../../../sites/connections/killed_merge_process.ts", import.meta.url).pathname;
const PIDS = [1, 2, 3, 4];
const idOf = (n: number) => n % 2 === 1 ? "OLD" : "NEW";

/** Studies and orders of two patients. @returns the id of the message that merges them. */
async function twoPatients(db: Database): Promise<number> {
  await addArchive(db);
  await db.transaction().execute(async (tx) => {
    for (const n of PIDS) await addStudy(tx, n, idOf(n));
  });
  for (const n of [...PIDS, 5]) {
    const numbers = { control: `O${n}`, accession: `A${n}`, number: `N${n}`, procedure: `P${n}` };
    const id = await storeMessage(db, order({ ...person, ...numbers, id: idOf(n) }));
    await db.transaction().execute((tx) => applyMessage(tx, id!));
  }
  const merge = { ...person, event: "A40", id: "NEW", prior: "OLD", control: "M1" };
  const text = adt({ ...merge, name: "Doe^Jane^Maria", at: "20260401120000" });
  return (await storeMessage(db, text))!;
}

/** All rows without current times, and without ids: an aborted transaction uses up ids. */
const contentOf = (all: Rows) =>
  all.map(([table, rows]) => [
    table,
    rows.map(({ id: _, ...row }) =>
      JSON.stringify(row).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
        .replaceAll(/\b1[78]\d{11}\b/g, "ms")
    ).toSorted(),
  ]);

/** State after a merge that was not aborted. */
async function undisturbed(): Promise<ReturnType<typeof contentOf>> {
  const db = openDatabase(":memory:");
  try {
    const message = await twoPatients(db);
    await db.transaction().execute((tx) => applyMessage(tx, message));
    return contentOf(await readAll(db, await tablesOf(db)));
  } finally {
    await db.destroy();
  }
}

class Ended extends Error {}

/** Aborts the transaction of a merge before each statement. @returns number of statements. */
async function endBeforeEach(
  db: Database,
  message: number,
  assertUnchanged: (note: string) => Promise<void>,
): Promise<number> {
  for (let statement = 1, hasMore = true;; statement++) {
    const end = () => {
      throw new Ended();
    };
    const run = db.withPlugin(stoppedBefore(statement, end)).transaction().execute(async (tx) => {
      await applyMessage(tx, message);
      // before the commit
      hasMore = false;
      end();
    });
    await assert.rejects(run, Ended);
    await assertUnchanged(`before statement ${statement}`);
    if (!hasMore) return statement - 1;
  }
}

/** Kills a process before a statement of the merge. */
async function killBefore(database: string, message: number, statement: number): Promise<void> {
  const { signal } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", `--config=${CONFIG}`, PROCESS],
      ...[database, String(message), String(statement)],
    ],
    stderr: "inherit",
  }).output();
  assert.equal(signal, "SIGKILL");
}

async function withFile(
  { url, open }: TestDatabase,
  body: (db: Database, database: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-stopped-" });
  const path = `${folder}/sulcus.sqlite`, db = url === null ? openDatabase(path) : await open();
  try {
    await body(db, url ?? path);
  } finally {
    await db.destroy();
    await Deno.remove(folder, { recursive: true });
  }
}

databaseTest(
  "a merge that ends before any statement changes nothing, and repeated is as if it had not ended",
  (database) =>
    withFile(database, async (db, address) => {
      const message = await twoPatients(db), tables = await tablesOf(db);
      const read = database.url === null ? readAll : readAtOnce, before = await read(db, tables);
      const assertUnchanged = async (note: string) =>
        assert.deepEqual(await read(db, tables), before, note);
      const statements = await endBeforeEach(db, message, assertUnchanged);
      assert.ok(statements > 40, String(statements));
      for (const statement of [statements >> 1, statements + 1]) {
        await killBefore(address, message, statement);
        await assertUnchanged(`killed before statement ${statement}`);
      }
      const outcome = await db.transaction().execute((tx) => applyMessage(tx, message));
      assert.equal(outcome?.state, "applied");
      const rows = await db.selectFrom("patients").select(["patient_id", "patient_name"]).execute();
      assert.ok(
        rows.length === PIDS.length && rows.every(({ patient_id }) => patient_id === "NEW"),
      );
      const orders = await db.selectFrom("hospital_orders").select("patient_id").execute();
      assert.deepEqual(orders.map(({ patient_id }) => patient_id), Array(5).fill("NEW"));
      if (database.url === null) {
        assert.deepEqual(contentOf(await readAll(db, tables)), await undisturbed());
      }
    }),
);
