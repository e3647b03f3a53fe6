import assert from "node:assert/strict";
import { sql } from "kysely";
import { postgresTest } from "@/tests/sites/databases.ts";

/** Schema changes that a test may leave behind, each of which affects rows stored later. */
const CHANGES = [
  "CREATE RULE spoil AS ON INSERT TO labels DO INSTEAD NOTHING",
  `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER spoil BEFORE INSERT ON labels FOR EACH ROW EXECUTE FUNCTION refuse()`,
  "ALTER TABLE labels ADD CONSTRAINT spoil CHECK (name_key = 'spoil')",
  "ALTER TABLE labels ADD COLUMN spoil TEXT NOT NULL",
  "CREATE UNIQUE INDEX spoil ON labels ((1))",
];

for (const change of CHANGES) {
  postgresTest(`a test changes a table: ${change.slice(0, 40)}…`, async (database) => {
    const db = await database.open();
    await sql.raw(change).execute(db);
    await db.destroy();
  });

  postgresTest("the next test has the tables of a new site", async (database) => {
    const db = await database.open();
    await sql`INSERT INTO labels (label_name, name_key) VALUES ('a', 'a'), ('b', 'b')`.execute(db);
    const { rows } = await sql<{ name: string }>`SELECT name_key AS name FROM labels ORDER BY 1`
      .execute(db);
    assert.deepEqual(rows.map(({ name }) => name), ["a", "b"]);
    await db.destroy();
  });
}
