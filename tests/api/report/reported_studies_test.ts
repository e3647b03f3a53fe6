import assert from "node:assert/strict";
import { getReport } from "@/client/api/report/report.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { coreTest } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

coreTest(
  "the studies of the tests are of healthy people",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 2, 8);
    for (const pid of [1, 2]) {
      const { conclusion } = await getReport(api, pid);
      assert.deepEqual(conclusion!.findings, []);
      assert.deepEqual(conclusion!.sentences, [
        conclusionText.usual.en,
        conclusionText.provisional.en,
      ]);
    }
  },
);
