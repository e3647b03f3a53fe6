// An acceptance test counts the failures of its own results, and says how its studies were chosen.
// covers: S-150, S-151
import assert from "node:assert/strict";
import {
  beginAcceptance,
  getAcceptance,
  revokeAcceptance,
} from "@/client/api/report/acceptance.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addRoutine, ROUTINE_PROTOCOL, ROUTINE_SCANNER } from "@/tests/sites/routine_site.ts";

const COUNT = 30, SCANNER = { scanner: ROUTINE_SCANNER, protocol: ROUTINE_PROTOCOL };

coreTest(
  "acceptance: failures of the tested span and engine count, not those of the site itself",
  async ({ api, dataDir }) => {
    await addRoutine(dataDir, COUNT, 0);
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ engine_version: "sulcus-engine 0.0.9" })
      .where("pid", "<=", 5).execute();
    const failures: [pid: number, code: string][] = [
      // of the engine before, of the tested one, and by the site
      [3, "engine.crashed"],
      [7, "engine.crashed"],
      [12, "engine.unsupported_input"],
      [13, "job.canceled"],
      [14, "storage.full"],
      [29, "engine.crashed"],
      [30, "engine.crashed"],
    ];
    for (const [pid, error_code] of failures) {
      await db.updateTable("analyses").set({
        status: "failed",
        error_code,
        results: null,
        engine_version: null,
      }).where("pid", "=", pid).execute();
    }
    await db.destroy();
    const MEASURED = COUNT - 5 - (failures.length - 1);

    const all = await getAcceptance(api, await beginAcceptance(api, SCANNER));
    assert.deepEqual([all.result.studies, all.result.failed], [MEASURED, 4]);
    const share = ({ result }: typeof all) =>
      result.criteria.find(({ name }) => name === "failures")!.value!;
    assert.equal(share(all), Math.round(1e4 * 4 / (MEASURED + 4)) / 100);
    assert.deepEqual([all.chosen_of, all.earlier], [null, []]);
    await revokeAcceptance(api, all.test.id);

    // chosen studies: one failure lies between them, among nine results
    const pid_list = [8, 9, 20];
    const chosen = await getAcceptance(api, await beginAcceptance(api, { ...SCANNER, pid_list }));
    assert.deepEqual([chosen.result.studies, chosen.result.failed], [3, 1]);
    assert.equal(share(chosen), Math.round(1e4 / 11) / 100);
    assert.equal(chosen.chosen_of, MEASURED);
    assert.deepEqual(
      chosen.earlier.map(({ id, state, decision }) => [id, state, decision]),
      [[all.test.id, "revoked", null]],
    );
  },
);
