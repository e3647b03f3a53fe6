/**
 * Worklist benchmark: 500 generated queries (filters × order × search × page) on 100,000 studies,
 * each a complete call of the core in this process, compared with the unfiltered list on an empty
 * site. Every 25th response is checked against a scan of all rows; a wrong one fails the benchmark.
 * Then the page in Chromium with a slowed-down processor: first paint, and time from a query to its
 * painted rows. Needs a built site.
 *
 * deno task bench worklist [--patients N] [--exports N] [--only PARTS] [--data FOLDER] [--database postgres|URL]
 *   [--json FILE]
 *
 * `--database postgres` starts a new PostgreSQL server. Parts: `core`, `exports`, `page`, and
 * `press`, which measures only the clicks of `page`, in a minute; `--data` keeps the generated
 * studies.
 */
import { cpuUsage } from "node:process";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { matchesSearch } from "@/model/worklist/search_text.ts";
import type { PatientQuery, PatientRow } from "@/model/schema/studies/patients.ts";
import { createCore, openSite } from "@/server/core/mod.ts";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { attentionOf } from "@/server/core/studies/storage/worklist_state.ts";
import { finish, optionOf, type Row } from "@/bench/record.ts";
import { exportRows } from "@/bench/worklist/exports.ts";
import { browserRows, pressRows } from "@/bench/worklist/browser.ts";
import { anyQuery } from "@/bench/worklist/queries.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

/** Limits: response time of the list, ms; filling the database and starting the core, s. */
const BAR_MS = 20, FILL_BAR_S = 60, START_BAR_S = 5;
const QUERIES = 500, CHECK_EVERY = 25, SEED = 5;
const EMAIL = "bench@localhost", PASSWORD = "sulcus-bench-1";

const round = (value: number) => Math.round(value * 100) / 100;
const isAsked = (part: "core" | "exports" | "page" | "press") =>
  optionOf("only")?.split(",").includes(part) ?? part !== "press";

const latestOf = (row: PatientRow) =>
  [row.t1_analysis_date, row.t2_analysis_date].filter((date) => date !== null).sort().at(-1) ??
    null;

/** Whether a row matches a query, by checking every condition. */
function passes(row: PatientRow, q: PatientQuery): boolean {
  const within = (value: string | null, from?: string, to?: string) =>
    !from && !to ||
    value !== null && (!from || value >= from.replaceAll("/", "-")) &&
      (!to || value <= to.replaceAll("/", "-"));
  const analysed = latestOf(row), date = analysed && new Date(analysed);
  const two = (n: number) => String(n).padStart(2, "0");
  const analysisDay = date &&
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return matchesSearch(q.search_string ?? "", [row.patient_id, row.patient_name]) &&
    (!q.t1w || row.is_t1_uploaded) && (!q.t2w || row.is_t2_uploaded) &&
    (!q.sex || row.patient_sex === q.sex) &&
    (q.age_from === undefined || row.patient_age !== null && row.patient_age >= q.age_from) &&
    (q.age_to === undefined || row.patient_age !== null && row.patient_age <= q.age_to) &&
    within(row.patient_birthdate, q.birth_from, q.birth_to) &&
    within(row.study_date, q.study_from, q.study_to) &&
    within(analysisDay, q.analysis_from, q.analysis_to) &&
    (!q.label_id_list || row.label_list.some(({ id }) => q.label_id_list!.includes(id)));
}

const statusesOf = (row: PatientRow) =>
  [row.t1_analysis_status, row.t2_analysis_status].filter((status) => status !== null);

function valueOf(
  row: PatientRow,
  key: NonNullable<PatientQuery["sort_key"]>,
): string | number | null {
  if (key === "analysis_date") return latestOf(row);
  if (key === "label_list") {
    return row.label_list.map((label) => label.label_name.toLowerCase()).join("\n") || null;
  }
  // generated studies have no findings
  if (key === "finding") return null;
  if (key === "attention") return attentionOf(row.pid, statusesOf(row), row.quality_grade ?? null);
  const value = row[key] ?? null;
  return typeof value === "string" ? value.normalize("NFC").toLowerCase() || null : value;
}

function expected(rows: readonly PatientRow[], q: PatientQuery): { pids: number[]; total: number } {
  const found = rows.filter((row) => passes(row, q)),
    sign = q.sort_direction === "asc" ? 1 : -1,
    key = q.sort_key!;
  found.sort((a, b) => {
    const x = valueOf(a, key), y = valueOf(b, key);
    if (x === null || y === null) return x === y ? sign * (a.pid - b.pid) : x === null ? 1 : -1;
    return sign * (x < y ? -1 : x > y ? 1 : a.pid - b.pid);
  });
  const offset = (q.page_idx! - 1) * q.page_size!;
  return {
    pids: found.slice(offset, offset + q.page_size!).map(({ pid }) => pid),
    total: found.length,
  };
}

/** Data folder and database of a core. */
interface Place {
  dataDir: string | null;
  databaseUrl: string | null;
}

/** Database for the option `--database`; `null`: SQLite. */
async function databaseUrl(): Promise<string | null> {
  const given = optionOf("database");
  if (given !== "postgres") return given ?? null;
  const { newPostgres } = await import("@/tests/sites/databases.ts");
  return await newPostgres();
}

