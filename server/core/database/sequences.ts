import { sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";

/** Last id that a table assigned, including ids of deleted rows; 0 before the first. */
export async function lastId(
  db: Database,
  table: "patients" | "series" | "analyses",
): Promise<number> {
  const column = table === "patients" ? "pid" : "id";
  const { rows } = await (isPostgres(db)
    ? sql<{ last: number | null }>`
      SELECT pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass) AS last`
    : sql<{ last: number | null }>`SELECT seq AS last FROM sqlite_sequence WHERE name = ${table}`)
    .execute(
      db,
    );
  return Number(rows[0]?.last ?? 0);
}

/**
 * Sets a PostgreSQL sequence after rows were inserted with ids; SQLite does so automatically.
 */
export async function alignSequences(db: Database): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    DO $$ DECLARE c record; last bigint; BEGIN
      FOR c IN SELECT table_name, column_name,
          pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass AS sequence
        FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES' LOOP
        EXECUTE format('SELECT max(%I) FROM %I', c.column_name, c.table_name) INTO last;
        IF last > coalesce(pg_sequence_last_value(c.sequence), 0) THEN PERFORM setval(c.sequence, last); END IF;
      END LOOP;
    END $$`.execute(db);
}
