import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { prepared } from "@/server/core/database/prepared.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

let builds = 0;
const usersLike = prepared((db, first: string, more: string, last: string) => {
  builds++;
  return db.selectFrom("users").select("email").where("email", ">=", first).where("name", "=", "Same")
    .where((e) => e.or([e("email", "=", more), e("email", "<=", last)])).orderBy("email").limit(2);
});

databaseTest(
  "prepared() asks with each call's own values, and puts the text together once",
  async ({ open }) => {
    const db = await open();
    try {
      for (
        const [email, name] of [["a@x", "Same"], ["b@x", "Same"], ["c@x", "Other"], ["d@x", "Same"]] as const
      ) {
        const user = { email, name, passwordHash: "", state: "active" as const, role: "physician" as const };
        await insertUser(db, { ...user, createdAt: "2026-01-01T00:00:00.000Z" });
      }
      const of = async (...values: [string, string, string]) =>
        (await usersLike(db, ...values)).map(({ email }) => email[0]).join("");
      const before = builds;
      assert.equal(await of("a@x", "d@x", "a@x"), "ad");
      assert.equal(await of("b@x", "zz", "d@x"), "bd");
      assert.equal(await of("a@x", "' OR 1=1 --", "a@x"), "a");
      assert.equal(
        await db.transaction().execute(async (tx) => (await usersLike(tx, "c", "c", "d")).length),
        0,
      );
      assert.ok(builds - before <= 1);
    } finally {
      await db.destroy();
    }
  },
);

databaseTest("prepared() refuses a query that one of its values decides", async ({ open }) => {
  const db = await open();
  try {
    const bad = prepared((db, name: string) =>
      db.selectFrom("users").select("id").$if(name !== "", (q) => q)
    );
    await assert.rejects(bad(db, "a"), TypeError);
  } finally {
    await db.destroy();
  }
});
