// Demo rows have results without images: pages must not advise the user to analyse them.
import assert from "node:assert/strict";
import { QueryClient } from "@tanstack/react-query";
import { listPatients } from "@/client/api/studies/patients.ts";
import { loader as loadReport } from "@/routes/report/[pid].tsx";
import { loader as loadViewer } from "@/routes/viewer/[pid].tsx";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { openData } from "@/server/core/mod.ts";
import { withCore } from "@/tests/sites/core_site.ts";

Deno.test("viewer and report of a row without images say so, and not that it is to be analysed", () =>
  withCore(async ({ api, dataDir }) => {
    const db = openData(dataDir);
    await fillPatients(db, dataDir, 20, true);
    await db.destroy();
    const { patients } = await listPatients(api, { page_size: 20 });
    const seen = new Map<string, number>();
    for (const { pid, t1_analysis_status, t2_analysis_status } of patients) {
      const isAnalysed = [t1_analysis_status, t2_analysis_status].includes("completed");
      if (!isAnalysed) continue;
      for (const [page, load] of [["viewer", loadViewer], ["report", loadReport]] as const) {
        const data = await load({
          url: new URL(`http://sulcus/${page}/${pid}`),
          params: { pid: String(pid) },
          language: "en",
          user: null,
          launchedFrom: "",
          cookie: () => undefined,
          pictures: null,
          queryClient: new QueryClient(),
          api,
        });
        const message = `${page} ${"message" in data ? data.message : "shown"}`;
        seen.set(message, (seen.get(message) ?? 0) + 1);
      }
    }
    assert.deepEqual([...seen.keys()].sort(), ["report noImages", "viewer noImages"]);
  }));
