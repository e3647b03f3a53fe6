/**
 * Acknowledged work survives kill -9 and power cuts at random times under mixed load: uploads with
 * analyses, whole and in parts, deletions and restored studies, edits, labels, strokes, reports,
 * one-time codes, studies from a scanner to the gate, and results to an archive. Files are
 * encrypted. Launcher, server, converter and gate are killed together. After each start the site is
 * compared with what it acknowledged. "commands" kills restore, the move to PostgreSQL, the
 * encryption of a site and first starts, on both databases, and completes them by another run.
 * databases, and lets the next one end.
 *
 * deno task bench crash [--rounds N] [--seconds N] [--seed N] [--only sqlite|postgres|commands|power|postgres-power] [--json FILE]
 * "power" and "postgres-power" use a separate file system that loses unsynced data, and need root.
 * PostgreSQL must be installed. Parts that this machine cannot run are skipped and named.
 */
import type { Api } from "@/client/api/http.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { allAnalysed, nameSite, openBeside } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { searchedForLeftovers, startSite } from "@/tests/e2e/site.ts";
import { begin, compare, Ledger, load, signIn } from "@/tests/endurance/crash/load.ts";
import { killCommands } from "@/tests/endurance/crash/commands.ts";
import {
  beginExchange,
  exchangeEnvironment,
  exchangePort,
  noteKill,
  settleExchange,
} from "@/tests/endurance/crash/exchange.ts";
import { COLLEAGUE, ReadingLedger, readReports } from "@/tests/endurance/crash/reading.ts";
import { diskPlace, folderPlace, type Place } from "@/tests/endurance/crash/place.ts";
import { wrongStates } from "@/tests/endurance/crash/state.ts";
import { descendantsOf, killAll, processorSeconds } from "@/bench/machine/processes.ts";
import { finish, optionOf, type Row } from "@/bench/record.ts";

const BAR_START_MS = 5000, LATEST_KILL_MS = 1000, MOST_WRITES = 12, LATEST_MS = 20_000;
/** Kills before running jobs may finish: a job whose process died 25 times fails, as intended. */
const KILLS_BETWEEN_ENDS = 20, LATEST_END_MS = 900_000;

const rounds = Number(optionOf("rounds") ?? 100), only = optionOf("only");
const longestMs = 1000 * Number(optionOf("seconds") ?? Infinity);
const seed = Number(optionOf("seed") ?? 20261121);
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for analyses and reports, and reads the reports. @returns problems. */
async function allEnded(api: Api, ledger: Ledger): Promise<string[]> {
  await allAnalysed(api, LATEST_END_MS);
  return ledger.reading === null ? [] : await readReports(api, ledger.reading);
}

