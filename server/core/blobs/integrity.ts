import { sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";

/** Maximum number of reported problems; the first ones suffice to decide on a restore. */
const MAX_FINDINGS = 20;

async function checkSqlite(db: Database): Promise<string[]> {
  const integrity = await sql<{ integrity_check: string }>`PRAGMA integrity_check(${
    sql.lit(MAX_FINDINGS)
  })`
    .execute(
      db,
    );
  const dangling = await sql<
    { table: string; rowid: number | null; parent: string }
  >`PRAGMA foreign_key_check`
    .execute(db);
  return [
    ...integrity.rows.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    ...dangling.rows.map(({ table, rowid, parent }) =>
      `row ${rowid ?? "?"} of ${table} names no row of ${parent}`
    ),
  ];
}

interface Reference {
  name: string;
  child: string;
  parent: string;
  column: string;
  named: string;
}

/** Reads every row of every table, which reveals damaged pages, and checks all foreign keys. */
async function checkPostgres(db: Database): Promise<string[]> {
  const findings: string[] = [];
  const tables = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    ORDER BY relname`.execute(db);
  for (const { name } of tables.rows) {
    try {
      await sql`SELECT sum(length(t::text)) FROM ${sql.table(name)} t`.execute(db);
    } catch (error) {
      findings.push(`${name} cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  }
  const references = await sql<Reference>`
    SELECT c.conname AS name, c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
      a.attname AS column, b.attname AS named
    FROM pg_constraint c
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
      JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1]
    WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace`.execute(db);
  for (const { child, parent, column, named } of references.rows) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM ${sql.table(child)} c WHERE ${
      sql.ref(`c.${column}`)
    } IS NOT NULL AND NOT EXISTS
        (SELECT FROM ${sql.table(parent)} p WHERE ${sql.ref(`p.${named}`)} = ${
      sql.ref(`c.${column}`)
    })`
      .execute(db);
    const count = rows[0]?.count ?? 0;
    if (count > 0) findings.push(`${count} rows of ${child} name no row of ${parent}`);
  }
  return findings;
}

/** Integrity problems of a database, one line each, at most 20. */
export async function checkDatabase(db: Database): Promise<string[]> {
  return (await (isPostgres(db) ? checkPostgres(db) : checkSqlite(db))).slice(0, MAX_FINDINGS);
}
