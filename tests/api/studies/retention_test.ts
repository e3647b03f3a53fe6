// covers: S-113
import assert from "node:assert/strict";
import { deletePatient } from "@/client/api/studies/patients.ts";
import { startExcel } from "@/client/api/report/excel.ts";
import { deleteOutdated } from "@/server/core/site/service/retention.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";

const HOUR = 3_600_000;

coreTest(
  "each kind of data is deleted when its own time is over, and no sooner",
  async ({ api, dataDir }) => {
    await deletePatient(api, await addStudyWithFiles(dataDir, "BINNED"));
    await startExcel(api, { pid_list: [await addStudyWithFiles(dataDir, "KEPT")], format: "csv" });
    const db = await openBeside(dataDir), now = Date.now();
    // marks the export as finished, as the job does
    await db.updateTable("excel_exports").set({ status: "done" }).execute();
    const services = {
      db,
      dataDir,
      blobs: new DiskBlobs(`${dataDir}/blobs`),
      log: () => {},
      binDays: 2,
      keepHours: { exports: 5, uploads: 7 },
    } as unknown as ServiceContext;
    const left = async () => {
      const [studies, bin, exports] = await Promise.all(
        (["patients", "bin", "excel_exports"] as const).map((table) =>
          db.selectFrom(table).selectAll().execute()
        ),
      );
      return [studies!.length, bin!.length, exports!.length];
    };
    try {
      await deleteOutdated(services, now + HOUR / 12);
      assert.deepEqual(await left(), [1, 1, 1]);
      await deleteOutdated(services, now + HOUR);
      assert.deepEqual(await left(), [1, 1, 1]);
      await deleteOutdated(services, now + 4 * HOUR);
      assert.deepEqual(await left(), [1, 1, 1]);
      await deleteOutdated(services, now + 6 * HOUR);
      assert.deepEqual(await left(), [1, 1, 0]);
      await deleteOutdated(services, now + 47 * HOUR);
      assert.deepEqual(await left(), [1, 1, 0]);
      await deleteOutdated(services, now + 49 * HOUR);
      assert.deepEqual(await left(), [1, 0, 0]);
    } finally {
      await db.destroy();
    }
  },
);
