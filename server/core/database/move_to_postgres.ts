import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { sql } from "kysely";
import { AppError } from "@/model/errors.ts";
import type { Database } from "@/server/core/database/database.ts";
import { alignSequences } from "@/server/core/database/sequences.ts";
import type { Tables } from "@/server/core/database/tables.ts";

/** Maximum number of values in one statement; PostgreSQL's limit is 65,535. */
const VALUES_PER_STATEMENT = 20_000;
const ROWS_PER_COMPARISON = 1000;
/** Tables that are not copied: the list of migrations, and SQLite's internal index tables. */
const EXCLUDED_TABLES = ["schema_migrations", "worklist_changes"];

/** Table to copy, with columns and primary key. */
interface Table {
  name: keyof Tables;
  columns: string[];
  /** columns of the primary key */
  key: string[];
}

/** Name and row count of a copied table. */
interface MovedTable {
  name: string;
  rows: number;
}

/** Tables with a site's data, which are copied to PostgreSQL. */
export function tablesOf(source: DatabaseSync): Table[] {
  const names = source.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map((row) => String(row.name)).filter((name) =>
      !name.startsWith("sqlite_") && !EXCLUDED_TABLES.includes(name)
    );
  return names.map((name) => {
    const columns = source.prepare("SELECT name, pk FROM pragma_table_info(?)").all(name);
    const key = columns.filter((c) => Number(c.pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
    return {
      name: name as keyof Tables,
      columns: columns.map((c) => String(c.name)),
      key: key.map((c) => String(c.name)),
    };
  });
}

/** Reads the rows of a table in the order of the primary key, in batches. */
function* rowsOf(source: DatabaseSync, { name, columns, key }: Table, atOnce: number) {
  const list = (names: readonly string[]) => names.map((column) => `"${column}"`).join(", ");
  const statement = source.prepare(`SELECT ${list(columns)} FROM "${name}" ORDER BY ${list(key)}`);
  let rows: Record<string, SQLOutputValue>[] = [];
  for (const row of statement.iterate()) {
    rows.push(row);
    if (rows.length < atOnce) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/**
 * Checks that the target database has no site data. @throws {AppError} `input.invalid` if it has.
 */
export async function checkEmpty(target: Database): Promise<void> {
  for (const table of ["users", "patients", "audit"] as const) {
    if (await target.selectFrom(table).select(sql`1`.as("one")).limit(1).executeTakeFirst()) {
      throw new AppError(
        "input.invalid",
        "Cannot move the data: the PostgreSQL database is not empty",
      );
    }
  }
}

async function copy(source: DatabaseSync, tx: Database, table: Table): Promise<number> {
  let count = 0;
  for (
    const rows of rowsOf(source, table, Math.floor(VALUES_PER_STATEMENT / table.columns.length))
  ) {
    await tx.insertInto(table.name).values(rows as never).execute();
    count += rows.length;
  }
  return count;
}

/** JSON form of bytes, which are Uint8Array from SQLite and Buffer from PostgreSQL. */
const comparable = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: value.toBase64() } : value;
const textOf = (row: Record<string, unknown>, columns: readonly string[]) =>
  JSON.stringify(columns.map((column) => comparable(row[column])));

/**
 * Compares the rows of a table with their copies.
 * @throws {AppError} `internal` with the table and the key of the first row that differs.
 */
export async function compare(source: DatabaseSync, target: Database, table: Table): Promise<void> {
  const { name, columns, key } = table;
  const differs = (row: Record<string, unknown>) =>
    new AppError("internal", `Cannot copy the data: ${name} differs at ${textOf(row, key)}`);
  const columnsOf = sql.join(key.map((column) => sql.ref(column)));
  let last: unknown[] | null = null;
  const movedRows = async (limit: number) => {
    const afterLast = last === null ? sql`` : sql`WHERE (${columnsOf}) > (${sql.join(last)})`;
    const { rows } = await sql<Record<string, unknown>>`
      SELECT * FROM ${sql.table(name)} ${afterLast} ORDER BY ${columnsOf} LIMIT ${sql.lit(limit)}`
      .execute(
        target,
      );
    return rows;
  };
  for (const rows of rowsOf(source, table, ROWS_PER_COMPARISON)) {
    const moved = await movedRows(rows.length);
    for (const [n, row] of rows.entries()) {
      if (!moved[n] || textOf(row, columns) !== textOf(moved[n], columns)) throw differs(row);
    }
    last = key.map((column) => rows.at(-1)![column]);
  }
  const [more] = await movedRows(1);
  if (more) throw differs(more);
}

/** Sets the id sequences, so that ids of deleted rows are not assigned again. */
async function copySequences(
  source: DatabaseSync,
  tx: Database,
  tables: readonly Table[],
): Promise<void> {
  await alignSequences(tx);
  for (const { name, seq } of source.prepare("SELECT name, seq FROM sqlite_sequence").all()) {
    const table = tables.find((one) => one.name === name);
    if (!table || Number(seq) < 1) continue;
    await sql`SELECT setval(pg_get_serial_sequence(${table.name}, ${table.key[0]}), ${Number(seq)})`
      .execute(
        tx,
      );
  }
}

/**
 * Copies a SQLite database into an empty PostgreSQL database, in one transaction.
 * Each row is compared with the original. No other process may write the SQLite file meanwhile.
 *
 * @param path The SQLite file, to which all migrations must be applied.
 * @param tell Receives each table after it was copied.
 * @returns the copied tables, in which all rows equal the originals.
 * @throws {AppError} `input.invalid` if the target has data, `internal` if a row differs;
 * the target is unchanged after an error.
 */
export async function moveToPostgres(
  path: string,
  target: Database,
  tell: (table: MovedTable) => void = () => {},
): Promise<MovedTable[]> {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    await checkEmpty(target);
    const tables = tablesOf(source);
    return await target.transaction().execute(async (tx) => {
      const moved: MovedTable[] = [];
      const triggers = async (what: "DISABLE" | "ENABLE") => {
        for (const { name } of tables) {
          await sql`ALTER TABLE ${sql.table(name)} ${sql.raw(what)} TRIGGER USER`.execute(tx);
        }
      };
      await triggers("DISABLE");
      await sql`SET CONSTRAINTS ALL DEFERRED`.execute(tx);
      // deletes the rows that migrations inserted, since the copy contains them too
      for (const { name } of tables) await tx.deleteFrom(name).execute();
      for (const table of tables) {
        moved.push({ name: table.name, rows: await copy(source, tx, table) });
        tell(moved.at(-1)!);
      }
      await copySequences(source, tx, tables);
      await sql`SET CONSTRAINTS ALL IMMEDIATE`.execute(tx);
      for (const table of tables) await compare(source, tx, table);
      await triggers("ENABLE");
      return moved;
    });
  } finally {
    source.close();
  }
}
