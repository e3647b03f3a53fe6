// Studies that are deleted, restored or measured once more while charts are computed.
// covers: S-141
import assert from "node:assert/strict";
import { appendStudies, type DatedStudy } from "@/server/core/norms/service/drift_job.ts";
import { markCharted } from "@/server/core/norms/storage/charted_results.ts";
import { listDrift } from "@/server/core/norms/storage/drift.ts";
import { addChartedStudies } from "@/tests/sites/norms/charted_studies.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

const KEY = { scanner: "SIEMENS A", protocol: "3 T", coil: "", engineVersion: "e 1" };

const study = (pid: number, of: Partial<DatedStudy> = {}): DatedStudy => ({
  analysisId: pid,
  pid,
  isCompleted: true,
  date: "2026-01-05",
  isUnreliable: false,
  age: 60,
  z: new Map(),
  ...of,
});

databaseTest(
  "a study that is deleted while charts are computed leaves the others in them",
  async (database) => {
    const db = await database.open(), services = { db, log: () => {} };
    await addChartedStudies(db, 3);
    await db.deleteFrom("patients").where("pid", "=", 2).execute();
    await appendStudies(services, KEY, [study(1), study(2), study(3)]);
    assert.equal((await listDrift(db))[0]!.studies, 2);
    const leftOut = [2, 3].map((pid) => ({ analysisId: 10 + pid, pid, isCompleted: true }));
    assert.deepEqual([...await markCharted(db, leftOut, null)], [13]);
    await db.destroy();
  },
);
