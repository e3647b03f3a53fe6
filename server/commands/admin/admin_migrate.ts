import { AppError } from "@/model/errors.ts";
import { openData } from "@/server/core/mod.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { moveToPostgres } from "@/server/core/database/move_to_postgres.ts";
import { lockFolder } from "@/server/commands/data_folder.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { print } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

export const MIGRATE_USAGE =
  `${ADMIN} migrate [postgres://…]   moves the data from SULCUS_DATA_DIR to PostgreSQL; a password is taken from SULCUS_DATABASE_URL`;

/**
 * Moves a site from SQLite to PostgreSQL, and compares every row with the original.
 * The SQLite file is not changed.
 * @param url Target database; if empty, the address in `SULCUS_DATABASE_URL`.
 * @returns exit code.
 */
export async function migrate(url: string, { dataDir, databaseUrl }: Environment): Promise<number> {
  const to = url || databaseUrl, path = `${dataDir}/core.sqlite`;
  if (!to || !/^postgres(ql)?:\/\//.test(to)) return 2;
  // not taken from the arguments, which all users see in the process list
  if (url && (URL.parse(url)?.password || /[?&]password=/i.test(url))) {
    throw new AppError(
      "input.invalid",
      "Cannot take a password as an argument: set SULCUS_DATABASE_URL, or leave the password out and use PGPASSFILE",
    );
  }
  if (!(await Deno.stat(path).catch(() => null))?.isFile) {
    throw new AppError("input.invalid", `Cannot move the data: ${path} does not exist`);
  }
  using _lock = await lockFolder(dataDir, "move the data");
  // opening the database applies all migrations
  await openData(dataDir).destroy();
  const target = await openPostgres(to);
  try {
    const started = performance.now();
    const moved = await moveToPostgres(path, target, ({ name, rows }) => {
      if (rows > 0) print(`${String(rows).padStart(9)}  ${name}`);
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const rows = moved.reduce((sum, table) => sum + table.rows, 0);
    print(
      `Moved ${rows} rows from ${moved.length} tables in ${seconds} s; all rows are identical in both databases.`,
    );
    print(
      `Start the server with SULCUS_DATABASE_URL and the same data folder: the images remain in ${dataDir}/blobs.`,
    );
    return 0;
  } finally {
    await target.destroy();
  }
}
