/**
 * Cost of the worklist's search in SQL: the index in memory against SQLite's FTS5 with trigrams and
 * PostgreSQL's pg_trgm, both with covering indexes for each order (ADR 0031). Uses one flat table,
 * which triggers would have to update; equal generated studies and queries; all totals are
 * compared. Measures processor time where possible.
 *
 * deno run -A bench/worklist/search_sql.ts [--studies N] [--queries N] [--postgres]
 */
/// <reference path="../../server/core/database/pg.d.ts" />
import { cpuUsage } from "node:process";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import {
  Columns,
  type Entry,
  foldCase,
  type WorklistFilter,
} from "@/server/core/studies/storage/worklist_columns.ts";
import { compareOf, Order, SORT_VALUE } from "@/server/core/studies/storage/worklist_order.ts";
import { optionOf } from "@/bench/record.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const STUDIES = Number(optionOf("studies") ?? 100_000),
  QUERIES = Number(optionOf("queries") ?? 300);
const BATCH = 2000, PAGE = 20;
const KEYS = ["pid", "patient_name", "study_date", "analysis_date"] as const;
type Key = (typeof KEYS)[number];
const COLUMN: Record<Key, string> = {
  pid: "pid",
  patient_name: "name",
  study_date: "study",
  analysis_date: "analysed_at",
};

const random = new Random(20261123);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random.uniform() * list.length)]!;
const FAMILY = [
  "Kim",
  "Lee",
  "Park",
  "Choi",
  "Jung",
  "김",
  "이",
  "박",
  "Müller",
  "Zoë",
  "Smith",
  "García",
];
const GIVEN = [
  "Ha Neul",
  "Min Jun",
  "Seo Yeon",
  "하늘",
  "민준",
  "서연",
  "Jonas",
  "Zoë",
  "Anna",
  "John",
  "María",
];

function entryOf(pid: number): Entry {
  const id = foldCase(`FILL-${String(pid).padStart(8, "0")}`),
    name = foldCase(`${pick(FAMILY)} ${pick(GIVEN)}`);
  const isAnalysed = random.uniform() < 0.9,
    day = () => 20_180_101 + Math.floor(8 * random.uniform()) * 10_000;
  return {
    slot: -1,
    pid,
    place: pid,
    ordered: false,
    text: `${id}\n${name}`,
    id,
    name,
    sex: random.uniform() < 0.5 ? "male" : "female",
    age: Math.floor(random.between(20, 95)),
    birth: 19_300_101 + Math.floor(70 * random.uniform()) * 10_000,
    study: day() + Math.floor(12 * random.uniform()) * 100,
    analysedAt: isAnalysed ? Math.floor(random.between(1.5e12, 1.8e12)) : null,
    analysisDay: isAnalysed ? day() : null,
    labels: [],
    labelNames: null,
    hasT1: true,
    hasT2: random.uniform() < 0.5,
    waiting: false,
    processing: false,
    failed: false,
    grade: "A",
    deviation: null,
    attention: pid,
    created: day(),
    creator: 1,
  };
}

interface Query {
  filter: WorklistFilter;
  key: Key;
  direction: "asc" | "desc";
  offset: number;
}

const selectiveText = () =>
  String(Math.floor(random.uniform() * STUDIES)).padStart(8, "0").slice(-6);
const TEXTS = ["kim", "fill-00", "9", "하늘", "müller j", "zoë", "a", "nobody", "김하", "min jun"];

function anyQuery(): Query {
  const chance = (p: number) => random.uniform() < p;
  const filter: WorklistFilter = {};
  if (chance(0.7)) filter.search = chance(0.4) ? selectiveText() : pick(TEXTS);
  if (chance(0.3)) filter.sex = pick(["male", "female"]);
  if (chance(0.3)) filter.age = { from: Math.floor(random.between(20, 60)), to: 90 };
  if (chance(0.2)) filter.study = { from: `${2018 + Math.floor(6 * random.uniform())}-01-01` };
  if (chance(0.2)) filter.hasT2 = true;
  const offset = chance(0.3) ? PAGE * Math.floor(400 * random.uniform()) : 0;
  return { filter, key: pick(KEYS), direction: pick(["asc", "desc"]), offset };
}

