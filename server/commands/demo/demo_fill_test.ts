import assert from "node:assert/strict";
import { fillPatients, NO_IMAGES } from "@/server/commands/demo/demo_fill.ts";
import { openData } from "@/server/core/mod.ts";
import { getHistory, getPatient, listPatients } from "@/client/api/studies/patients.ts";
import { withCore } from "@/tests/sites/core_site.ts";

Deno.test("fillPatients() fills up to a number with studies that can be read, and no further", () =>
  withCore(async ({ api, dataDir }) => {
    const db = openData(dataDir);
    assert.equal(await fillPatients(db, dataDir, 300), 300);
    assert.equal(await fillPatients(db, dataDir, 300), 0);
    assert.equal(await fillPatients(db, dataDir, 2500), 2200);
    // a comparison of two visits is a job that needs their images
    const compared = await db.selectFrom("analyses as a").innerJoin(
      "patients as p",
      "p.pid",
      "a.pid",
    )
      .select(["p.patient_id", "a.kind"]).where("a.status", "=", "completed")
      .groupBy(["p.patient_id", "a.kind"]).having((e) => e.fn.countAll(), ">", 1).execute();
    assert.deepEqual(compared, []);
    assert.equal(await fillPatients(db, dataDir, 2510, true), 10);
    await db.destroy();
    const noted = await listPatients(api, { page_size: 10 });
    assert.ok(
      noted.patients.every(({ label_list, patient_name }) =>
        label_list.some(({ label_name }) => label_name === NO_IMAGES) &&
        patient_name.endsWith(" (no images · 영상 없음)")
      ),
    );
    const { patients, total } = await listPatients(api, { page_size: 200, t1w: true });
    assert.ok(total > 1200 && total < 2510, String(total));
    assert.ok(
      patients.some((p) => p.history_count > 1) && patients.some((p) => p.label_list.length > 0),
    );
    const done = patients.find((p) => p.t1_analysis_status === "completed" && p.history_count > 1)!;
    const patient = await getPatient(api, done.pid);
    assert.ok(patient.t1_result!.length > 40 && patient.icv! > 1000);
    assert.equal((await getHistory(api, done.pid)).history.length, done.history_count);
  }));
