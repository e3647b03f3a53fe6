import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Kysely, type SqliteDatabase, SqliteDialect } from "kysely";
import { AppError } from "@/model/errors.ts";
import type { Tables } from "@/core/storage/tables.ts";
import { migrate } from "@/core/storage/migrations.ts";

/** The database, or a transaction of it: what every function of core/storage takes first. */
export type Database = Kysely<Tables>;

/** Kysely's begin is deferred: a writer that has read before would fail at once beside another process. */
const BEGIN = "begin", BEGIN_WRITING = "begin immediate";

/** SQLite has ended the transaction by itself, as it does when the disk is full: its error is the one to be told. */
const isOver = (text: string, error: unknown) =>
  text === "rollback" && /no transaction is active/i.test(String(error));

/** Runs a statement. @throws {AppError} `storage.full` when the disk is; other errors as they are. */
function typed<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!/database or disk is full/i.test(String(error))) throw error;
    throw new AppError("storage.full", "Cannot write the database: the disk is full", {}, { cause: error });
  }
}

function adapt(db: DatabaseSync): SqliteDatabase {
  return {
    close: () => db.close(),
    prepare(text: string) {
      const statement = db.prepare(text === BEGIN ? BEGIN_WRITING : text);
      const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => typed(() => statement.all(...values(parameters))),
        run: (parameters) => {
          try {
            return typed(() => statement.run(...values(parameters)));
          } catch (error) {
            if (!isOver(text, error)) throw error;
            return { changes: 0, lastInsertRowid: 0 };
          }
        },
        iterate: (parameters) => statement.iterate(...values(parameters)),
      };
    },
  };
}

/**
 * Opens the database and brings it to the newest migration. Commits survive a power cut
 * (`synchronous = FULL`); other processes may read and write the same file.
 *
 * @param path File path, or `:memory:` in tests.
 */
export function openDatabase(path: string): Database {
  if (path !== ":memory:") Deno.openSync(path, { create: true, write: true, mode: 0o600 }).close();
  const connection = new DatabaseSync(path);
  connection.exec(
    "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
  );
  migrate(connection);
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(connection) }) });
}

/** Opens a database that somebody else keeps, to look at it only: it is not brought to the newest migration. */
export function openToRead(path: string): Database {
  const connection = new DatabaseSync(path, { readOnly: true });
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(connection) }) });
}
