import assert from "node:assert/strict";
import { CLAIM_MS, findClaim, setClaim } from "@/server/core/studies/storage/edit_claims.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { insertPatient, readPage } from "@/server/core/studies/storage/patients.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

// covers: S-73
Deno.test("findClaim() forgets a claim when it ends, and one from before the clock was set back", async () => {
  const db = openDatabase(":memory:"), nowMs = Date.now();
  try {
    const { id } = await addUser(db, { email: "a@x.org", password: "right-1-password" });
    const pid = await insertPatient(db, newStudy(1));
    const holds = async (atMs: number) => await findClaim(db, pid, atMs) !== null;
    const shown = async () => (await readPage(db, [pid]))[0]!.row.editing_uid;
    await setClaim(db, pid, id, nowMs + CLAIM_MS);
    assert.ok(await holds(nowMs));
    assert.equal(await shown(), id);
    // another machine of the site
    assert.ok(await holds(nowMs - 30_000));
    assert.ok(!await holds(nowMs + CLAIM_MS));
    assert.ok(!await holds(nowMs - 24 * 3_600_000));
    // the list says the same
    await setClaim(db, pid, id, nowMs + 2 * 3_600_000);
    assert.equal(await shown(), null);
  } finally {
    await db.destroy();
  }
});
