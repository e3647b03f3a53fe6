/**
 * Users page through a list on SQLite while it changes: none misses a study that was there all the
 * time, or sees it twice.
 *
 * deno task endurance paging [HISTORIES] [--seed N]; 10,000 by default. Most histories call the
 * function behind the API on a database in memory; some call the API of a site.
 */
import { optionOf } from "@/bench/record.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import {
  listOn,
  type PagingCounts,
  runPagingHistories,
} from "@/tests/api/worklist/paging_histories.ts";

const histories = Number(Deno.args.find((argument) => /^\d+$/.test(argument)) ?? 10_000);
const seed = Number(optionOf("seed") ?? 1);
/** Number of histories per database, and number of databases in memory per site with an API. */
const HISTORIES_AT_ONCE = 25, DATABASES_PER_SITE = 40;
const startedAt = performance.now();
const total: PagingCounts = { histories: 0, pages: 0, arrivals: 0, deletions: 0, edits: 0 };

/** Runs histories through the API. */
async function onSite(run: { histories: number; seed: number }): Promise<PagingCounts> {
  const counts = Promise.withResolvers<PagingCounts>();
  await withCore(async ({ api, dataDir }) => {
    const db = await openBeside(dataDir);
    const list = (query: Parameters<typeof listPatients>[1]) => listPatients(api, query);
    counts.resolve(await runPagingHistories({ list, db, ...run }));
    await db.destroy();
  }, { callsPerMinute: 1e9 });
  return await counts.promise;
}

/** Runs histories on a database in memory. */
async function inMemory(run: { histories: number; seed: number }): Promise<PagingCounts> {
  const db = openDatabase(":memory:");
  try {
    return await runPagingHistories({ list: listOn(db), db, ...run });
  } finally {
    await db.destroy();
  }
}

for (let part = 0; total.histories < histories; part++) {
  const run = {
    histories: Math.min(HISTORIES_AT_ONCE, histories - total.histories),
    seed: seed + 1000 * part,
  };
  const counts = await (part % DATABASES_PER_SITE === 0 ? onSite(run) : inMemory(run));
  for (const key of Object.keys(total) as (keyof PagingCounts)[]) total[key] += counts[key];
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify({ ...total, seconds }) + "\n"));
}
