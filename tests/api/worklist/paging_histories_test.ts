// covers: D1-3.3
import assert from "node:assert/strict";
import { listPatients } from "@/client/api/studies/patients.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { type List, listOn, runPagingHistories } from "@/tests/api/worklist/paging_histories.ts";

// 10,000 of them: deno task endurance paging
const HISTORIES = 500, HISTORIES_OF_THE_API = 50;

Deno.test(`in ${HISTORIES_OF_THE_API} histories a reader of the API sees each study that was there throughout, once`, () =>
  withCore(async ({ api, dataDir }) => {
    const db = await openBeside(dataDir), list: List = (query) => listPatients(api, query);
    await runPagingHistories({ list, db, histories: HISTORIES_OF_THE_API, seed: 20261128 });
    await db.destroy();
  }, { callsPerMinute: 1e9 }));

Deno.test(`in ${HISTORIES} histories on a real database a reader sees each study that was there throughout, once`, async () => {
  const db = openDatabase(":memory:");
  const counts = await runPagingHistories({
    list: listOn(db),
    db,
    histories: HISTORIES,
    seed: 20261129,
  });
  await db.destroy();
  assert.ok(Math.min(counts.arrivals, counts.deletions, counts.edits) > 100);
});
