import assert from "node:assert/strict";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { openData } from "@/server/core/mod.ts";
import { getHistory, getPatient, listPatients } from "@/client/api/studies/patients.ts";
import { withCore } from "@/tests/sites/core_site.ts";

Deno.test("fillPatients() fills up to a number with studies that can be read, and no further", () =>
  withCore(async ({ api, dataDir }) => {
    const db = openData(dataDir);
    assert.equal(await fillPatients(db, dataDir, 300), 300);
    assert.equal(await fillPatients(db, dataDir, 300), 0);
    assert.equal(await fillPatients(db, dataDir, 2500), 2200);
    await db.destroy();
    const { patients, total } = await listPatients(api, { page_size: 200, t1w: true });
    assert.ok(total > 1200 && total < 2500, String(total));
    assert.ok(patients.some((p) => p.history_count > 1) && patients.some((p) => p.label_list.length > 0));
    const done = patients.find((p) => p.t1_analysis_status === "completed" && p.history_count > 1)!;
    const patient = await getPatient(api, done.pid);
    assert.ok(patient.t1_result!.length > 40 && patient.icv! > 1000);
    assert.equal((await getHistory(api, done.pid)).history.length, done.history_count);
  }));
