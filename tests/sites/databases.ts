// Databases that a site can use, for tests that must pass with each.
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

/** An empty, migrated database for a test. */
export interface TestDatabase {
  /** PostgreSQL URL; `null`: SQLite, in memory or in the data folder */
  url: string | null;
  /** Opens the database; SQLite in memory. The test closes it. */
  open(): Promise<Database>;
}

const TEMPLATE = "sulcus_template";
const DATA = `/tmp/sulcus-postgres-${Deno.pid}`;
/** Server settings for tests, without protection against power cuts. */
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

/** Stores the rows that migrations have inserted. */
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
 * Folder with a stopped server's files and the template database, which the processes of a test run
 * copy, as creating it takes three seconds of processor time. `null` outside of a test run.
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

/** Creates the template on the running server, and copies the files for other processes. */
async function makeTemplate(kept: string | null): Promise<void> {
  await query("postgres", `CREATE DATABASE ${TEMPLATE}`);
  await (await openPostgres(urlOf(TEMPLATE))).destroy();
  await query(TEMPLATE, SEED);
  if (kept === null || existsSync(kept)) return;
  await stopServer(CLUSTER, "fast");
  const draft = `${kept}.${crypto.randomUUID()}`;
  await copyFolder(CLUSTER.data, draft);
  // ignored: another process has created the files first
  await Deno.rename(draft, kept).catch(() => Deno.remove(draft, { recursive: true }));
  await startServer(CLUSTER);
}

/** Starts this process's server, once; it ends with the process. @returns why it cannot start. */
async function startOnce(): Promise<string | null> {
  if (existsSync(`${DATA}/ready`)) return null;
  try {
    makeFolder(DATA);
    const kept = keptFiles(), isMade = kept !== null && existsSync(kept);
    if (isMade) await copyFolder(kept, CLUSTER.data);
    else await initialize(CLUSTER);
    // removes the server even if this process is killed
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

/** SQL that empties a database and ends other connections. */
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

/** SQL that lists all columns, indexes, constraints, rules, triggers and functions as a text. */
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

/** Database name of this process; its tests run one after another. */
const own = `test_${crypto.randomUUID().replaceAll("-", "")}`;
/** {@link SHAPE} of the database at its creation; `null` before that. */
let shapeWhenMade: string | null = null;

const readShape = async () =>
  (await query<{ shape: string }>(own, SHAPE)).map(({ shape }) => shape).join();

async function makeOwn(): Promise<void> {
  await query("postgres", `DROP DATABASE IF EXISTS ${own} WITH (FORCE)`);
  await query("postgres", `CREATE DATABASE ${own} TEMPLATE ${TEMPLATE}`);
  shapeWhenMade = await readShape();
}

/**
 * Runs a body with an empty PostgreSQL database. If a test has changed the schema, the database is
 * created again, because emptying the tables would leave the change to the next test.
 */
async function withPostgres(body: (database: TestDatabase) => Promise<void>): Promise<void> {
  if (shapeWhenMade === null || await readShape() !== shapeWhenMade) await makeOwn();
  else await query(own, RESET);
  await body({ url: urlOf(own), open: () => openPostgres(urlOf(own)) });
}

/**
 * Creates a PostgreSQL database that is removed when the process ends.
 * @param isMigrated Whether it has the tables of a site; otherwise it is empty.
 * @throws {Error} if no server can be started.
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

/** Registers a PostgreSQL test; without a server it is skipped, with the reason in its name. */
export function postgresTest(name: string, body: (database: TestDatabase) => Promise<void>): void {
  if (problem === null) Deno.test(name, () => withPostgres(body));
  else Deno.test.ignore(`${name} (skipped: PostgreSQL cannot be started: ${problem})`, () => {});
}

export const SQLITE: TestDatabase = {
  url: null,
  open: () => Promise.resolve(openDatabase(":memory:")),
};

/** Registers a test for every kind of database. */
export function databaseTest(name: string, body: (database: TestDatabase) => Promise<void>): void {
  Deno.test(name, () => body(SQLITE));
  postgresTest(`${name} (PostgreSQL)`, body);
}
