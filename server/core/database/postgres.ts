/// <reference path="./pg.d.ts" />
import pg, { type Client, type ClientConfig, type Pool } from "pg";
import {
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresQueryResult,
  sql,
  type SqlBool,
  type TransactionBuilder,
} from "kysely";
import { AppError } from "@/model/errors.ts";
import type { Log } from "@/model/site/log.ts";
import type { Database } from "@/server/core/database/database.ts";
import { migratePostgres } from "@/server/core/database/migrations_postgres.ts";
import type { Tables } from "@/server/core/database/tables.ts";

/** Oldest tested version of PostgreSQL; earlier versions have 32-bit transaction ids. */
const MIN_SERVER_VERSION = 130_000;
const MAX_CONNECTIONS = 10;
/** Time after which PostgreSQL ends an idle transaction of a hanging process, to free its locks. */
const IDLE_IN_TRANSACTION_MS = 60_000;
const CONNECT_MS = 3_000;
/** Limit of a statement, and of the time without a response; then the database is unavailable. */
const STATEMENT_MS = 30_000, QUIET_MS = STATEMENT_MS + 2_000;

/** Type numbers of `bigint` and sums, parsed as numbers: all stored values fit into 53 bits. */
const INT8 = 20, NUMERIC = 1700;

/** Error codes of a transaction that conflicted with another transaction, and is retried. */
const CHANGED = "0A000", LOST = new Set(["40001", "40P01", CHANGED]);
/**
 * Codes of constraint violations: retried, since a concurrent transaction may have added the row.
 */
const CONSTRAINT_VIOLATIONS = new Set(["23505", "23503"]);
const MAX_CONSTRAINT_RETRIES = 3, RETRY_FOR_MS = 20_000, MAX_BACKOFF_MS = 100;
/** Error code if the tables could not be locked within `LOCK_WAIT_MS`. */
const NOT_LOCKED = "55P03";
/**
 * Thresholds above which a transaction is retried with the tables locked: number of attempts that
 * failed to serialise, or duration of such an attempt. Locking times out after `LOCK_WAIT_MS`.
 */
const MAX_LOSSES = 3, LONG_TRY_MS = 250, LOCK_WAIT_MS = 500;

const MAX_PREPARED = 300, MAX_PREPARED_LENGTH = 10_000;

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | null)?.code;

/**
 * Error classes and codes for a lost connection or a stopped server (PostgreSQL's appendix A),
 * and system errors of the connection.
 */
const UNAVAILABLE =
  /^(08...|57P0[1-5]|57014|53300|25P03|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** Messages of node-postgres for a lost connection, which have no error code. */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable|Postgres connection has been discarded|terminating connection)/;

/** Whether a statement failed because the database is unavailable. */
const isAway = (error: unknown): boolean =>
  UNAVAILABLE.test(codeOf(error) ?? "") ||
  (error instanceof Error && UNAVAILABLE_MESSAGE.test(error.message));

/**
 * @returns typed errors for an unavailable database, a full disk, or a text that cannot be stored.
 * Other errors are returned unchanged.
 */
export function databaseError(error: unknown): unknown {
  if (isAway(error)) {
    return new AppError("storage.unavailable", "Cannot reach the database", {}, { cause: error });
  }
  switch (codeOf(error)) {
    case "53100":
      return new AppError("storage.full", "Cannot write the database: the disk is full", {}, {
        cause: error,
      });
    case "22021":
    case "22P05":
      return new AppError(
        "input.invalid",
        "Cannot store the text: it holds a character without a sign",
        {},
        {
          cause: error,
        },
      );
    default:
      return error;
  }
}

const configs = new WeakMap<Database, ClientConfig>();

/** Whether a database or transaction uses PostgreSQL. */
export const isPostgres = (db: Database): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** List of numbers as one statement parameter, for {@link isAmong}. */
export type NumberList = readonly number[] | string;

export const numberList = (db: Database, numbers: readonly number[]): NumberList =>
  isPostgres(db) ? [...numbers] : JSON.stringify(numbers);

/**
 * SQL condition that a column is in a list of numbers. The SQL text is equal for all list lengths.
 */
