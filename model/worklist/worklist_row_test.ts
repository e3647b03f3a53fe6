import assert from "node:assert/strict";
import type { AnalysisStatus } from "@/model/schema/studies/study.ts";
import { viewerBlocks } from "@/model/worklist/worklist_row.ts";

// covers: D1-8.17
Deno.test("viewerBlocks() tells which analyses failed, and studies without data from those not analysed yet", () => {
  const cases: [AnalysisStatus | null, AnalysisStatus | null, string][] = [
    ["failed", null, "analysis.t1_failed,viewer.no_data"],
    [null, "no_response", "analysis.t2_failed,viewer.no_data"],
    ["no_response", "failed", "analysis.both_failed,viewer.no_data"],
    ["failed", "waiting", "analysis.t1_failed,study.not_analyzed"],
    ["completed", "ready", "viewer.no_data"],
    ["ready", null, "study.not_analyzed"],
    [null, "processing", "study.not_analyzed"],
    [null, null, "study.not_analyzed"],
  ];
  for (const [t1_analysis_status, t2_analysis_status, codes] of cases) {
    assert.equal(viewerBlocks({ t1_analysis_status, t2_analysis_status }).join(), codes);
  }
});
