import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { openDatabase } from "@/server/core/database/database.ts";
import { readMigrations } from "@/server/core/database/migrations.ts";
import { insertUser, listUsers } from "@/server/core/accounts/storage/users.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

const newUser = (email: string) => ({
  email,
  name: null,
  passwordHash: "x",
  state: "active" as const,
  role: "physician" as const,
  createdAt: "2026-01-01T00:00:00Z",
});

// covers: S-69
Deno.test("openDatabase() commits to disk at once, checks references, and opens again", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const db = openDatabase(`${folder}/core.sqlite`);
    const pragma = async (name: string) =>
      Object.values(
        (await sql.raw<Record<string, unknown>>(`PRAGMA ${name}`).execute(db)).rows[0]!,
      )[0];
    assert.equal(await pragma("journal_mode"), "wal");
    assert.equal(await pragma("synchronous"), 2);
    assert.equal(await pragma("foreign_keys"), 1);
    await insertUser(db, newUser("a@x.org"));
    await db.destroy();
    const again = openDatabase(`${folder}/core.sqlite`);
    assert.deepEqual((await listUsers(again)).map((user) => user.email), ["a@x.org"]);
    await again.destroy();
    assert.equal((await Deno.stat(`${folder}/core.sqlite`)).mode! & 0o077, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("openDatabase() refuses the data of a newer version", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await openDatabase(`${folder}/core.sqlite`).destroy();
    const raw = new DatabaseSync(`${folder}/core.sqlite`);
    raw.exec("INSERT INTO schema_migrations VALUES (9999, '9999_future.sql', '', '')");
    raw.close();
    assert.throws(() => openDatabase(`${folder}/core.sqlite`), /version 9999/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("connections of one process to one file wait for one another, not on the thread that both need", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const first = openDatabase(`${folder}/core.sqlite`),
      second = openDatabase(`${folder}/core.sqlite`);
    const isAsked = Promise.withResolvers<void>(),
      emails = async () => (await listUsers(second)).length;
    const writing = first.transaction().execute(async (tx) => {
      await insertUser(tx, newUser("a@x.org"));
      await isAsked.promise;
      // others have had their turn at the thread meanwhile
      await new Promise((resolve) => setTimeout(resolve));
      await insertUser(tx, newUser("b@x.org"));
    });
    const third = openDatabase(`${folder}/core.sqlite`);
    assert.equal(
      await emails(),
      0,
      "what is not committed is not seen, and reading waits for nobody",
    );
    const also = [
      insertUser(second, newUser("c@x.org")),
      third.transaction().execute((tx) => insertUser(tx, newUser("d@x.org"))),
    ];
    isAsked.resolve();
    await Promise.all([writing, ...also]);
    assert.equal(await emails(), 4);
    // a transaction that fails ends its turn
    await assert.rejects(
      third.transaction().execute(() => Promise.reject(new RangeError("no"))),
      RangeError,
    );
    await insertUser(first, newUser("e@x.org"));
    for (const db of [first, second, third]) await db.destroy();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

databaseTest("insertUser() takes an e-mail address once, whatever its case", async (database) => {
  const db = await database.open();
  assert.equal(typeof await insertUser(db, newUser("a@x.org")), "number");
  assert.equal(await insertUser(db, newUser("A@X.org")), null);
  await db.destroy();
});

Deno.test("a statement that is kept ready runs again, also after its rows were not all read", async () => {
  const db = openDatabase(":memory:");
  try {
    for (const name of ["a", "b", "c"]) await insertUser(db, newUser(`${name}@x.org`));
    const query = db.selectFrom("users").select("email").orderBy("email");
    const all = ["a@x.org", "b@x.org", "c@x.org"];
    const emails = async () => (await query.execute()).map(({ email }) => email);
    assert.deepEqual(await emails(), all);
    for await (const { email } of query.stream()) {
      assert.equal(email, all[0]);
      break;
    }
    assert.deepEqual(await emails(), all);
    // more texts than are kept: the first is made anew
    for (let n = 1; n <= 300; n++) {
      const ids = Array.from({ length: n }, (_, i) => i + 1);
      assert.equal((await query.where("id", "in", ids).execute()).length, Math.min(n, 3));
    }
    assert.deepEqual(await emails(), all);
  } finally {
    await db.destroy();
  }
});

Deno.test("a row has every column by its name, also one that another process has added since", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const db = openDatabase(`${folder}/core.sqlite`),
      other = new DatabaseSync(`${folder}/core.sqlite`);
    const all = async () =>
      (await sql.raw<Record<string, unknown>>("SELECT * FROM things").execute(db)).rows;
    other.exec(
      "CREATE TABLE things (id INTEGER, name TEXT); INSERT INTO things VALUES (1, '한글'), (2, NULL)",
    );
    assert.deepEqual(await all(), [{ id: 1, name: "한글" }, { id: 2, name: null }]);
    other.exec("ALTER TABLE things ADD COLUMN size REAL DEFAULT 2.5");
    // SQLite itself finds the new column when it runs
    await all();
    assert.deepEqual(await all(), [{ id: 1, name: "한글", size: 2.5 }, {
      id: 2,
      name: null,
      size: 2.5,
    }]);
    other.exec("DELETE FROM things");
    assert.deepEqual(await all(), []);
    other.close();
    await db.destroy();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("migrations have ascending numbers, each once", () => {
  const versions = readMigrations().map(({ version }) => version);
  assert.deepEqual(versions, [...new Set(versions)].sort((a, b) => a - b));
  assert.equal(versions[0], 1);
});
