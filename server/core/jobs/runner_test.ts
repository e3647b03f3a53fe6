// covers: S-64
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import type { Database } from "@/server/core/database/database.ts";
import { claimJob, findJob } from "@/server/core/jobs/jobs.ts";
import { enqueue, type JobKind, JobRunner } from "@/server/core/jobs/runner.ts";
import { databaseTest, postgresTest, SQLITE, type TestDatabase } from "@/tests/sites/databases.ts";
import { until } from "@/tests/sites/until.ts";

const silent = () => {};

/** Runs a queue with one kind of job until the body of the test ends. */
async function withRunner(
  database: TestDatabase,
  kind: Partial<JobKind>,
  body: (runner: JobRunner, db: Database) => Promise<void>,
  workers = 2,
) {
  const db = await database.open();
  const full: JobKind = {
    run: () => Promise.resolve(),
    retrying: () => Promise.resolve(),
    failed: () => Promise.resolve(),
    ...kind,
  };
  const runner = new JobRunner(db, { test: full }, { workers, log: silent, endAgainMs: 10 });
  try {
    await body(runner, db);
  } finally {
    await runner.close();
    await db.destroy();
  }
}

async function ended(db: Database, id: number): Promise<string | undefined> {
  let status: string | undefined;
  await until(async () => {
    status = (await findJob(db, id))?.status;
    return status !== undefined && status !== "queued" && status !== "running";
  });
  return status;
}

databaseTest(
  "JobRunner that drains ends what it runs and leaves the rest in the queue",
  async (database) => {
    let isOver = false;
    const started = Promise.withResolvers<void>(), rest = Promise.withResolvers<void>();
    await withRunner(database, {
      run: async () => {
        started.resolve();
        await rest.promise;
        isOver = true;
      },
    }, async (runner, db) => {
      const first = await enqueue(db, "test", 1), second = await enqueue(db, "test", 2);
      await runner.start();
      await started.promise;
      const drained = runner.drain().then(() => isOver);
      runner.wake();
      rest.resolve();
      assert.equal(await drained, true);
      assert.equal((await findJob(db, first))?.status, "done");
      assert.equal((await findJob(db, second))?.status, "queued");
    }, 1);
  },
);

databaseTest(
  "JobRunner runs each job once, no more at a time than it has workers",
  async (database) => {
    const ran: unknown[] = [];
    let running = 0, most = 0;
    await withRunner(database, {
      run: async (payload) => {
        most = Math.max(most, ++running);
        // the first waits for the second, and both leave time for a third that must not come
        await until(() => most > 1);
        await new Promise((resolve) => setTimeout(resolve, 30));
        ran.push(payload);
        running--;
      },
    }, async (runner, db) => {
      const ids = [];
      for (let n = 0; n < 7; n++) ids.push(await enqueue(db, "test", n));
      await runner.start();
      for (const id of ids) assert.equal(await ended(db, id), "done");
      assert.deepEqual(ran.toSorted(), [0, 1, 2, 3, 4, 5, 6]);
      assert.equal(most, 2);
    });
  },
);

databaseTest(
  "JobRunner runs no two jobs of one lane together, and other kinds beside them",
  async (database) => {
    const db = await database.open(), running = new Set<unknown>();
    let areTogether = false, isBeside = false;
    const kind = (name: string, change: Partial<JobKind>): JobKind => ({
      run: async () => {
        running.add(name);
        areTogether ||= running.has("heavy") && running.has("second");
        isBeside ||= running.has("light") && running.size > 1;
        // they wait for one another, and leave time for what must not come
        await until(() => isBeside);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running.delete(name);
      },
      retrying: () => Promise.resolve(),
      failed: () => Promise.resolve(),
      ...change,
    });
    const runner = new JobRunner(db, {
      heavy: kind("heavy", { atOnce: 1 }),
      second: kind("second", { atOnce: 1, lane: "heavy" }),
      light: kind("light", {}),
    }, { workers: 3, log: silent });
    try {
      const ids = [];
      for (const name of ["heavy", "second", "light", "second", "heavy"]) {
        ids.push(
          await enqueue(db, name, {}),
        );
      }
      await runner.start();
      for (const id of ids) assert.equal(await ended(db, id), "done");
      assert.deepEqual([areTogether, isBeside], [false, true]);
    } finally {
      await runner.close();
      await db.destroy();
    }
  },
);