export const isAmong = (db: Database, column: string, numbers: NumberList) =>
  isPostgres(db)
    ? sql<SqlBool>`${sql.ref(column)} = ANY (${numbers}::bigint[])`
    : sql<SqlBool>`${sql.ref(column)} IN (SELECT value FROM json_each(${numbers}))`;

/**
 * Opens a connection outside the pool, for notifications or for an advisory lock.
 * `null` when the database is not PostgreSQL.
 */
export function newClient(db: Database): Client | null {
  const config = configs.get(db);
  if (!config) return null;
  const client = new pg.Client(config);
  // without this listener, a lost connection would end the process; the next query fails anyway
  client.on("error", () => {});
  return client;
}

/**
 * Locks all tables against other writers until the end of a transaction; readers are not blocked.
 * Must be the first statement of the transaction, so that its snapshot is taken after the lock.
 */
async function lockTables(tx: Database, tables: readonly string[]): Promise<void> {
  await sql.raw(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`).execute(tx);
  await sql`LOCK TABLE ${sql.join(tables.map((table) => sql.table(table)))}
    IN SHARE ROW EXCLUSIVE MODE`.execute(tx);
  await sql`SET LOCAL lock_timeout = 0`.execute(tx);
}

/**
 * Runs every transaction as serializable, as SQLite does. A transaction that fails to serialise is
 * retried, so the callback must have no side effects outside the database. A transaction that takes
 * long or has failed several times is retried with the tables locked, because shorter transactions
 * would make it fail again.
 */
class SerializableKysely extends Kysely<Tables> {
  constructor(private readonly pool: Pool) {
    super({ dialect: new PostgresDialect({ pool: withTypedErrors(pool) }) });
  }

  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction().setIsolationLevel("serializable");
    const execute = builder.execute.bind(builder);
    builder.execute = (callback) =>
      retrySerializable(async (isLocking) => {
        if (!isLocking) return await execute(callback);
        const tables = await this.#tables();
        return await execute(async (tx) => {
          await lockTables(tx, tables);
          return await callback(tx);
        });
      });
    return builder;
  }

  /** Names of the writable tables, sorted, so that concurrent transactions do not deadlock. */
  async #tables(): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
      SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
        AND has_table_privilege(format('%I.%I', schemaname, tablename), 'UPDATE') ORDER BY 1
    `.execute(this);
    return rows.map(({ name }) => name);
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.pool.end();
  }
}

/** @param run Attempts the transaction; `isLocking`: locks the tables first. */
async function retrySerializable<T>(run: (isLocking: boolean) => Promise<T>): Promise<T> {
  const end = performance.now() + RETRY_FOR_MS;
  for (let tries = 1, meetings = 0, isLocking = false;; tries++) {
    const start = performance.now();
    try {
      return await run(isLocking);
    } catch (error) {
      const code = codeOf(error) ?? "";
      const isLost = LOST.has(code) || code === NOT_LOCKED ||
        (CONSTRAINT_VIOLATIONS.has(code) && ++meetings <= MAX_CONSTRAINT_RETRIES);
      if (!isLost || performance.now() > end) throw error;
      // a table that cannot be locked, for example during a vacuum, may be written nevertheless
      isLocking = code !== NOT_LOCKED &&
        (tries >= MAX_LOSSES || performance.now() - start > LONG_TRY_MS);
      const most = Math.min(MAX_BACKOFF_MS, 2 ** tries);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
    }
  }
}

/** Names of prepared statements, which are used for repeated SELECTs up to a limit. */
class Prepared {
  readonly #names = new Map<string, string | null>();

