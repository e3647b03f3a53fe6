import assert from "node:assert/strict";
import { sql } from "kysely";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { insertAudit, nextAudit } from "@/server/core/site/storage/audit.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { moveToPostgres } from "@/server/core/database/move_to_postgres.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deletePatient,
  findPage,
  insertPatient,
  readPage,
} from "@/server/core/studies/storage/patients.ts";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { postgresTest } from "@/tests/sites/databases.ts";

const AT = "2026-01-01T00:00:00Z";

// covers: S-68
postgresTest(
  "moveToPostgres() copies every row, goes on with its numbers, and refuses a used database",
  async (database) => {
    const folder = await Deno.makeTempDir(), path = `${folder}/core.sqlite`;
    const sqlite = openDatabase(path), db = await database.open();
    try {
      await fillPatients(sqlite, folder, 60);
      const user = {
        email: "ä@x.org",
        name: "김",
        passwordHash: "x",
        state: "active" as const,
        role: "reader" as const,
      };
      const userId = await insertUser(sqlite, { ...user, createdAt: AT });
      await sqlite.transaction().execute(async (tx) => {
        const { seq } = await nextAudit(tx),
          rest = { address: null, pid: null, request_id: null, details: "{}" };
        await insertAudit(tx, {
          ...rest,
          seq,
          at: AT,
          user_id: userId,
          event: "login",
          outcome: "ok",
          mac: null,
          hash: "h",
        });
      });
      // the last number is a deleted one's
      await deletePatient(sqlite, 60, { userId: userId!, at: AT });
      const moved = new Map((await moveToPostgres(path, db)).map(({ name, rows }) => [name, rows]));
      assert.deepEqual(
        [moved.get("patients"), moved.get("users"), moved.get("audit"), moved.get("license")],
        [59, 1, 1, 1],
      );
      assert.ok(moved.get("analyses")! > 59 && moved.get("patient_labels")! > 0);
      const all = {
        filter: {},
        sortKey: "patient_name",
        sortDirection: "asc",
        offset: 0,
        limit: 100,
      } as const;
      const listed = async (from: Database) => {
        const { pids, ...page } = await findPage(from, all);
        return { page, patients: await readPage(from, pids) };
      };
      assert.deepEqual(await listed(db), await listed(sqlite));
      const pid = await insertPatient(db, {
        studyUid: "1.2",
        patientId: "P",
        patientName: "N",
        birthDate: null,
        sex: null,
        age: null,
        studyDate: null,
        createdAt: AT,
        createdBy: userId,
      });
      assert.equal(pid, 61);
      // the triggers are back
      assert.equal((await findPage(db, all)).total, 60);
      await assert.rejects(db.deleteFrom("audit").execute(), /append-only/);
      await assert.rejects(moveToPostgres(path, db), { code: "input.invalid" });
    } finally {
      await sqlite.destroy();
      await db.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  },
);

// covers: S-68
postgresTest(
  "moveToPostgres() keeps nothing when a row does not arrive as it was",
  async (database) => {
    const folder = await Deno.makeTempDir(), path = `${folder}/core.sqlite`;
    const sqlite = openDatabase(path), db = await database.open();
    try {
      await fillPatients(sqlite, folder, 5);
      // as a fault of the database might be
      await sql`CREATE RULE shorten AS ON INSERT TO labels DO INSTEAD NOTHING`.execute(db);
      await assert.rejects(
        moveToPostgres(path, db),
        /Cannot copy the data: (labels|patient_labels) differs|foreign key/,
      );
      assert.equal((await db.selectFrom("patients").selectAll().execute()).length, 0);
      await sql`DROP RULE shorten ON labels`.execute(db);
      assert.ok((await moveToPostgres(path, db)).length > 10);
    } finally {
      await sqlite.destroy();
      await db.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  },
);
