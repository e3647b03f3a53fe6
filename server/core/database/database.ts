import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { Kysely, type SqliteDatabase, SqliteDialect } from "kysely";
import { AppError } from "@/model/errors.ts";
import type { Tables } from "@/server/core/database/tables.ts";
import { migrate } from "@/server/core/database/migrations.ts";
import { SerialWriteDialect } from "@/server/core/database/serial_writes.ts";
import { ADMIN } from "@/model/site/command_line.ts";

/** The database or one of its transactions: the first argument of every storage function. */
export type Database = Kysely<Tables>;

/**
 * Transactions begin IMMEDIATE. With Kysely's deferred begin, a transaction that reads and then
 * writes would fail at once when another process writes.
 */
const BEGIN = "begin", BEGIN_WRITING = "begin immediate";

/** Whether SQLite already rolled back, as on a full disk: then the original error is reported. */
const isOver = (text: string, error: unknown) =>
  text === "rollback" && /no transaction is active/i.test(String(error));

/**
 * Extended result codes of reads that failed because the disk is damaged
 * (SQLite, "Result and Error Codes").
 */
const IOERR_READ = 266, IOERR_SHORT_READ = 522;

/** Whether SQLite could not write, because the disk is read-only or has failed. */
const isRefused = (error: unknown): boolean => {
  if (/readonly database|unable to open database file/i.test(String(error))) return true;
  const { errcode } = error as { errcode?: number };
  return /disk I\/O error/i.test(String(error)) && errcode !== IOERR_READ &&
    errcode !== IOERR_SHORT_READ;
};

/**
 * Runs a statement.
 * @throws {AppError} `storage.full`, `storage.read_only`; other errors unchanged.
 */
function typed<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (/database or disk is full/i.test(String(cause))) {
      throw new AppError("storage.full", "Cannot write the database: the disk is full", {}, {
        cause,
      });
    }
    if (!isRefused(cause)) throw cause;
    const message = "Cannot write the database: the disk takes no changes";
    throw new AppError("storage.read_only", message, {}, { cause });
  }
}

/**
 * Maximum number of cached prepared statements.
 * The limit is needed because statements with lists have a text for each length of the list.
 */
const MAX_CACHED_STATEMENTS = 200;

/** A SQLite statement that returns rows as arrays; Deno's types lack this mode. */
type ArrayStatement = Omit<StatementSync, "all"> & {
  setReturnArrays(isOn: boolean): void;
  all(...parameters: readonly SQLInputValue[]): unknown[][];
};

interface CachedStatement {
  statement: ArrayStatement;
  reader: boolean;
  /** names of the result's columns */
  names: readonly string[];
}

const namesOf = (statement: ArrayStatement): string[] =>
  statement.columns().map(({ name }) => name);

/**
 * Builds row objects from arrays, which takes a third less time than row objects by SQLite,
 * and gives objects with properties that are read faster.
 */
function readAll(
  kept: CachedStatement,
  parameters: readonly SQLInputValue[],
): Record<string, unknown>[] {
  const rows = kept.statement.all(...parameters);
  // another process may have added a column to the table since the statement was prepared
  if (rows.length > 0 && rows[0]!.length !== kept.names.length) {
    kept.names = namesOf(kept.statement);
  }
  const { names } = kept;
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) row[names[i]!] = values[i];
    return row;
  });
}

function adapt(db: DatabaseSync): SqliteDatabase {
  // cache of prepared statements, because preparing takes as long as running a short statement
  const statements = new Map<string, CachedStatement>();
  const keep = (text: string): CachedStatement => {
    let cached = statements.get(text);
    if (cached === undefined) {
      const statement = db.prepare(
        text === BEGIN ? BEGIN_WRITING : text,
      ) as unknown as ArrayStatement;
      const names = namesOf(statement);
      cached = { statement, reader: names.length > 0, names };
      statement.setReturnArrays(true);
      if (statements.size >= MAX_CACHED_STATEMENTS) {
        statements.delete(statements.keys().next().value!);
      }
    } else {
      // moved to the end: the first statement of the map is the least recently used, and is evicted
      statements.delete(text);
    }
    statements.set(text, cached);
    return cached;
  };
  return {
    close: () => {
      statements.clear();
      db.close();
    },
    prepare(text: string) {
      const cached = keep(text), { statement, reader } = cached;
      const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
      return {
        reader,
        all: (parameters) => typed(() => readAll(cached, values(parameters))),
        run: (parameters) => {
          try {
            return typed(() => statement.run(...values(parameters)));
          } catch (error) {
            if (!isOver(text, error)) throw error;
            return { changes: 0, lastInsertRowid: 0 };
          }
        },
        // not the cached statement, which may be run again during the iteration
        iterate: (parameters) => db.prepare(text).iterate(...values(parameters)),
      };
    },
  };
}

/** Whether a file is shorter than its header states (SQLite file format, section 1.3.8). */
function isCutShort(path: string): boolean {
  const head = new Uint8Array(100);
  using file = Deno.openSync(path);
  const read = file.readSync(head) ?? 0, { size } = file.statSync();
  if (read === 0) return false;
  if (read < head.length) return true;
  const view = new DataView(head.buffer),
    pageSize = view.getUint16(16) === 1 ? 65_536 : view.getUint16(16);
  // the page count in the header is valid only if the header's two change counters are equal
  const isKnown = view.getUint32(24) === view.getUint32(92);
  return isKnown && view.getUint32(28) * pageSize > size;
}

/** One-line error text for a damaged database. @returns other errors unchanged. */
function damagedDatabase(path: string, error: unknown): unknown {
  if (!/malformed|not a database|corrupt|disk I\/O error/i.test(String(error))) return error;
  const why = /not a database/i.test(String(error))
    ? "it is none"
    : "it is damaged or was cut short";
  return new AppError(
    "internal",
    `Cannot open the database ${path}: ${why}. Restore a backup: ${ADMIN} restore FOLDER`,
    {},
    { cause: error },
  );
}

/**
 * Opens a SQLite database and applies all migrations. Commits survive a power cut (`synchronous =
 * FULL`); other processes may read and write the same file.
 *
 * @param path File path, or `:memory:` in tests.
 * @throws {AppError} `internal` if the file is damaged, or was migrated by a newer program.
 */
export function openDatabase(path: string): Database {
  if (path !== ":memory:") Deno.openSync(path, { create: true, write: true, mode: 0o600 }).close();
  const connection = new DatabaseSync(path);
  try {
    if (path !== ":memory:" && isCutShort(path)) {
      throw new Error("database disk image is malformed: cut short");
    }
    connection.exec(
      "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
    );
    migrate(connection);
  } catch (error) {
    connection.close();
    throw damagedDatabase(path, error);
  }
  const database = adapt(connection);
  const dialect = path === ":memory:"
    ? new SqliteDialect({ database })
    : new SerialWriteDialect(database, path);
  return new Kysely<Tables>({ dialect });
}

/** Opens a database file that another process uses, read-only and without migration. */
export function openToRead(path: string): Database {
  const connection = new DatabaseSync(path, { readOnly: true });
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(connection) }) });
}
