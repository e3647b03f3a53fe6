// covers: S-64
import assert from "node:assert/strict";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import pg from "pg";
import { createCore } from "@/server/core/mod.ts";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { nameSite, openBeside } from "@/tests/sites/core_site.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";
import { until } from "@/tests/sites/until.ts";

const FEW = 30, MANY = 3000;
/** Processor time that the same start may take more or less of, on a machine that does other work. */
const SPREAD_S = 1;

/** Counts statements of both databases while a body runs. */
async function countStatements<T>(
  body: () => Promise<T>,
): Promise<{ value: T; statements: number; cpuS: number }> {
  const probe = new DatabaseSync(":memory:"),
    sqlite = Object.getPrototypeOf(probe.prepare("SELECT 1"));
  probe.close();
  const client = pg.Client.prototype as unknown as Record<
    string,
    (...values: unknown[]) => unknown
  >;
  const kept = { all: sqlite.all, run: sqlite.run, query: client.query! };
  let statements = 0;
  const counted = (method: (...values: unknown[]) => unknown) =>
    function (this: unknown, ...values: unknown[]) {
      statements++;
      return method.apply(this, values);
    };
  Object.assign(sqlite, { all: counted(kept.all), run: counted(kept.run) });
  client.query = counted(kept.query);
  const start = process.cpuUsage();
  try {
    const value = await body(), { user, system } = process.cpuUsage(start);
    return { value, statements, cpuS: (user + system) / 1e6 };
  } finally {
    Object.assign(sqlite, { all: kept.all, run: kept.run });
    client.query = kept.query;
  }
}

/** What a start costs until the caller can open its port, with so many studies that wait for comparisons. */
async function startWith(studies: number, database: TestDatabase) {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-start-" });
  nameSite(dataDir, database.url);
  try {
    const db = await openBeside(dataDir);
    await fillPatients(db, dataDir, studies);
    // made-up visits have no two results to compare: some with a FLAIR result alone become visits of one patient
    await sql`UPDATE patients SET patient_id = 'FILL-TWICE-' || (pid / 1000),
        patient_birthdate = '1950-01-02', patient_sex = 'female', patient_name = 'ADLER^IDA'
      WHERE t1_analysis_id IS NULL AND t2_analysis_id IS NOT NULL`.execute(db);
    await db.destroy();
    const begin = () =>
      createCore({
        dataDir,
        databaseUrl: database.url,
        workers: 0,
        isServedFirst: true,
        adminPassword: "correct-horse-7",
      });
    // the first start makes the administrator
    await (await begin()).close();
    const { value: core, ...cost } = await countStatements(async () => {
      const core = await begin();
      // work that the start began and did not wait for is counted too
      await new Promise((resolve) => setTimeout(resolve, 50));
      return core;
    });
    core.catchUp();
    const beside = await openBeside(dataDir);
    const count = async () =>
      Number(
        (await beside.selectFrom("jobs").select((e) => e.fn.countAll().as("n"))
          .executeTakeFirstOrThrow()).n,
      );
    await until(async () => await count() > 0);
    const job = await beside.selectFrom("jobs").select(["kind", "priority"])
      .executeTakeFirstOrThrow();
    await beside.destroy();
    await core.close();
    return { ...cost, job };
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

databaseTest(
  "a start costs the same however many studies there are, and looks after them when its port is open",
  async (database) => {
    const few = await startWith(FEW, database), many = await startWith(MANY, database);
    // work on timers may fall into one start and not into the other; work for each study may not
    const difference = many.statements - few.statements;
    assert.ok(
      difference < MANY / 100,
      `${few.statements} statements with ${FEW} studies, ${many.statements} with ${MANY}`,
    );
    assert.ok(
      many.cpuS < few.cpuS + SPREAD_S,
      `${few.cpuS} s with ${FEW} studies, ${many.cpuS} s with ${MANY}`,
    );
    assert.deepEqual(many.job, { kind: "flair_change", priority: 2 });
  },
);
