/**
 * A database that becomes unavailable under mixed load, in several ways in turn: stopped fast or at
 * once, a process killed, connections ended, processes suspended. The site must neither end nor
 * lose work.
 *
 * deno task bench database [--rounds N] [--json FILE]; needs PostgreSQL's programs.
 */
import { isRetryable } from "@/model/errors.ts";
import { begin, compare, Ledger, load, signIn } from "@/tests/endurance/crash/load.ts";
import { wrongStates } from "@/tests/endurance/crash/state.ts";
import { finish, optionOf, type Row } from "@/bench/record.ts";
import { allAnalysed } from "@/tests/sites/core_site.ts";
import {
  type Departure,
  DEPARTURES,
  firstAnswer,
  openDatabaseSite,
} from "@/tests/sites/database_site.ts";

const FIRST_ANSWER_MS = 5000, GIVEN_UP_MS = 60_000, AWAY_MS = 1000, STOPPED_MS = 60_000;
const rounds = Number(optionOf("rounds") ?? 30);
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

await using database = await openDatabaseSite(1);
const { site, databaseUrl } = database, api = await signIn(site.url), ledger = new Ledger();
await begin(api, ledger);
let isOver = false, exits = 0;
site.process.status.then(() => isOver || exits++);
const isPassing = (code: string) =>
  isRetryable(code) || code === "study.being_analyzed" || code === "label.changed";
const loading = load(api, ledger, 0, () => isOver, isPassing);
const answers = new Map<Departure, number[]>(DEPARTURES.map((how) => [how, []]));
for (let round = 0; round < rounds && exits === 0; round++) {
  const how = DEPARTURES[round % DEPARTURES.length]!;
  await pause(700);
  // suspended for a minute the first time, later only briefly
  const isFirst = answers.get(how)!.length === 0;
  await database.leave(how, how === "stopped" && isFirst ? STOPPED_MS : AWAY_MS);
  const ms = await firstAnswer(site.url, api.token!, GIVEN_UP_MS);
  answers.get(how)!.push(ms);
  say(`round ${round}, ${how}: ${Math.round(ms)} ms, ${ledger.writes} writes`);
}
isOver = true;
const problems = await loading;
problems.push(...await compare(api, ledger));
await allAnalysed(api, 300_000);
await site.stop("SIGTERM");
problems.push(...await wrongStates(site.dataDir, databaseUrl, ledger));
problems.forEach(say);
const row = (
  name: string,
  value: number,
  unit: string,
  bar: number | null,
  ok = bar === null || value <= bar,
): Row => ({
  suite: "database",
  name,
  value: Math.round(value),
  unit,
  baseline: null,
  ratio: null,
  bar,
  ok,
});
finish(
  "deno task bench database",
  `${rounds} times without its database, under uploads, deletions, edits and analyses`,
  [
    row("writes acknowledged", ledger.writes, "writes", null, ledger.writes > rounds),
    row("ends of the server", exits, "ends", 0),
    row("writes lost and wrong states", problems.length, "problems", 0),
    ...[...answers].map(([how, ms]) =>
      row(
        `${how}, ${ms.length} times: slowest first answer after it is back`,
        Math.max(...ms),
        "ms",
        FIRST_ANSWER_MS,
      )
    ),
  ],
);