databaseTest(
  "JobRunner tries a crashed job once more, then fails it with the code",
  async (database) => {
    const calls: string[] = [];
    await withRunner(database, {
      run: () => {
        calls.push("run");
        return Promise.reject(new AppError("engine.crashed", "Cannot finish: trap"));
      },
      retrying: () => Promise.resolve(void calls.push("retrying")),
      failed: (_, error) => Promise.resolve(void calls.push(error.code)),
    }, async (runner, db) => {
      const id = await enqueue(db, "test", null);
      await runner.start();
      assert.equal(await ended(db, id), "failed");
      assert.deepEqual(calls, ["run", "retrying", "run", "engine.crashed"]);
    });
  },
);

databaseTest("JobRunner fails a job at once for any other error", async (database) => {
  const codes: string[] = [];
  await withRunner(database, {
    run: (payload) =>
      Promise.reject(
        payload === 1 ? new AppError("engine.unsupported_input", "no") : new Error("bug"),
      ),
    failed: (_, error) => Promise.resolve(void codes.push(error.code)),
  }, async (runner, db) => {
    const first = await enqueue(db, "test", 1), second = await enqueue(db, "test", 2);
    await runner.start();
    assert.equal(await ended(db, first), "failed");
    assert.equal(await ended(db, second), "failed");
    assert.deepEqual(codes.toSorted(), ["engine.unsupported_input", "internal"]);
  });
});

databaseTest("JobRunner takes up jobs that a dead process was running", async (database) => {
  await withRunner(database, {}, async (runner, db) => {
    const id = await enqueue(db, "test", null);
    assert.equal((await claimJob(db, "dead process", 60_000))?.id, id);
    await runner.start();
    assert.equal(await ended(db, id), "done");
    assert.equal((await findJob(db, id))?.interruptions, 1);
  });
});

databaseTest(
  "JobRunner.cancel() stops a running job, tells its kind, and it stays canceled",
  async (database) => {
    const started = Promise.withResolvers<void>(), told: string[] = [];
    await withRunner(database, {
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          started.resolve();
        }),
      failed: (payload, { code }) => Promise.resolve(void told.push(`${payload} ${code}`)),
    }, async (runner, db) => {
      const id = await enqueue(db, "test", "first"), next = await enqueue(db, "test", "next");
      await runner.start();
      await started.promise;
      assert.equal(await runner.cancel(id), true);
      assert.equal(await ended(db, id), "canceled");
      assert.equal(await runner.cancel(id), false);
      // one that waits
      assert.equal(await runner.cancel(next), true);
      assert.equal(await ended(db, next), "canceled");
      assert.equal(await runner.cancel(99), false);
      assert.deepEqual(told, ["first job.canceled", "next job.canceled"]);
    }, 1);
  },
);

databaseTest("JobRunner.cancel() leaves a job alone that ends all the same", async (database) => {
  const started = Promise.withResolvers<void>(), told: string[] = [];
  await withRunner(database, {
    run: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve());
        started.resolve();
      }),
    failed: (_, { code }) => Promise.resolve(void told.push(code)),
  }, async (runner, db) => {
    const id = await enqueue(db, "test", null);
    await runner.start();
    await started.promise;
    assert.equal(await runner.cancel(id), false);
    assert.deepEqual([await ended(db, id), told], ["done", []]);
  });
});

