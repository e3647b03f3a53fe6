// The databases that a site can have, for tests that must hold on each.
/// <reference path="../../server/core/database/pg.d.ts" />
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import pg from "pg";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import { readMigrations } from "@/server/core/database/migrations.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import {
  initialize,
  makeFolder,
  startServer,
  stopServer,
  urlIn,
} from "@/tests/sites/postgres_server.ts";

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
  "max_connections=200",
  "shared_buffers=64MB",
  "max_wal_size=2GB",
];

const CLUSTER = { data: `${DATA}/data`, sockets: DATA, settings: SETTINGS };
const urlOf = (database: string) => urlIn(CLUSTER, database);

async function query<Row>(database: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
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

/**
 * Files of a stopped server that has the template, which the processes of a test run copy: making
 * them takes three seconds of processor. `null`: there is no folder of a test run.
 */
function keptFiles(): string | null {
  const folder = Deno.env.get("TEST_FOLDER");
  if (folder === undefined) return null;
  const hash = createHash("sha256").update(JSON.stringify(readMigrations()) + SEED).digest("hex");
  return `${folder}/postgres-${hash.slice(0, 16)}`;
}

async function copyFolder(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  if (!success) throw new Error(`Cannot copy ${from} to ${to}`);
}

/** Makes the template on the running server, and leaves its files to the other processes. */
async function makeTemplate(kept: string | null): Promise<void> {
  await query("postgres", `CREATE DATABASE ${TEMPLATE}`);
  await (await openPostgres(urlOf(TEMPLATE))).destroy();
  await query(TEMPLATE, SEED);
  if (kept === null || existsSync(kept)) return;
  await stopServer(CLUSTER, "fast");
  const draft = `${kept}.${crypto.randomUUID()}`;
  await copyFolder(CLUSTER.data, draft);
  // another process may have been first
  await Deno.rename(draft, kept).catch(() => Deno.remove(draft, { recursive: true }));
  await startServer(CLUSTER);
}

/** Starts a server of this process's own, once; it ends with the process. @returns why there is none. */
async function startOnce(): Promise<string | null> {
  if (existsSync(`${DATA}/ready`)) return null;
  try {
    makeFolder(DATA);
    const kept = keptFiles(), isMade = kept !== null && existsSync(kept);
    if (isMade) await copyFolder(kept, CLUSTER.data);
    else await initialize(CLUSTER);
    // however this process ends
    const watch = `while kill -0 ${Deno.pid} 2>/dev/null; do sleep 1; done
      kill -QUIT $(head -1 ${CLUSTER.data}/postmaster.pid); sleep 1; rm -rf ${DATA}`;
    new Deno.Command("sh", {
      args: ["-c", watch],
      cwd: "/",
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
    }).spawn().unref();
    await startServer(CLUSTER);
    if (!isMade) await makeTemplate(kept);
    Deno.writeTextFileSync(`${DATA}/ready`, "");
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const problem = await startOnce();

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

/** Names of all columns, indexes, constraints, rules, triggers and functions, as one text. */
const SHAPE = `
  SELECT string_agg(name, ' ' ORDER BY name) AS shape FROM (
    SELECT attrelid::regclass || '.' || attname AS name FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND NOT attisdropped
    UNION ALL SELECT conrelid::regclass || '/' || conname FROM pg_constraint
    UNION ALL SELECT ev_class::regclass || '/' || rulename FROM pg_rewrite
    UNION ALL SELECT tgrelid::regclass || '/' || tgname FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ) AS names`;

/** The database of a test file, or of several that are joined: their tests run one after another. */
const own = `test_${crypto.randomUUID().replaceAll("-", "")}`;
/** {@link SHAPE} of the database when it was made; `null` before that. */
let shapeWhenMade: string | null = null;

const readShape = async () =>
  (await query<{ shape: string }>(own, SHAPE)).map(({ shape }) => shape).join();

async function makeOwn(): Promise<void> {
  await query("postgres", `DROP DATABASE IF EXISTS ${own} WITH (FORCE)`);
  await query("postgres", `CREATE DATABASE ${own} TEMPLATE ${TEMPLATE}`);
  shapeWhenMade = await readShape();
}

/**
 * Runs a body with an empty PostgreSQL database. After a test that changed tables, or added a rule
 * to them, the database is made again: emptying its tables would leave that to the next test.
 */
async function withPostgres(body: (database: TestDatabase) => Promise<void>): Promise<void> {
  if (shapeWhenMade === null || await readShape() !== shapeWhenMade) await makeOwn();
  else await query(own, RESET);
  await body({ url: urlOf(own), open: () => openPostgres(urlOf(own)) });
}

/**
 * A new PostgreSQL database that ends with the process.
 * @param isMigrated It has the tables of a site; otherwise nothing at all.
 * @throws Error when no server can be started.
 */
export async function newPostgres(isMigrated = true): Promise<string> {
  if (problem !== null) throw new Error(`PostgreSQL cannot be started: ${problem}`);
  const name = `new_${crypto.randomUUID().replaceAll("-", "")}`;
  await query(
    "postgres",
    `CREATE DATABASE ${name} TEMPLATE ${isMigrated ? TEMPLATE : "template1"}`,
  );
  return urlOf(name);
}

/** A test that needs PostgreSQL; without a server it is skipped, and its name says why. */
export function postgresTest(name: string, body: (database: TestDatabase) => Promise<void>): void {
  if (problem === null) Deno.test(name, () => withPostgres(body));
  else Deno.test.ignore(`${name} (skipped: PostgreSQL cannot be started: ${problem})`, () => {});
}

export const SQLITE: TestDatabase = {
  url: null,
  open: () => Promise.resolve(openDatabase(":memory:")),
};

/** A test that must hold on every database: one test for each. */
export function databaseTest(name: string, body: (database: TestDatabase) => Promise<void>): void {
  Deno.test(name, () => body(SQLITE));
  postgresTest(`${name} (PostgreSQL)`, body);
}
