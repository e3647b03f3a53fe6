// covers: S-103
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { openSite } from "@/server/core/mod.ts";
import { appendAudit, verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import { writeAnchor } from "@/server/core/site/service/audit/anchors.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredAudit } from "@/server/core/site/storage/audit.ts";

const COUNT = 20;

/** What somebody can do who may write the database, and knows this program. */
async function unlock(db: Database): Promise<void> {
  await sql`DROP TRIGGER audit_no_update`.execute(db);
  await sql`DROP TRIGGER audit_no_delete`.execute(db);
}

/** Gives the entries from `seq` on the hashes that follow from those before, and the head the last one. */
async function rewriteHashes(db: Database, from: number): Promise<void> {
  const rows = await db.selectFrom("audit").selectAll().orderBy("seq").execute();
  let previous = "";
  for (const row of rows as StoredAudit[]) {
    const { seq, at, user_id, address, event, pid, outcome, details, request_id } = row;
    const fields = [previous, seq, at, user_id, address, event, pid, outcome, details, request_id];
    if (seq >= from) {
      const hash = createHash("sha256").update(JSON.stringify(fields)).digest("hex");
      await db.updateTable("audit").set({ hash }).where("seq", "=", seq).execute();
      previous = hash;
    } else previous = row.hash;
  }
  await db.updateTable("audit_head").set({ seq: rows.length, hash: previous }).execute();
}

const ATTACKS: [
  name: string,
  found: number,
  proven: number,
  attack: (db: Database) => Promise<unknown>,
][] = [
  [
    "an entry says something else",
    7,
    6,
    (db) => sql`UPDATE audit SET user_id = 99 WHERE seq = 7`.execute(db),
  ],
  ["an entry says something else, and every hash after it follows from it", 7, 6, async (db) => {
    await sql`UPDATE audit SET user_id = 99 WHERE seq = 7`.execute(db);
    await rewriteHashes(db, 7);
  }],
  ["an entry is taken out, and those after it close the gap", 7, 6, async (db) => {
    await sql`DELETE FROM audit WHERE seq = 7`.execute(db);
    for (let seq = 8; seq <= COUNT; seq++) {
      await sql`UPDATE audit SET seq = ${seq - 1} WHERE seq = ${seq}`.execute(db);
    }
    await rewriteHashes(db, 7);
  }],
  ["the tail is cut, and the head put back", 16, 15, async (db) => {
    await sql`DELETE FROM audit WHERE seq > 15`.execute(db);
    await rewriteHashes(db, 16);
  }],
  ["an entry is added at the end", 21, 20, async (db) => {
    await sql`INSERT INTO audit SELECT 21, at, 5, address, event, pid, outcome, details, request_id, hash, mac
      FROM audit WHERE seq = 20`.execute(db);
    await rewriteHashes(db, 21);
  }],
  ["all is written anew from the first entry on", 1, 0, async (db) => {
    await sql`UPDATE audit SET user_id = 99, mac = NULL`.execute(db);
    await rewriteHashes(db, 1);
  }],
  ["two entries change places", 7, 6, async (db) => {
    await sql`UPDATE audit SET seq = 1000 WHERE seq = 7`.execute(db);
    await sql`UPDATE audit SET seq = 7 WHERE seq = 8`.execute(db);
    await sql`UPDATE audit SET seq = 8 WHERE seq = 1000`.execute(db);
    await rewriteHashes(db, 7);
  }],
];

for (const [name, broken, proven, attack] of ATTACKS) {
  Deno.test(`verifyAudit() finds that ${name}, with the last entry that is proven`, async () => {
    const dataDir = await Deno.makeTempDir();
    try {
      const db = await openSite({ dataDir });
      for (let n = 1; n <= COUNT; n++) {
        await appendAudit(db, { event: "study.view", userId: 1 }, [n]);
      }
      await writeAnchor(db);
      assert.deepEqual((await verifyAudit(db)).broken, null);
      await unlock(db);
      await attack(db);
      const found = await verifyAudit(db);
      assert.deepEqual([found.broken, found.proven], [broken, proven]);
      await db.destroy();
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  });
}

Deno.test("verifyAudit() says when the anchors themselves were cut, or are of another key", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    const db = await openSite({ dataDir });
    await appendAudit(db, { event: "study.view", userId: 1 }, [1, 2, 3]);
    await writeAnchor(db);
    const { anchor, proven } = await verifyAudit(db);
    assert.deepEqual([anchor?.seq, proven], [3, 3]);
    const file = `${dataDir}/audit/anchors`, lines = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, lines.replace('"seq":3', '"seq":2'));
    assert.equal((await verifyAudit(db)).isAnchored, false);
    await Deno.remove(file);
    assert.equal((await verifyAudit(db)).isAnchored, false);
    await db.destroy();
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
