import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { sql } from "kysely";
import { AppError } from "@/model/errors.ts";
import { storageError } from "@/server/core/database/storage_error.ts";
import type { Database } from "@/server/core/database/database.ts";
import { migrate } from "@/server/core/database/migrations.ts";
import { compare, tablesOf } from "@/server/core/database/move_to_postgres.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";

const ROWS_PER_BATCH = 2000;

/** Rows of a table in batches, as they were at the start of the transaction. */
async function* rowsOf(tx: Database, table: string): AsyncGenerator<Record<string, unknown>[]> {
  await sql`DECLARE copied CURSOR FOR SELECT * FROM ${sql.table(table)}`.execute(tx);
  while (true) {
    const { rows } = await sql<Record<string, unknown>>`FETCH ${
      sql.lit(ROWS_PER_BATCH)
    } FROM copied`.execute(
      tx,
    );
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`CLOSE copied`.execute(tx);
}

/** Sets the id sequences, so that ids of deleted rows are not assigned again. */
async function copySequences(
  tx: Database,
  target: DatabaseSync,
  names: readonly string[],
): Promise<void> {
  const counting = target.prepare("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'")
    .all();
  for (const { name } of counting.filter((row) => names.includes(String(row.name)))) {
    const table = String(name), key = table === "patients" ? "pid" : "id";
    const { rows } = await sql<{ last: number | null }>`
      SELECT pg_sequence_last_value(pg_get_serial_sequence(${table}, ${key})::regclass) AS last`
      .execute(tx);
    target.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(table);
    if (rows[0]?.last) {
      target.prepare("INSERT INTO sqlite_sequence VALUES (?, ?)").run(table, rows[0].last);
    }
  }
}

async function copyPostgres(source: Database, path: string): Promise<void> {
  const target = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    target.exec("PRAGMA synchronous = OFF");
    migrate(target);
    const tables = tablesOf(target);
    await source.transaction().setIsolationLevel("repeatable read").setAccessMode("read only")
      .execute(
        async (tx) => {
          target.exec("BEGIN");
          // deletes the rows that migrations inserted, since the copy contains them too
          for (const { name } of tables) target.exec(`DELETE FROM "${name}"`);
          for (const { name, columns } of tables) {
            const marks = columns.map(() => "?").join(),
              list = columns.map((column) => `"${column}"`).join();
            const insert = target.prepare(`INSERT INTO "${name}" (${list}) VALUES (${marks})`);
            for await (const rows of rowsOf(tx, name)) {
              for (const row of rows) {
                insert.run(...columns.map((column) => row[column] as SQLInputValue));
              }
            }
          }
          await copySequences(tx, target, tables.map(({ name }) => name));
          target.exec("DELETE FROM worklist_changes");
          target.exec("COMMIT");
          for (const table of tables) await compare(target, tx, table);
        },
      );
  } finally {
    target.close();
  }
}

/**
 * Copies a snapshot of a database into a new SQLite file, while other processes may write.
 * A copy from PostgreSQL is compared with the original row by row.
 *
 * @throws {AppError} `storage.full`; `internal` if a row differs, and then the file is deleted.
 */
export async function copyToSqlite(source: Database, path: string): Promise<void> {
  try {
    if (isPostgres(source)) await copyPostgres(source, path);
    else await sql`VACUUM INTO ${path}`.execute(source);
    await Deno.chmod(path, 0o600);
    using file = await Deno.open(path, { read: true, write: true });
    await file.sync();
  } catch (error) {
    for (const name of [path, `${path}-journal`]) await Deno.remove(name).catch(() => {});
    const cause = /disk is full/i.test(String(error))
      ? new AppError("storage.full", "Cannot copy the database: the disk is full", {}, {
        cause: error,
      })
      : storageError(error);
    throw cause;
  }
}