databaseTest("JobRunner.close() puts running jobs back into the queue", async (database) => {
  const started = Promise.withResolvers<void>();
  await withRunner(database, {
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        started.resolve();
      }),
  }, async (runner, db) => {
    const id = await enqueue(db, "test", null);
    await runner.start();
    await started.promise;
    await runner.close();
    const job = await findJob(db, id);
    assert.deepEqual([job?.status, job?.interruptions], ["queued", 0]);
  });
});

databaseTest("JobRunner ends a job whose end cannot be written at first", async (database) => {
  let tries = 0;
  const kind: Partial<JobKind> = {
    run: () => Promise.reject(new AppError("file.damaged", "Cannot read the volume")),
    failed: () =>
      ++tries < 3 ? Promise.reject(new Error("database or disk is full")) : Promise.resolve(),
  };
  await withRunner(database, kind, async (runner, db) => {
    const id = await enqueue(db, "test", {});
    await runner.start();
    assert.equal(await ended(db, id), "failed");
    assert.equal(tries, 3);
  });
});

/** A kind that runs until it is stopped. */
const endless = (started: () => void): Partial<JobKind> => ({
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      started();
    }),
});
const kindOf = (change: Partial<JobKind>): JobKind => ({
  run: () => Promise.resolve(),
  retrying: () => Promise.resolve(),
  failed: () => Promise.resolve(),
  ...change,
});

// covers: S-66
postgresTest(
  "JobRunner takes over a dead process's job when its lease is over, and not before",
  async (database) => {
    const db = await database.open();
    let ranAt = 0;
    const kind = kindOf({ run: () => Promise.resolve(void (ranAt = performance.now())) });
    const runner = new JobRunner(db, { test: kind }, {
      workers: 1,
      log: silent,
      isShared: true,
      leaseMs: 600,
    });
    try {
      const id = await enqueue(db, "test", null), taken = performance.now();
      await claimJob(db, "dead process", 600);
      await runner.start();
      assert.equal(await ended(db, id), "done");
      assert.ok(ranAt - taken >= 550, `${ranAt - taken} ms`);
    } finally {
      await runner.close();
      await db.destroy();
    }
  },
);

// covers: S-66
postgresTest(
  "JobRunner ends the run of a job that another process has taken, and writes nothing",
  async (database) => {
    const db = await database.open(),
      started = Promise.withResolvers<void>(),
      failures: string[] = [];
    const stopped = Promise.withResolvers<void>(), endlessly = endless(started.resolve);
    const kind = kindOf({
      run: (payload, run) => {
        run.signal.addEventListener("abort", () => stopped.resolve());
        return endlessly.run!(payload, run);
      },
      failed: (_, e) => Promise.resolve(void failures.push(e.code)),
    });
    const runner = new JobRunner(db, { test: kind }, {
      workers: 1,
      log: silent,
      isShared: true,
      leaseMs: 300,
    });
    try {
      const id = await enqueue(db, "test", null);
      await runner.start();
      await started.promise;
      await db.updateTable("jobs").set({ owner: "another", lease_ms: Date.now() + 60_000 })
        .execute();
      await stopped.promise;
      await runner.close();
      const job = await db.selectFrom("jobs").selectAll().where("id", "=", id)
        .executeTakeFirstOrThrow();
      assert.deepEqual([job.status, job.owner, failures], ["running", "another", []]);
    } finally {
      await runner.close();
      await db.destroy();
    }
  },
);

