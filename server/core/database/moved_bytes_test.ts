import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { copyToSqlite } from "@/server/core/database/copy_to_sqlite.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { moveToPostgres } from "@/server/core/database/move_to_postgres.ts";
import { postgresTest } from "@/tests/sites/databases.ts";

const AT = "2026-01-01T00:00:00Z";
/** Bytes that are no UTF-8, and an end of a text in C. */
const BYTES = new Uint8Array([0x89, 0x50, 0, 0xff, 0x0a]);

/** A row for every table with a column of bytes, as SQL with a place for them. */
const ROWS: Readonly<Record<string, string>> = {
  key_images: `INSERT INTO key_images (pid, picture, note, created_at) VALUES (1, ?, '', '${AT}')`,
  hl7_messages: `INSERT INTO hl7_messages (system, sender, control_id, digest, event, patient_id,
    prior_id, event_ms, received_at, state, message)
    VALUES ('HIS', 'HIS', '1', 'd', 'ADT^A08', 'P', '', 0, '${AT}', 'applied', ?)`,
};

// covers: S-68
postgresTest(
  "bytes move to PostgreSQL, and into a backup of PostgreSQL, from every table that has them",
  async (database) => {
    const folder = await Deno.makeTempDir(), path = `${folder}/core.sqlite`;
    const sqlite = openDatabase(path), db = await database.open();
    try {
      await fillPatients(sqlite, folder, 1);
      const source = new DatabaseSync(path);
      const withBytes = source.prepare(
        `SELECT DISTINCT tables.name, columns.name AS "column" FROM sqlite_master AS tables
          JOIN pragma_table_info(tables.name) AS columns
          WHERE tables.type = 'table' AND columns.type = 'BLOB' ORDER BY tables.name`,
      ).all().map(({ name, column }) => [String(name), String(column)] as const);
      assert.deepEqual(withBytes.map(([name]) => name), Object.keys(ROWS).sort());
      for (const row of Object.values(ROWS)) source.prepare(row).run(BYTES);
      source.close();

      await moveToPostgres(path, db);
      const copy = `${folder}/copy.sqlite`;
      await copyToSqlite(db, copy);
      const copied = new DatabaseSync(copy, { readOnly: true });
      try {
        for (const [table, column] of withBytes) {
          const bytes = copied.prepare(`SELECT "${column}" AS bytes FROM "${table}"`).all();
          assert.deepEqual(bytes.map((row) => row.bytes), [BYTES], table);
        }
      } finally {
        copied.close();
      }
    } finally {
      await sqlite.destroy();
      await db.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  },
);

// covers: S-68
postgresTest("bytes that do not arrive as they were are a difference", async (database) => {
  const folder = await Deno.makeTempDir(), path = `${folder}/core.sqlite`;
  const sqlite = openDatabase(path), db = await database.open();
  try {
    await fillPatients(sqlite, folder, 1);
    const source = new DatabaseSync(path);
    source.prepare(ROWS.key_images!).run(BYTES);
    source.close();
    // as a fault of the database might be: one byte of five
    await sql`CREATE RULE spoil AS ON INSERT TO key_images
      DO ALSO UPDATE key_images SET picture = set_byte(picture, 4, 11)`.execute(db);
    await assert.rejects(moveToPostgres(path, db), /key_images differs at \[1\]/);
  } finally {
    await sqlite.destroy();
    await db.destroy();
    await Deno.remove(folder, { recursive: true });
  }
});