/** Whether trigrams can find a text; shorter ones, such as Korean names, need a full scan. */
const isTrigram = (text: string) => [...text].length >= 3;

/** WHERE clause of a query, with its parameters. */
function where({ search, sex, age, study, hasT2 }: WorklistFilter, kind: "sqlite" | "postgres") {
  const values: (string | number)[] = [], parts: string[] = [];
  const put = (value: string | number) => {
    values.push(value);
    return kind === "sqlite" ? "?" : `$${values.length}`;
  };
  if (search) {
    if (kind === "postgres") parts.push(`text LIKE ${put(`%${search}%`)}`);
    else if (isTrigram(search)) {
      parts.push(`pid IN (SELECT rowid FROM words WHERE words MATCH ${put(`"${search}"`)})`);
    } else parts.push(`instr(text, ${put(search)}) > 0`);
  }
  if (sex) parts.push(`sex = ${put(sex)}`);
  if (age) parts.push(`age BETWEEN ${put(age.from!)} AND ${put(age.to!)}`);
  if (study) parts.push(`study >= ${put(Number(study.from!.replaceAll("-", "")))}`);
  if (hasT2) parts.push("has_t2 = 1");
  return { text: parts.length === 0 ? "" : `WHERE ${parts.join(" AND ")}`, values };
}

function sqlOf({ filter, key, direction, offset }: Query, kind: "sqlite" | "postgres") {
  const { text, values } = where(filter, kind), column = COLUMN[key];
  const order = key === "pid"
    ? `pid ${direction}`
    : `${column} IS NULL, ${column} ${direction}, pid ${direction}`;
  return {
    page: `SELECT pid FROM studies ${text} ORDER BY ${order} LIMIT ${PAGE} OFFSET ${offset}`,
    count: `SELECT count(*) AS n FROM studies ${text}`,
    values,
  };
}

const TABLE =
  `CREATE TABLE studies (pid BIGINT PRIMARY KEY, text TEXT, name TEXT, sex TEXT, age INT, birth INT, study INT,
  analysed_at BIGINT, has_t2 INT)`;
const COVERED = "sex, age, study, has_t2";
const rowOf = (e: Entry) =>
  [e.pid, e.text, e.name, e.sex, e.age, e.birth, e.study, e.analysedAt, e.hasT2 ? 1 : 0] as const;

/** Index definitions for both directions, as rows without a value come last in either. */
const indexes = (include: (columns: string, more: string) => string) =>
  KEYS.filter((key) => key !== "pid").flatMap((key) =>
    ["ASC", "DESC"].map((direction) =>
      `CREATE INDEX ${COLUMN[key]}_${direction} ON studies ` +
      include(`(${COLUMN[key]} IS NULL), ${COLUMN[key]} ${direction}, pid ${direction}`, COVERED)
    )
  );

type Ask = (query: Query) => { total: number } | Promise<{ total: number }>;

async function timesOf(name: string, queries: readonly Query[], ask: Ask, isWall: boolean) {
  const found: { ms: number; total: number; text: string }[] = [];
  for (const query of queries) {
    let least = Infinity, total = 0;
    for (let round = 0; round < 2; round++) {
      const cpu = cpuUsage(), wall = performance.now();
      total = (await ask(query)).total;
      const { user, system } = cpuUsage(cpu);
      least = Math.min(least, isWall ? performance.now() - wall : (user + system) / 1000);
    }
    found.push({ ms: least, total, text: query.filter.search ?? "" });
  }
  const row = (what: string, some: typeof found) => {
    const ms = some.map((one) => one.ms).sort((a, b) => a - b);
    const at = (q: number) =>
      (ms[Math.min(ms.length - 1, Math.floor(q * ms.length))] ?? NaN).toFixed(1);
    console.log(
      `${name.padEnd(12)} ${what.padEnd(26)} n=${ms.length} p50 ${at(0.5)} p95 ${at(0.95)} max ${
        at(1)
      } ms`,
    );
  };
  row("all", found);
  row("no search", found.filter(({ text }) => text === ""));
  row("search, <= 100 found", found.filter(({ text, total }) => text !== "" && total <= 100));
  row(
    "search, > 1 % found",
    found.filter(({ text, total }) => text !== "" && total > STUDIES / 100),
  );
  row("search of 1 or 2 letters", found.filter(({ text }) => text !== "" && !isTrigram(text)));
  return found.map(({ total }) => total);
}