async function measure(name: string, place: Place, databaseUrl: string | null): Promise<Row[]> {
  const dataDir = `${place.folder}/site`, random = new Random(seed), ledger = new Ledger();
  let killed = 0;
  const problems: string[] = [], startsMs: number[] = [], startsCpuMs: number[] = [];
  const keyFile = `${place.folder}/storage.key`, key = new Uint8Array(32).fill(0xa5);
  await Deno.mkdir(dataDir, { mode: 0o700 });
  await Deno.writeTextFile(keyFile, "a5".repeat(32), { mode: 0o600 });
  const found = (round: number, some: readonly string[]) => {
    for (const problem of some) say(`${name}, round ${round}: ${problem}`);
    problems.push(...some);
  };
  const port = exchangePort();
  const env = {
    SULCUS_STORAGE_KEY_FILE: keyFile,
    SULCUS_CALLS_PER_MINUTE: "0",
    ...exchangeEnvironment(port),
  };
  const start = async () => {
    const started = performance.now();
    const site = await startSite({ dataDir, databaseUrl, workers: 1, env, command: "start" });
    startsMs.push(performance.now() - started);
    const all = [site.process.pid, ...descendantsOf(site.process.pid)];
    startsCpuMs.push(1000 * all.reduce((sum, pid) => sum + processorSeconds(pid), 0));
    return site;
  };
  nameSite(dataDir, databaseUrl);
  try {
    ledger.exchange = await beginExchange({ dataDir, databaseUrl, key, port });
    const first = await start();
    await begin(await signIn(first.url), ledger);
    await first.stop("SIGTERM");
    const db = await openBeside(dataDir);
    await addQuickUser(db, { ...COLLEAGUE, name: "Colleague" });
    await db.destroy();
    ledger.reading = new ReadingLedger(await addReadStudy(dataDir));
    ledger.studies.set(ledger.reading.pid, { hashes: [], isDeleted: "no" });
    startsMs.length = startsCpuMs.length = 0;
    const began = performance.now();
    let round = 0;
    for (; round < rounds && performance.now() - began < longestMs; round++) {
      const site = await start(), api = await signIn(site.url);
      found(round, await compare(api, ledger));
      if (round % KILLS_BETWEEN_ENDS === KILLS_BETWEEN_ENDS - 1) {
        found(round, await allEnded(api, ledger));
      }
      let isOver = false;
      const loading = load(api, ledger, round, () => isOver);
      // waits for some writes after the start, independent of the machine's speed
      const target = ledger.writes + Math.floor(random.uniform() * MOST_WRITES),
        latest = performance.now() + LATEST_MS;
      while (ledger.writes < target && performance.now() < latest) await pause(20);
      await pause(random.uniform() * LATEST_KILL_MS);
      // calls are running; their responses count, but errors do not if the disk has no power
      isOver = place.cutPower !== null;
      await place.cutPower?.();
      killAll(site.process.pid);
      await site.stop("SIGKILL");
      isOver = true;
      killed++;
      // without power the database cannot be read
      if (place.cutPower === null) await noteKill(dataDir, ledger);
      found(round, await loading);
      await place.restorePower();
      if (round % 10 === 9) {
        say(`${name}: ${round + 1} rounds, ${ledger.writes} writes, ${problems.length} problems`);
      }
    }
    const site = await start(), api = await signIn(site.url);
    found(round, await compare(api, ledger));
    found(round, await allEnded(api, ledger));
    found(round, await settleExchange(api, dataDir, ledger.exchange));
    await allAnalysed(api, LATEST_END_MS);
    await searchedForLeftovers(site.url);
    await site.stop("SIGTERM");
    found(round, await wrongStates(dataDir, databaseUrl, ledger, key));
  } finally {
    await ledger.exchange?.archive.close();
    await place.remove();
  }
  startsMs.sort((a, b) => a - b);
  const row = (
    what: string,
    value: number,
    unit: string,
    bar: number | string | null,
    ok: boolean,
  ): Row => ({
    suite: "crash",
    name: `${name}: ${what}`,
    value: Math.round(value),
    unit,
    baseline: null,
    ratio: null,
    bar,
    ok,
  });
  startsCpuMs.sort((a, b) => a - b);
  const slowest = startsMs.at(-1)!, { kills } = ledger;
  return [
    row("rounds", killed, "rounds", null, true),
    ...Object.entries(kills).map(([what, count]) =>
      row(`kills that met ${what}`, count, "kills", null, true)
    ),
    row("writes acknowledged", ledger.writes, "writes", null, ledger.writes > killed),
    row("writes lost and wrong states", problems.length, "problems", 0, problems.length === 0),
    row("start, median", startsMs[startsMs.length >> 1]!, "ms", null, true),
    row("start, processor time, median", startsCpuMs[startsCpuMs.length >> 1]!, "ms", null, true),
    row("start, slowest", slowest, "ms", BAR_START_MS, slowest <= BAR_START_MS),
  ];
}

const kinds: Record<string, () => Promise<Row[]>> = {
  sqlite: async () => await measure("kill -9, SQLite", await folderPlace(), null),
  postgres: async () => {
    const url = await newPostgres();
    return await measure("kill -9, PostgreSQL", await folderPlace(), url);
  },
  commands: async () => await killCommands(rounds, seed, say),
  power: async () => await measure("power cut, SQLite", await diskPlace(), null),
  "postgres-power": async () => {
    const place = await diskPlace(true);
    return await measure("power cut, PostgreSQL", place, place.databaseUrl);
  },
};
const rows: Row[] = [];
for (const [kind, run] of Object.entries(kinds)) {
  if (only !== undefined && only !== kind) continue;
  try {
    rows.push(...await run());
  } catch (error) {
    if (!/^Cannot run |^PostgreSQL cannot/.test(error instanceof Error ? error.message : "")) {
      throw error;
    }
    say(`${kind} is left out: ${(error as Error).message}`);
  }
}
finish(
  "deno task bench crash",
  `at most ${rounds} rounds, files encrypted: uploads whole and in parts, bin, edits, labels, strokes, reports, codes, gate, outbox; seed ${seed}`,
  rows,
);
