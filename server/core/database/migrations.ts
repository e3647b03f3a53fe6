import { AppError } from "@/model/errors.ts";
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

const FOLDER = new URL("./migrations/", import.meta.url);
const NAME = /^(\d{4})_\w+\.sql$/;

/** One SQL file of the folder `migrations/`. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** Migrations of the folder `migrations/`, sorted by number. */
export function readMigrations(): Migration[] {
  const names = [...Deno.readDirSync(FOLDER)].map((entry) => entry.name).filter((name) =>
    NAME.test(name)
  );
  return names.sort().map((name) => ({
    version: Number(NAME.exec(name)![1]),
    name,
    sql: Deno.readTextFileSync(new URL(name, FOLDER)),
  }));
}

/**
 * Version of the newest migration, which may exceed the number of files: numbers may be left out.
 */
export const newestOf = (migrations: readonly Migration[]): number =>
  Math.max(0, ...migrations.map(({ version }) => version));

/** Checksum that reveals whether an applied migration was edited later. */
export const checksum = (text: string) => createHash("sha256").update(text).digest("hex");

/**
 * Migrations that are not yet applied to a database.
 * @throws Error for a database of a newer program, or an applied migration that was edited.
 */
function missingOf(db: DatabaseSync, migrations: readonly Migration[]): Migration[] {
  const applied = new Map(
    db.prepare("SELECT version, checksum FROM schema_migrations").all()
      .map((row) => [Number(row.version), String(row.checksum)]),
  );
  const newest = Math.max(0, ...applied.keys());
  if (newest > newestOf(migrations)) {
    throw new AppError(
      "internal",
      `Cannot open the database: it is at version ${newest}, this program at ${
        newestOf(migrations)
      }`,
    );
  }
  return migrations.filter(({ version, name, sql }) => {
    const appliedChecksum = applied.get(version);
    if (appliedChecksum === undefined || appliedChecksum === checksum(sql)) {
      return appliedChecksum === undefined;
    }
    throw new AppError(
      "internal",
      `Cannot open the database: migration ${name} differs from the one that was applied`,
    );
  });
}

/**
 * Applies missing migrations in one transaction; a migration cannot be reverted.
 * An up-to-date database is only read.
 * @throws Error for a database of a newer program, or an applied migration that was edited.
 */
export function migrate(db: DatabaseSync): void {
  db.exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
  ) STRICT`);
  const migrations = readMigrations();
  if (missingOf(db, migrations).length === 0) return;
  // write lock from the start, so that two starting processes do not both apply a migration
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const { version, name, sql } of missingOf(db, migrations)) {
      db.exec(sql);
      db.prepare("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)")
        .run(version, name, checksum(sql), new Date().toISOString());
    }
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
