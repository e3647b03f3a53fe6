// covers: D1-3.3
import assert from "node:assert/strict";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { runPagingHistories } from "@/tests/api/worklist/paging_histories.ts";

// 10,000 of them: deno task endurance paging
const HISTORIES = 300;

Deno.test(`in ${HISTORIES} histories on a real database a reader sees each study that was there throughout, once`, () =>
  withCore(async ({ api, dataDir }) => {
    const db = await openBeside(dataDir);
    const counts = await runPagingHistories({ api, db, histories: HISTORIES, seed: 20261128 });
    await db.destroy();
    assert.ok(Math.min(counts.arrivals, counts.deletions, counts.edits) > 100);
  }, { callsPerMinute: 1e9 }));