// covers: S-66
postgresTest(
  "JobRunner shares a queue: each job runs once, and is cancelled from another process",
  async (database) => {
    const db = await database.open(), other = await database.open(), ran: unknown[] = [];
    const started = Promise.withResolvers<void>();
    const make = (on: Database, stopElsewhere?: (id: number) => void): JobRunner =>
      new JobRunner(on, {
        test: kindOf({ run: (payload) => Promise.resolve(void ran.push(payload)) }),
        long: kindOf(endless(started.resolve)),
      }, { workers: 2, log: silent, isShared: true, stopElsewhere });
    const first = make(db), second = make(other, (id) => first.stop(id));
    try {
      const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => enqueue(db, "test", n)));
      await Promise.all([first.start(), second.start()]);
      for (const id of ids) assert.equal(await ended(db, id), "done");
      assert.deepEqual(
        ran.toSorted((a, b) => Number(a) - Number(b)),
        Array.from({ length: 20 }, (_, n) => n),
      );
      const long = await enqueue(db, "long", null);
      first.wake();
      await started.promise;
      assert.equal(await second.cancel(long), true);
      assert.equal((await findJob(db, long))?.status, "canceled");
    } finally {
      await first.close();
      await second.close();
      await db.destroy();
      await other.destroy();
    }
  },
);

Deno.test("JobRunner goes on telling how far a job is after the clock was set back", async () => {
  const now = Date.now;
  let seen = 0;
  try {
    await withRunner(SQLITE, {
      run: async (_, { progress }) => {
        progress(10);
        Date.now = () => now() - 3_600_000;
        await until(() => {
          progress(20);
          return seen === 20;
        });
      },
    }, async (runner, db) => {
      const id = await enqueue(db, "test", null);
      await runner.start();
      await until(async () => (seen = (await findJob(db, id))!.percent) === 20);
      assert.equal(await ended(db, id), "done");
    });
  } finally {
    Date.now = now;
  }
});

const PASSING = [
  "storage.full",
  "storage.read_only",
  "storage.unavailable",
  "server.busy",
] as const;
for (const code of PASSING) {
  databaseTest(`JobRunner rests after ${code}, and takes no job before storage is back`, async (
    database,
  ) => {
    const db = await database.open(), runs: unknown[] = [], retries: unknown[] = [];
    let isAway = true, asked = 0;
    const kind = kindOf({
      run: (payload) => {
        runs.push(payload);
        return isAway ? Promise.reject(new AppError(code, "Cannot write")) : Promise.resolve();
      },
      retrying: (payload) => Promise.resolve(void retries.push(payload)),
    });
    const runner = new JobRunner(db, { test: kind }, {
      workers: 2,
      log: silent,
      restMs: 1,
      canStore: () => Promise.resolve(++asked > 0 && !isAway),
    });
    try {
      const ids = [];
      for (let n = 0; n < 4; n++) ids.push(await enqueue(db, "test", n));
      await runner.start();
      await until(() => {
        runner.wake();
        return asked >= 8;
      });
      // one for each worker, not one for each look
      assert.deepEqual(runs.toSorted(), [0, 1]);
      assert.deepEqual(retries.toSorted(), [0, 1]);
      for (const id of ids) assert.equal((await findJob(db, id))?.status, "queued");
      isAway = false;
      await until(() => {
        runner.wake();
        return runs.length === 6;
      });
      for (const id of ids) assert.equal(await ended(db, id), "done");
    } finally {
      await runner.close();
      await db.destroy();
    }
  });
}

databaseTest("JobRunner lets others pass a job that storage fails alone", async (database) => {
  const db = await database.open(), runs: unknown[] = [];
  const kind = kindOf({
    run: (payload) => {
      runs.push(payload);
      return payload === 0
        ? Promise.reject(new AppError("storage.read_only", "Cannot write"))
        : Promise.resolve();
    },
  });
  const runner = new JobRunner(db, { test: kind }, { workers: 1, log: silent });
  try {
    const ids = [];
    for (let n = 0; n < 4; n++) ids.push(await enqueue(db, "test", n));
    await runner.start();
    await until(() => {
      runner.wake();
      return runs.length - runs.filter((payload) => payload === 0).length === 3;
    });
    for (const id of ids.slice(1)) assert.equal(await ended(db, id), "done");
    assert.deepEqual(runs.filter((payload) => payload !== 0), [1, 2, 3]);
    // cancelled while it waits
    assert.equal(await runner.cancel(ids[0]!), true);
  } finally {
    await runner.close();
    await db.destroy();
  }
});
