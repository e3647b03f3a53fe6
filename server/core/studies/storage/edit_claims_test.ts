import assert from "node:assert/strict";
import { findClaim, setClaim } from "@/server/core/studies/storage/edit_claims.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

// covers: S-73
Deno.test("findClaim() forgets a claim when it ends, and one from before the clock was set back", async () => {
  const db = openDatabase(":memory:"), nowMs = 1_000_000_000, longestMs = 120_000;
  try {
    const { id } = await addUser(db, { email: "a@x.org", password: "right-1-password" });
    const pid = await insertPatient(db, newStudy(1));
    const holds = async (atMs: number) => await findClaim(db, pid, atMs, longestMs) !== null;
    await setClaim(db, pid, id, nowMs + longestMs);
    assert.ok(await holds(nowMs));
    // another machine of the site
    assert.ok(await holds(nowMs - 30_000));
    assert.ok(!await holds(nowMs + longestMs));
    assert.ok(!await holds(nowMs - 24 * 3_600_000));
  } finally {
    await db.destroy();
  }
});
