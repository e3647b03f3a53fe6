/**
 * Readers page through a list on SQLite while it changes: none misses a study that was there
 * throughout, or sees it twice.
 *
 * deno task endurance paging [HISTORIES] [--seed N]; 10,000 by default.
 */
import { optionOf } from "@/bench/record.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { type PagingCounts, runPagingHistories } from "@/tests/api/worklist/paging_histories.ts";

const histories = Number(Deno.args.find((argument) => /^\d+$/.test(argument)) ?? 10_000);
const seed = Number(optionOf("seed") ?? 1);
/** Histories of one site: its sign-in ends after a quarter of an hour. */
const HISTORIES_OF_A_SITE = 25;
const startedAt = performance.now();
const total: PagingCounts = { histories: 0, pages: 0, arrivals: 0, deletions: 0, edits: 0 };
for (let site = 0; total.histories < histories; site++) {
  const count = Math.min(HISTORIES_OF_A_SITE, histories - total.histories);
  await withCore(async ({ api, dataDir }) => {
    const db = await openBeside(dataDir);
    const counts = await runPagingHistories({
      api,
      db,
      histories: count,
      seed: seed + 1000 * site,
    });
    await db.destroy();
    for (const key of Object.keys(total) as (keyof PagingCounts)[]) total[key] += counts[key];
  }, { callsPerMinute: 1e9 });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify({ ...total, seconds }) + "\n"));
}