  /** @returns name of the prepared statement; `undefined` for the first use of a text. */
  nameOf(text: string): string | undefined {
    if (!text.startsWith("select") || text.length > MAX_PREPARED_LENGTH) return undefined;
    const preparedName = this.#names.get(text);
    if (preparedName) return preparedName;
    if (this.#names.size >= MAX_PREPARED && preparedName === undefined) return undefined;
    const name = preparedName === undefined
      ? null
      : `s${this.#names.size}_${crypto.randomUUID().slice(0, 8)}`;
    this.#names.set(text, name);
    return name ?? undefined;
  }

  /** Discards all names after a table was altered, for example by a newer version of the server. */
  forget(): void {
    this.#names.clear();
  }
}

/**
 * Replaces NUL characters, which PostgreSQL cannot store: a statement that contains NUL fails, and
 * a single value from outside, such as an AE title, could block all queued values behind it.
 */
const storable = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value;

/** Adapts the connection pool to Kysely, and converts errors. */
const withTypedErrors = (pool: Pool, prepared = new Prepared()): PostgresPool => ({
  options: pool.options,
  // not closed by Kysely, which does not release a connection without queries
  end: () => Promise.resolve(),
  connect: async () => {
    const client = await pool.connect().catch((error) => {
      throw databaseError(error);
    });
    let isInTransaction = false, isLost = false;
    const query = async <R>(
      text: string,
      given: readonly unknown[],
    ): Promise<PostgresQueryResult<R>> => {
      const values = given.map(storable);
      if (/^(begin|start transaction)/.test(text)) isInTransaction = true;
      try {
        return await client.query({ name: prepared.nameOf(text), text, values });
      } catch (error) {
        // a lost connection is not reused: the response to the failed query may still arrive
        isLost ||= isAway(error);
        if (codeOf(error) !== CHANGED) throw databaseError(error);
        prepared.forget();
        // inside a transaction not retried here, because the transaction is retried as a whole
        if (isInTransaction) throw error;
        return await client.query(text, values);
      }
    };
    return {
      query: query as Awaited<ReturnType<PostgresPool["connect"]>>["query"],
      release: (isBroken) => client.release(isBroken || isLost),
    };
  },
});

async function check(pool: Pool, log: Log): Promise<void> {
  const setting = async (name: string) =>
    (await pool.query(`SHOW ${name}`)).rows[0][name] as string;
  const version = Number(await setting("server_version_num"));
  if (version < MIN_SERVER_VERSION) {
    throw new Error(
      `Cannot use the database: PostgreSQL 13 or newer is needed, this is ${await setting(
        "server_version",
      )}`,
    );
  }
  if (await setting("server_encoding") !== "UTF8") {
    throw new Error("Cannot use the database: its encoding must be UTF8");
  }
  for (const name of ["fsync", "synchronous_commit"]) {
    if (await setting(name) === "off") {
      log("warn", `The database may lose data in a power cut: ${name} is off`);
    }
  }
}

/** Reason why a database cannot be used, without the URL, which contains a password. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error && error.message
    ? error.message
    : codeOf(error) ?? String(error);
  return /^Cannot /.test(message) ? message : `Cannot use the database: ${message}`;
}

/**
 * Opens a PostgreSQL database and applies all migrations.
 *
 * @param url `postgres://user:password@host:port/database`, with libpq options.
 * @throws {AppError} `internal` with the reason: server unreachable or too old,
 * or database migrated by a newer program.
 */
export async function openPostgres(url: string, log: Log = () => {}): Promise<Database> {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  types.setTypeParser(NUMERIC, Number);
  const config: ClientConfig = {
    connectionString: url,
    application_name: "sulcus",
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: QUIET_MS,
    types,
  };
  const pool = new pg.Pool({
    ...config,
    max: MAX_CONNECTIONS,
    statement_timeout: STATEMENT_MS,
  });
  // ignored: an idle connection was closed, as by a restart; the next query opens a new connection
  pool.on(
    "error",
    (error) => log("warn", "Lost a connection to the database", { error: error.message }),
  );
  // without this listener, an error between two statements of a transaction would end the process,
  // because the pool handles errors of idle connections only
  pool.on("connect", (client) => client.on("error", () => {}));
  try {
    await check(pool, log);
    // outside the pool, because a migration may take longer than the statement timeout
    const client = new pg.Client({ ...config, query_timeout: 0 });
    client.on("error", () => {});
    await client.connect();
    try {
      await migratePostgres(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    await pool.end();
    throw new AppError("internal", reasonOf(error), {}, { cause: error });
  }
  const db = new SerializableKysely(pool);
  configs.set(db, config);
  return db;
}
