import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { migrate, readMigrations } from "@/server/core/database/migrations.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";
import {
  claimJob,
  insertJob,
  insertMissingJobs,
  PRIORITY,
  type Priority,
  requeueLost,
} from "@/server/core/jobs/jobs.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

const createdAt = "2026-01-01T00:00:00.000Z", LEASE_MS = 60_000;

const addMissing = (db: Database, keys: readonly string[], priority: Priority = PRIORITY.catchUp) =>
  insertMissingJobs(db, "comparison", keys.map((key) => ({ key, payload: { key } })), {
    createdAt,
    priority,
  });

async function claimedInOrder(db: Database): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const job = await claimJob(db, "runner", LEASE_MS);
    if (!job) return names;
    names.push((job.payload as { key: string }).key);
  }
}

// covers: S-64
databaseTest(
  "claimJob() takes a person's job before automatic ones before those of a catch-up",
  async (database) => {
    const db = await database.open();
    try {
      await addMissing(db, Array.from({ length: 300 }, (_, n) => `catch-up ${n}`));
      for (const key of ["automatic 1", "automatic 2"]) {
        await insertJob(db, {
          kind: "analysis",
          payload: { key },
          createdAt,
          priority: PRIORITY.automatic,
        });
      }
      await insertJob(db, { kind: "analysis", payload: { key: "person" }, createdAt });
      const order = await claimedInOrder(db);
      assert.deepEqual(order.slice(0, 4), ["person", "automatic 1", "automatic 2", "catch-up 0"]);
      assert.equal(order.length, 303);
    } finally {
      await db.destroy();
    }
  },
);

databaseTest(
  "insertMissingJobs() queues a key once, again when its job runs, and raises its priority",
  async (database) => {
    const db = await database.open();
    try {
      assert.equal(await addMissing(db, ["a", "b", "a"]), 2);
      assert.equal(await addMissing(db, ["b", "c"]), 1);
      assert.equal(await addMissing(db, ["c"], PRIORITY.automatic), 0);
      assert.equal((await claimJob(db, "gone", LEASE_MS))?.payload?.["key" as never], "c");
      // what changes while it runs needs another run; when the first comes back the queue holds both
      assert.equal(await addMissing(db, ["c"]), 1);
      await requeueLost(db, "runner", "all");
      assert.deepEqual(await claimedInOrder(db), ["c", "a", "b", "c"]);
    } finally {
      await db.destroy();
    }
  },
);

databaseTest(
  "requeueLost() takes a lease that expired, or that was taken before the clock was set back",
  async (database) => {
    const db = await database.open();
    try {
      const lost = async () =>
        (await requeueLost(db, "runner", { leaseMs: LEASE_MS })).map(({ id }) => id);
      for (const [n, leaseMs] of [LEASE_MS, -1, 2 * 3_600_000].entries()) {
        const id = await insertJob(db, { kind: "analysis", payload: { n }, createdAt });
        assert.equal((await claimJob(db, `process ${n}`, leaseMs))?.id, id);
      }
      const [, expired, ahead] = (await db.selectFrom("jobs").select("id").orderBy("id").execute())
        .map(({ id }) => id);
      assert.deepEqual((await lost()).toSorted((a, b) => a - b), [expired, ahead]);
      assert.deepEqual(await lost(), []);
    } finally {
      await db.destroy();
    }
  },
);

databaseTest(
  "claimJob() and insertMissingJobs() find queued jobs by an index",
  async (database) => {
    const db = await database.open();
    try {
      for (let n = 0; n < 5; n++) {
        await addMissing(
          db,
          Array.from({ length: 1000 }, (_, i) => `${n} ${i}`),
        );
      }
      await sql`ANALYZE`.execute(db);
      const explain = sql.raw(isPostgres(db) ? "EXPLAIN" : "EXPLAIN QUERY PLAN");
      const planOf = async (text: string) =>
        JSON.stringify((await sql`${explain} ${sql.raw(text)}`.execute(db)).rows);
      const next =
        "SELECT id FROM jobs WHERE status = 'queued' AND kind NOT IN ('x') ORDER BY priority, id LIMIT 1";
      assert.match(await planOf(next), /jobs_queue/);
      const key =
        "SELECT id FROM jobs WHERE status = 'queued' AND kind = 'comparison' AND job_key IN ('3 7')";
      assert.match(await planOf(key), /jobs_key/);
    } finally {
      await db.destroy();
    }
  },
);

Deno.test("migration 30 names the queued comparisons, each patient once, and puts them behind what people wait for", () => {
  const db = new DatabaseSync(":memory:"), all = readMigrations();
  try {
    for (const { sql: text } of all.filter(({ version }) => version < 30)) db.exec(text);
    const insert = db.prepare(
      "INSERT INTO jobs (kind, payload, status, created_at) VALUES (?, ?, ?, '')",
    );
    insert.run("longitudinal", '{"patientId":"A"}', "queued");
    insert.run("longitudinal", '{"patientId":"A","trace":"t"}', "queued");
    insert.run("longitudinal", '{"patientId":"A"}', "done");
    insert.run("flair_change", '{"patientId":"A"}', "queued");
    insert.run("analysis", '{"analysisIds":[1]}', "queued");
    for (const { sql: text } of all.filter(({ version }) => version >= 30)) db.exec(text);
    assert.deepEqual(
      db.prepare("SELECT priority, job_key FROM jobs ORDER BY id").all().map(Object.values),
      [[2, "A"], [2, null], [0, null], [2, "A"], [0, null]],
    );
    assert.doesNotThrow(() => migrate(new DatabaseSync(":memory:")));
  } finally {
    db.close();
  }
});