const entries: Entry[] = Array.from({ length: STUDIES }, (_, n) => entryOf(n + 1));
const queries = Array.from({ length: QUERIES }, anyQuery);
console.log(`${STUDIES} studies, ${QUERIES} queries`);

const columns = new Columns();
let started = performance.now();
for (const entry of entries) {
  entry.slot = columns.newSlot();
  columns.set(entry);
}
const orders = new Map(
  KEYS.map((key) => [key, new Order(columns, SORT_VALUE[key], compareOf(key, "en"))]),
);
console.log(`memory: made in ${((performance.now() - started) / 1000).toFixed(1)} s`);
const expected = await timesOf("memory", queries, ({ filter, key, direction, offset }) => {
  const passing = columns.match(filter), order = orders.get(key)!;
  return passing === null
    ? order.slice(direction, offset, PAGE)
    : order.page(passing, direction, offset, PAGE);
}, false);
const check = (name: string, totals: number[]) => {
  const wrong = totals.filter((total, n) => total !== expected[n]).length;
  if (wrong > 0) console.log(`${name}: ${wrong} totals differ`);
};

const path = await Deno.makeTempFile({ suffix: ".sqlite" });
try {
  const db = new DatabaseSync(path);
  started = performance.now();
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${TABLE};
    CREATE VIRTUAL TABLE words USING fts5(text, content = '', tokenize = 'trigram', detail = full); BEGIN`);
  const insert = db.prepare("INSERT INTO studies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const word = db.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  for (const entry of entries) {
    insert.run(...rowOf(entry));
    word.run(entry.pid, entry.text);
  }
  for (const index of indexes((by, more) => `(${by}, ${more}, text)`)) db.exec(index);
  db.exec("COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)");
  const megabytes = (await Deno.stat(path)).size / 1e6;
  console.log(
    `fts5: made in ${((performance.now() - started) / 1000).toFixed(1)} s, ${
      megabytes.toFixed(0)
    } MB`,
  );
  const totals = await timesOf("fts5", queries, (query) => {
    const { page, count, values } = sqlOf(query, "sqlite");
    db.prepare(page).all(...values);
    return { total: Number(db.prepare(count).get(...values)!.n) };
  }, false);
  check("fts5", totals);
  db.close();
} finally {
  await Deno.remove(path);
}

if (Deno.args.includes("--postgres")) {
  const { newPostgres } = await import("@/tests/sites/databases.ts");
  const client = new pg.Client({ connectionString: await newPostgres() });
  await client.connect();
  started = performance.now();
  await client.query(`CREATE EXTENSION IF NOT EXISTS pg_trgm; ${TABLE}`);
  for (let at = 0; at < entries.length; at += BATCH) {
    const rows = entries.slice(at, at + BATCH).map(rowOf);
    const marks = rows.map((row, n) =>
      `(${row.map((_, k) => `$${n * row.length + k + 1}`).join()})`
    );
    await client.query(`INSERT INTO studies VALUES ${marks.join()}`, rows.flat());
  }
  for (const index of indexes((by, more) => `(${by}) INCLUDE (${more}, text)`)) {
    await client.query(index);
  }
  await client.query("CREATE INDEX words ON studies USING gin (text gin_trgm_ops)");
  await client.query("VACUUM ANALYZE studies");
  console.log(
    `pg_trgm: made in ${((performance.now() - started) / 1000).toFixed(1)} s (wall times below)`,
  );
  const totals = await timesOf("pg_trgm", queries, async (query) => {
    const { page, count, values } = sqlOf(query, "postgres");
    await client.query(page, values);
    return { total: Number((await client.query(count, values)).rows[0]!.n) };
  }, true);
  check("pg_trgm", totals);
  await client.end();
}
