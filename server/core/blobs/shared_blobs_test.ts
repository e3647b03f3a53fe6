import assert from "node:assert/strict";
import { sql } from "kysely";
import { chunksOf } from "@/server/core/blobs/blobs.ts";
import { SharedBlobs } from "@/server/core/blobs/shared_blobs.ts";
import { postgresTest } from "@/tests/sites/databases.ts";
import { until } from "@/tests/sites/until.ts";

postgresTest(
  "SharedBlobs.keep() keeps others from removing, also after the lock was lost with its connection",
  async (database) => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" }), db = await database.open();
    const lines: string[] = [], log = (_: string, message: string) => void lines.push(message);
    const keeper = new SharedBlobs(folder, db, log), remover = new SharedBlobs(folder, db, log);
    const keep = async (text: string) => {
      const staged = await keeper.stage(chunksOf(new TextEncoder().encode(text)), 100).staging;
      return { hash: staged.hash, lease: await keeper.keep([staged]) };
    };
    const locks = async (isGranted: boolean) => {
      const { rows } = await sql<{ pid: number }>`
      SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted = ${isGranted}
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(
        db,
      );
      return rows.map(({ pid }) => pid);
    };
    const isThere = (hash: string) => keeper.read(hash).then(() => true, () => false);
    try {
      const first = await keep("first"), [holder] = await locks(true);
      await sql`SELECT pg_terminate_backend(${holder})`.execute(db);
      await until(async () => (await locks(true)).length === 0);
      first.lease.release();

      const second = await keep("second");
      remover.remove(second.hash);
      await until(async () => (await locks(false)).length > 0 || !await isThere(second.hash));
      assert.ok(await isThere(second.hash), "its rows are not committed yet");
      second.lease.release();
      await until(async () => !await isThere(second.hash));
      // the remover's goes with its connection, a moment after the file
      await until(async () => (await locks(true)).length === 0);
      assert.deepEqual(lines, []);
    } finally {
      await keeper.close();
      await remover.close();
      await db.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  },
);
