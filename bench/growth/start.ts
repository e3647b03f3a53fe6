/**
 * Start of a site with 100,000 generated, analysed studies, some of which still need comparisons,
 * in SQLite and PostgreSQL. Processor time until requests are answered: first start, second start,
 * and after a kill in the middle of the catch-up, which queues these comparisons. Also the time of
 * lists meanwhile, and the number of catch-up jobs that run before a new upload is analysed.
 *
 * deno task bench start [STUDIES] [--data FOLDER] [--only sqlite|postgres] [--json FILE]; 100,000 by default.
 */
import { sql } from "kysely";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import type { StartFigures } from "@/bench/growth/start_probe.ts";
import { openSite } from "@/server/core/mod.ts";
import type { Database } from "@/server/core/database/database.ts";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const EMAIL = "bench@localhost", PASSWORD = "sulcus-bench-1";
const START_BAR_S = 5, AGAIN_BAR_S = 6, LIST_BAR_MS = 50;
const studies = Number(Deno.args.find((one) => /^\d+$/.test(one)) ?? 100_000),
  make = rowMaker("scale", 1);
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

/** Gives pairs of adjacent studies one patient and two dates, so that they can be compared. */
async function addVisits(db: Database): Promise<void> {
  await sql`UPDATE patients SET patient_id = 'FILL-TWICE-' || (pid / 10)
    WHERE pid % 10 IN (0, 1) AND t1_analysis_id IS NOT NULL`.execute(db);
}

async function fill(dataDir: string, databaseUrl: string | null): Promise<void> {
  const db = await openSite({ dataDir, databaseUrl });
  try {
    const user = await db.selectFrom("users").select("id").executeTakeFirst();
    if (!user) {
      await addQuickUser(db, { email: EMAIL, password: PASSWORD, name: null, isMaintenance: true });
    }
    if (await fillPatients(db, dataDir, studies) > 0) await addVisits(db);
  } finally {
    await db.destroy();
  }
}

async function probe(
  dataDir: string,
  url: string | null,
  work: "work" | "idle",
): Promise<StartFigures> {
  const script = new URL("./start_probe.ts", import.meta.url).href;
  const args = [
    "run",
    "-A",
    "--no-check",
    "--unstable-no-legacy-abort",
    script,
    dataDir,
    url ?? "sqlite",
    work,
  ];
  const { stdout, success } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" })
    .output();
  if (!success) throw new Error("The site did not start");
  const text = new TextDecoder().decode(stdout).trim().split("\n").at(-1)!;
  say(text);
  return JSON.parse(text);
}

async function measure(name: string, dataDir: string, url: string | null): Promise<Row[]> {
  await fill(dataDir, url);
  say(`${name}: ${studies} studies`);
  const first = await probe(dataDir, url, "idle"), second = await probe(dataDir, url, "work");
  const third = await probe(dataDir, url, "idle");
  const bar = (value: number, most: number) => ({ bar: most, ok: value <= most });
  return [
    make(
      `${name}: processor until requests are answered`,
      first.readyCpuS,
      "s",
      bar(first.readyCpuS, START_BAR_S),
    ),
    make(`${name}: of that, loading the program`, first.loadedCpuS, "s"),
    make(
      `${name}: the second start, killed in its catch-up`,
      second.readyCpuS,
      "s",
      bar(second.readyCpuS, AGAIN_BAR_S),
    ),
    make(
      `${name}: the start after the kill`,
      third.readyCpuS,
      "s",
      bar(third.readyCpuS, AGAIN_BAR_S),
    ),
    make(`${name}: the first list after a start`, first.firstListMs, "ms"),
    make(
      `${name}: lists during the catch-up, p95`,
      first.listP95Ms,
      "ms",
      bar(first.listP95Ms, LIST_BAR_MS),
    ),
    make(`${name}: lists beside its jobs, p95`, second.listP95Ms, "ms"),
    make(
      `${name}: jobs of the catch-up between an upload and its analysis`,
      second.jobsBefore ?? NaN,
      "jobs",
      {
        bar: 1,
        ok: second.jobsBefore !== null && second.jobsBefore <= 1,
      },
    ),
  ];
}

const rows: Row[] = [], only = optionOf("only");
const folder = optionOf("data") ?? await Deno.makeTempDir({ prefix: "sulcus-start-" });
try {
  for (const name of ["sqlite", "postgres"]) {
    Deno.mkdirSync(`${folder}/${name}`, { recursive: true });
  }
  if (only !== "postgres") rows.push(...await measure("SQLite", `${folder}/sqlite`, null));
  if (only !== "sqlite") {
    rows.push(...await measure("PostgreSQL", `${folder}/postgres`, await newPostgres()));
  }
} finally {
  if (!optionOf("data")) await Deno.remove(folder, { recursive: true });
}
finish("deno task bench start", `${studies} studies with results`, rows);
