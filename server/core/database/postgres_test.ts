// covers: S-101
import assert from "node:assert/strict";
import { sql } from "kysely";
import {
  listConnectionLog,
  logConnection,
} from "@/server/core/connections/storage/connection_log.ts";
import { newClient, openPostgres } from "@/server/core/database/postgres.ts";
import { insertLabel, listLabels, renameLabel } from "@/server/core/studies/storage/labels.ts";
import { postgresTest } from "@/tests/sites/databases.ts";

postgresTest(
  "openPostgres() runs a transaction again that lost against another",
  async (database) => {
    const db = await database.open();
    try {
      const id = await insertLabel(db, "0", "0");
      const readers = 5, allRead = Promise.withResolvers<void>();
      let runs = 0;
      await Promise.all(
        Array.from({ length: readers }, () =>
          db.transaction().execute(async (tx) => {
            const [label] = await listLabels(tx), next = String(Number(label!.label_name) + 1);
            // no transaction writes before all have read, so that they conflict on any machine
            if (++runs === readers) allRead.resolve();
            await allRead.promise;
            await renameLabel(tx, id, next, next);
          })),
      );
      assert.equal((await listLabels(db))[0]!.label_name, "5");
      assert.ok(runs > readers, String(runs));
    } finally {
      await db.destroy();
    }
  },
);

postgresTest(
  "openPostgres() lets a long transaction pass that always loses against short ones",
  async (database) => {
    const db = await database.open();
    let isDone = false, tries = 0, longest = 0;
    try {
      const ids: number[] = [];
      for (let n = 0; n < 50; n++) ids.push(await insertLabel(db, `${n}`, `${n}`));
      /** Writes single rows, as when sent results are marked, and records the longest wait. */
      const writeOn = async (write: (id: number, name: string) => Promise<unknown>) => {
        for (let n = 0; !isDone; n++) {
          const start = performance.now();
          await write(ids[n % ids.length]!, crypto.randomUUID());
          longest = Math.max(longest, performance.now() - start);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      const writers = [
        writeOn((id, name) => renameLabel(db, id, name, name)),
        writeOn((id, name) =>
          db.transaction().execute(async (tx) => {
            await listLabels(tx);
            await renameLabel(tx, id, name, name);
          })
        ),
      ];
      const start = performance.now();
      await db.transaction().execute(async (tx) => {
        tries++;
        for (const { id, label_name: name } of await listLabels(tx)) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          await renameLabel(tx, Number(id), `${name}'`, `${name}'`);
        }
      }).finally(() => isDone = true);
      await Promise.all(writers);
      assert.ok(tries > 1, "the short transactions did not disturb the long one");
      assert.ok(performance.now() - start < 15_000, `${tries} tries`);
      // no short transaction waits longer than the long transaction takes
      assert.ok(longest < 10_000, `${longest} ms`);
    } finally {
      isDone = true;
      await db.destroy();
    }
  },
);

postgresTest(
  "openPostgres() retries a long transaction also while a table is vacuumed",
  async (database) => {
    const db = await database.open();
    // the lock of a vacuum, which lets others write and conflicts with locks against writers
    const vacuum = newClient(db)!;
    await vacuum.connect();
    try {
      const id = await insertLabel(db, "0", "0");
      await vacuum.query("BEGIN; LOCK TABLE labels IN SHARE UPDATE EXCLUSIVE MODE");
      let tries = 0;
      const start = performance.now();
      await db.transaction().execute(async (tx) => {
        await listLabels(tx);
        if (++tries === 1) {
          await renameLabel(db, id, "1", "1");
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        await renameLabel(tx, id, "2", "2");
      });
      assert.equal((await listLabels(db))[0]!.label_name, "2");
      assert.equal(tries, 2);
      assert.ok(performance.now() - start < 10_000);
    } finally {
      await vacuum.end();
      await db.destroy();
    }
  },
);

postgresTest(
  "openPostgres() goes on when a newer version changes a table beside it",
  async (database) => {
    const db = await database.open();
    const all = () => db.selectFrom("labels").selectAll().execute();
    try {
      await insertLabel(db, "a", "a");
      for (let n = 0; n < 3; n++) await all();
      await sql`ALTER TABLE labels ADD COLUMN later TEXT`.execute(db);
      assert.equal((await all()).length, 1);
      await sql`ALTER TABLE labels DROP COLUMN later`.execute(db);
      assert.equal(
        (await db.transaction().execute((tx) => tx.selectFrom("labels").selectAll().execute()))
          .length,
        1,
      );
    } finally {
      await db.destroy();
    }
  },
);

postgresTest(
  "openPostgres() takes texts with a NUL, which PostgreSQL refuses",
  async (database) => {
    const db = await database.open();
    try {
      const entry = { at: "2026-01-06T10:00:00Z", address: "192.0.2.1", event: "rejected" };
      await logConnection(db, { ...entry, peer: "A\0B", isError: true, details: { called: "\0" } });
      const [logged] = await listConnectionLog(db, 1);
      assert.deepEqual([logged!.peer, logged!.details], ["A\ufffdB", { called: "\0" }]);
      const found = await db.selectFrom("labels").select("id").where("name_key", "=", "\0")
        .execute();
      assert.deepEqual(found, []);
    } finally {
      await db.destroy();
    }
  },
);

Deno.test("openPostgres() says in one line why it cannot, without the password", async () => {
  await assert.rejects(openPostgres("postgres://u:secret@127.0.0.1:1/x"), (error: Error) => {
    assert.match(error.message, /^Cannot use the database: /);
    assert.ok(!error.message.includes("secret"));
    return true;
  });
});
