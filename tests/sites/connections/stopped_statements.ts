import { type KyselyPlugin, sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";

/** Calls a function before one of the statements of a database, counted from 1. */
export function stoppedBefore(statement: number, stop: () => void): KyselyPlugin {
  let count = 0;
  return {
    transformQuery: ({ node }) => {
      if (++count === statement) stop();
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
}

/** Rows of each table, by its name. */
export type Rows = readonly (readonly [table: string, rows: Record<string, unknown>[]])[];

/** Names of all tables. */
export const tablesOf = async (db: Database): Promise<string[]> =>
  (await db.introspection.getTables()).map(({ name }) => name).toSorted();

/** All rows of tables. */
export const readAll = (db: Database, tables: readonly string[]): Promise<Rows> =>
  Promise.all(tables.map(async (table) =>
    [
      table,
      (await sql<Record<string, unknown>>`SELECT * FROM ${sql.id(table)}`.execute(db)).rows,
    ] as const
  ));

/** All rows of tables of PostgreSQL, in one statement. */
export async function readAtOnce(db: Database, tables: readonly string[]): Promise<unknown[]> {
  const parts = tables.map((table) =>
    sql`SELECT ${sql.lit(table)} AS name,
      (SELECT string_agg(one::text, ' ' ORDER BY one::text) FROM ${sql.id(table)} AS one) AS rows`
  );
  return (await sql`${sql.join(parts, sql` UNION ALL `)}`.execute(db)).rows;
}