async function signedIn(
  place: Place,
  workers = 0,
): Promise<{ api: Api; close: () => Promise<void>; seconds: number }> {
  const started = performance.now();
  const core = await createCore({ ...place, workers, adminEmail: EMAIL, adminPassword: PASSWORD });
  const seconds = (performance.now() - started) / 1000;
  const open: Api = { send: core.fetch, origin: "http://core" };
  const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
  return { api: { ...open, token: access_token }, close: core.close, seconds };
}

/** Times of each query, ms, ascending: elapsed, and processor time (less affected by load). */
async function times(
  api: Api,
  queries: readonly PatientQuery[],
): Promise<{ clock: number[]; processor: number[] }> {
  const clock: number[] = [], processor: number[] = [];
  for (const query of queries) {
    const start = performance.now(), used = cpuUsage();
    await listPatients(api, query);
    clock.push(performance.now() - start);
    const { user, system } = cpuUsage(used);
    processor.push((user + system) / 1000);
  }
  const ascending = (a: number, b: number) => a - b;
  return { clock: clock.sort(ascending), processor: processor.sort(ascending) };
}
const quantile = (sorted: number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;

async function allRows(api: Api): Promise<PatientRow[]> {
  const rows: PatientRow[] = [];
  for (let page = 1;; page++) {
    const { patients } = await listPatients(api, {
      page_idx: page,
      page_size: 200,
      sort_direction: "asc",
    });
    rows.push(...patients);
    if (patients.length < 200) return rows;
  }
}

type MakeRow = (
  name: string,
  value: number,
  unit: string,
  bar: number | null,
  isRight?: boolean,
  baseline?: number | null,
) => Row;

/** Times of the queries in the core; some responses are checked against a scan of all rows. */
async function coreRows(place: Place, count: number, row: MakeRow): Promise<Row[]> {
  const rows: Row[] = [];
  const empty = await signedIn({ dataDir: null, databaseUrl: null });
  await times(empty.api, Array.from({ length: 100 }, () => ({})));
  const base = await times(empty.api, Array.from({ length: QUERIES }, () => ({})));
  await empty.close();

  const { api, close, seconds } = await signedIn(place);
  rows.push(row(`start of the core with ${count} studies`, seconds, "s", START_BAR_S));
  const random = new Random(SEED),
    queries = Array.from({ length: QUERIES }, () => anyQuery(random));
  const all = await allRows(api), wrong: PatientQuery[] = [];
  for (let n = 0; n < QUERIES; n += CHECK_EVERY) {
    const query = queries[n]!,
      answer = await listPatients(api, query),
      right = expected(all, query);
    if (
      answer.total !== right.total || answer.patients.map((p) => p.pid).join() !== right.pids.join()
    ) {
      wrong.push(query);
    }
  }
  if (wrong.length > 0) console.error("Wrong answers:", JSON.stringify(wrong));
  const ms = await times(api, queries), isRight = wrong.length === 0;
  const name = `${QUERIES} queries on ${count} studies`;
  const add = (what: string, part: number, bar: number | null, way: "clock" | "processor") =>
    rows.push(
      row(
        `${name}, ${what}`,
        quantile(ms[way], part),
        "ms",
        bar,
        isRight,
        quantile(base[way], part),
      ),
    );
  add("median", 0.5, null, "clock");
  add("95th percentile", 0.95, BAR_MS, "clock");
  add("longest", 1, null, "clock");
  add("processor time, median", 0.5, null, "processor");
  add("processor time, 95th percentile", 0.95, BAR_MS, "processor");
  await close();
  return rows;
}

async function measure(): Promise<Row[]> {
  const count = Number(optionOf("patients") ?? 100_000), given = optionOf("data"), rows: Row[] = [];
  const dataDir = given ?? await Deno.makeTempDir({ prefix: "sulcus-bench-" });
  const place = { dataDir, databaseUrl: await databaseUrl() };
  const named = (name: string) => place.databaseUrl === null ? name : `PostgreSQL: ${name}`;
  const row: MakeRow = (name, value, unit, bar, isRight = true, baseline = null) => ({
    suite: "worklist",
    name: named(name),
    value: round(value),
    unit,
    baseline: baseline === null ? null : round(baseline),
    ratio: baseline === null ? null : round(value / baseline),
    bar,
    ok: isRight && (bar === null || value <= bar),
  });
  try {
    const db = await openSite(place), start = performance.now();
    const added = await fillPatients(db, dataDir, count);
    if (added > 0) {
      rows.push(
        row(`${added} studies filled in`, (performance.now() - start) / 1000, "s", FILL_BAR_S),
      );
    }
    await db.destroy();

    if (isAsked("core")) rows.push(...await coreRows(place, count, row));
    const parts: Row[] = [];
    if (isAsked("exports")) {
      const exporting = await signedIn(place, 1);
      parts.push(
        ...await exportRows(exporting.api, Math.min(Number(optionOf("exports") ?? 10_000), count)),
      );
      await exporting.close();
    }
    if (isAsked("page")) parts.push(...await browserRows(place, count));
    if (isAsked("press")) parts.push(...await pressRows(place, count));
    rows.push(...parts.map((each) => ({ ...each, name: named(each.name) })));
  } finally {
    if (!given) await Deno.remove(dataDir, { recursive: true });
  }
  return rows;
}

if (import.meta.main) {
  finish("deno task bench worklist", `${QUERIES} queries, seed ${SEED}`, await measure());
}
