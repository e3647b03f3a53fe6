// The databases that a site can have, for tests that must hold on each.
/// <reference path="../core/storage/pg.d.ts" />
import { existsSync } from "node:fs";
import pg from "pg";
import { type Database, openDatabase } from "@/core/storage/database.ts";
import { openPostgres } from "@/core/storage/postgres.ts";

/** An empty, migrated database for one test. */
export interface TestDatabase {
  /** where PostgreSQL has it; `null`: SQLite, in memory or in the data folder */
  url: string | null;
  /** Opens it; SQLite's is in memory. The test destroys it. */
  open(): Promise<Database>;
}

const TEMPLATE = "sulcus_template";
const DATA = `/tmp/sulcus-postgres-${Deno.pid}`;
/** Only for tests: what a power cut would lose does not matter. */
const SETTINGS = [
  "fsync=off",
  "full_page_writes=off",
  "listen_addresses=",
  `unix_socket_directories=${DATA}`,
  "max_connections=200",
  "shared_buffers=64MB",
  "max_wal_size=2GB",
];

const urlOf = (database: string) => `postgres://sulcus@localhost/${database}?host=${DATA}`;

function programs(): string | null {
  const installed = existsSync("/usr/lib/postgresql")
    ? [...Deno.readDirSync("/usr/lib/postgresql")].map(({ name }) => Number(name)).sort((a, b) => b - a)
      .map((version) => `/usr/lib/postgresql/${version}/bin`)
    : [];
  const folders = [...(Deno.env.get("PATH") ?? "").split(":"), ...installed];
  return folders.find((folder) => existsSync(`${folder}/initdb`) && existsSync(`${folder}/pg_ctl`)) ?? null;
}

/** The server refuses to run as root: it runs as somebody else then. */
function owner(): { uid?: number; gid?: number } {
  if (Deno.uid() !== 0) return {};
  const users = Deno.readTextFileSync("/etc/passwd").split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  return { uid: Number(user?.[2]), gid: Number(user?.[3]) };
}

async function run(program: string, args: string[], as: { uid?: number; gid?: number }): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args,
    ...as,
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr).trim().split("\n").at(-1));
}

async function query(database: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Keeps the rows that the migrations themselves wrote. */
const SEED = `
  CREATE SCHEMA seed;
  DO $$ DECLARE t record; has boolean; BEGIN
    FOR t IN SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations' LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %I)', t.name) INTO has;
      IF has THEN EXECUTE format('CREATE TABLE seed.%1$I AS TABLE %1$I', t.name); END IF;
    END LOOP;
  END $$`;

/** Starts a server of this process's own, once; it ends with the process. @returns why there is none. */
async function startServer(): Promise<string | null> {
  if (existsSync(`${DATA}/ready`)) return null;
  const bin = programs();
  if (bin === null) return "it is not installed";
  const as = owner();
  try {
    Deno.mkdirSync(DATA, { mode: 0o700 });
    if (as.uid !== undefined) Deno.chownSync(DATA, as.uid, as.gid!);
    const cluster = `${DATA}/data`, options = SETTINGS.map((setting) => `-c ${setting}`).join(" ");
    await run(`${bin}/initdb`, [
      "-D",
      cluster,
      "-U",
      "sulcus",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C.UTF-8",
      "--no-sync",
      "--no-instructions",
    ], as);
    // however this process ends
    const watch = `while kill -0 ${Deno.pid} 2>/dev/null; do sleep 1; done
      kill -QUIT $(head -1 ${cluster}/postmaster.pid); sleep 1; rm -rf ${DATA}`;
    new Deno.Command("sh", {
      args: ["-c", watch],
      cwd: "/",
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn().unref();
    await run(`${bin}/pg_ctl`, ["-D", cluster, "-w", "-l", `${DATA}/log`, "-o", options, "start"], as);
    await query("postgres", `CREATE DATABASE ${TEMPLATE}`);
    await (await openPostgres(urlOf(TEMPLATE))).destroy();
    await query(TEMPLATE, SEED);
    Deno.writeTextFileSync(`${DATA}/ready`, "");
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const problem = await startServer();

/** Empties a database, as if it had just been made; other connections to it end. */
const RESET = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  SET session_replication_role = replica;
  DO $$ DECLARE t record; BEGIN
    FOR t IN SELECT relname AS name, relkind AS kind FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') AND relname <> 'schema_migrations' LOOP
      IF t.kind = 'r' THEN
        EXECUTE 'DELETE FROM ' || t.name;
        IF to_regclass('seed.' || t.name) IS NOT NULL THEN
          EXECUTE format('INSERT INTO %1$I SELECT * FROM seed.%1$I', t.name);
        END IF;
      ELSE PERFORM setval(t.name::text::regclass, 1, false); END IF;
    END LOOP;
  END $$`;

/** The database of this test file: its tests run one after the other. */
const own = `test_${crypto.randomUUID().replaceAll("-", "")}`;
let isMade = false;

/** Runs a body with an empty PostgreSQL database. */
async function withPostgres(body: (database: TestDatabase) => Promise<void>): Promise<void> {
  if (isMade) await query(own, RESET);
  else await query("postgres", `CREATE DATABASE ${own} TEMPLATE ${TEMPLATE}`);
  isMade = true;
  await body({ url: urlOf(own), open: () => openPostgres(urlOf(own)) });
}

/** A new PostgreSQL database that ends with the process. @throws Error when no server can be started. */
export async function newPostgres(): Promise<string> {
  if (problem !== null) throw new Error(`PostgreSQL cannot be started: ${problem}`);
  const name = `new_${crypto.randomUUID().replaceAll("-", "")}`;
  await query("postgres", `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  return urlOf(name);
}

/** A test that needs PostgreSQL; without a server it is skipped, and its name says why. */
export function postgresTest(name: string, body: (database: TestDatabase) => Promise<void>): void {
  if (problem === null) Deno.test(name, () => withPostgres(body));
  else Deno.test.ignore(`${name} (skipped: PostgreSQL cannot be started: ${problem})`, () => {});
}

export const SQLITE: TestDatabase = { url: null, open: () => Promise.resolve(openDatabase(":memory:")) };

/** A test that must hold on every database: one test for each. */
export function databaseTest(name: string, body: (database: TestDatabase) => Promise<void>): void {
  Deno.test(name, () => body(SQLITE));
  postgresTest(`${name} (PostgreSQL)`, body);
}
