// covers: S-101
import assert from "node:assert/strict";
import { begin, compare, Ledger, load, signIn } from "@/tests/endurance/crash/load.ts";
import { wrongStates } from "@/tests/endurance/crash/state.ts";
import { allAnalysed } from "@/tests/sites/core_site.ts";
import { DEPARTURES, firstAnswer, openDatabaseSite, read } from "@/tests/sites/database_site.ts";
import { isRetryable } from "@/model/errors.ts";
import { postgresTest } from "@/tests/sites/databases.ts";

const FIRST_ANSWER_MS = 30_000, AWAY_MS = 2500;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether an error code is expected during a restart, also after an edit without response. */
const isPassing = (code: string) =>
  isRetryable(code) || code === "study.being_analyzed" || code === "label.changed";

postgresTest(
  "a site outlives its database: every way to lose it, under load, ends in a retryable 503 and then in answers",
  async () => {
    await using database = await openDatabaseSite(1);
    const { site, databaseUrl } = database, api = await signIn(site.url), ledger = new Ledger();
    await begin(api, ledger);
    let isOver = false;
    const loading = load(api, ledger, 0, () => isOver, isPassing);
    const away: Awaited<ReturnType<typeof read>>[] = [];
    for (const how of DEPARTURES) {
      await pause(300);
      const leaving = database.leave(how, AWAY_MS);
      if (how === "fast" || how === "immediate") {
        await pause(AWAY_MS / 2);
        away.push(await read(site.url, api.token!));
      }
      await leaving;
      assert.ok(await firstAnswer(site.url, api.token!, FIRST_ANSWER_MS) < FIRST_ANSWER_MS, how);
    }
    await pause(500);
    isOver = true;
    assert.deepEqual(await loading, []);
    assert.deepEqual(away.map(({ status, retryAfter }) => [status, retryAfter]), [[503, "2"], [
      503,
      "2",
    ]]);
    assert.deepEqual(await compare(api, ledger), []);
    await allAnalysed(api, 300_000);
    await site.stop("SIGTERM");
    assert.equal((await site.process.status).code, 0, site.output().slice(-3000));
    assert.deepEqual(await wrongStates(site.dataDir, databaseUrl, ledger), []);
  },
);
