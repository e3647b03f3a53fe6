// Requests are handled while charts are computed; a test of time is `deno task bench drift`.
// covers: S-141
import assert from "node:assert/strict";
import { isComputingDrift, startDrift } from "@/server/core/norms/service/charts/drift_job.ts";
import { listDrift } from "@/server/core/norms/storage/drift.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { SQLITE } from "@/tests/sites/databases.ts";
import { addMeasured } from "@/tests/sites/norms/measured_results.ts";

const COUNT = 1000, SCANNERS = 2;
/** Studies between two answered requests: one batch of a scanner, and another if a turn is late. */
const MOST_BETWEEN = 100;

Deno.test("requests are handled between small batches of a computation of charts", async () => {
  const db = await SQLITE.open();
  await addMeasured(db, COUNT, { scanners: SCANNERS });
  const services = { db, log: () => {}, publish: () => {} } as unknown as ServiceContext;
  startDrift(services);
  let before = 0, most = 0;
  while (isComputingDrift(services)) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    const studies = (await listDrift(db)).reduce((sum, group) => sum + group.studies, 0);
    most = Math.max(most, studies - before);
    before = studies;
  }
  assert.deepEqual((await listDrift(db)).map(({ studies }) => studies), [500, 500]);
  assert.ok(most <= MOST_BETWEEN, `${most} studies between two requests`);
  await db.destroy();
});
