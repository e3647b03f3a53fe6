/**
 * Readers page through a list on SQLite while it changes: none misses a study that was there
 * throughout, or sees it twice.
 *
 * deno task endurance paging [HISTORIES] [--seed N]; 10,000 by default.
 */
import { optionOf } from "@/bench/record.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { runPagingHistories } from "@/tests/api/worklist/paging_histories.ts";

const histories = Number(Deno.args.find((argument) => /^\d+$/.test(argument)) ?? 10_000);
const seed = Number(optionOf("seed") ?? 1);
const startedAt = performance.now();
await withCore(async ({ api, dataDir }) => {
  const db = await openBeside(dataDir);
  const counts = await runPagingHistories({ api, db, histories, seed });
  await db.destroy();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify({ ...counts, seconds }) + "\n"));
}, { callsPerMinute: 1e9 });
