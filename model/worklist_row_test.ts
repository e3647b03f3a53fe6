import assert from "node:assert/strict";
import type { AnalysisStatus } from "@/model/schema/study.ts";
import { viewerBlock } from "@/model/worklist_row.ts";

Deno.test("viewerBlock() tells analyses that left no data from studies that are not analysed yet", () => {
  const block = (t1: AnalysisStatus | null, t2: AnalysisStatus | null) =>
    viewerBlock({ t1_analysis_status: t1, t2_analysis_status: t2 });
  for (const [t1, t2] of [["failed", null], ["no_response", "failed"], ["completed", "ready"]] as const) {
    assert.equal(block(t1, t2), "viewer.no_data");
  }
  for (
    const [t1, t2] of [["ready", null], [null, "processing"], ["failed", "waiting"], [null, null]] as const
  ) {
    assert.equal(block(t1, t2), "study.not_analyzed");
  }
});
