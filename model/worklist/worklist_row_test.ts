import assert from "node:assert/strict";
import type { AnalysisStatus } from "@/model/schema/studies/study.ts";
import { toastContentOf } from "@/client/notices/notice_text.ts";
import { namedNumber, viewerBlocks } from "@/model/worklist/worklist_row.ts";

Deno.test("messages name studies beside their numbers where it is known whose they are", () => {
  const names: Record<number, string> = { 4: "Kim", 7: "" };
  const rowOf = (pid: number) => pid in names ? { patient_name: names[pid]! } : undefined;
  assert.deepEqual([4, 7, 9].map((pid) => namedNumber(pid, rowOf(pid))), ["4 (Kim)", "7", "9"]);
  const said = (
    code: "analysis.excluded" | "study.being_analyzed" | "export.some_failed",
    language: "en" | "ko",
  ) => toastContentOf(code, { n: 1, pid: "4 (Kim)", pids: "4 (Kim)", reason: "…" }, language).text;
  for (const code of ["analysis.excluded", "study.being_analyzed", "export.some_failed"] as const) {
    for (const language of ["en", "ko"] as const) assert.match(said(code, language), /4 \(Kim\)/);
  }
});

// covers: D1-8.17
Deno.test("viewerBlocks() tells which analyses failed, and studies without data from those being or to be analysed", () => {
  const cases: [AnalysisStatus | null, AnalysisStatus | null, string][] = [
    ["failed", null, "analysis.t1_failed,viewer.no_data"],
    [null, "no_response", "analysis.t2_failed,viewer.no_data"],
    ["no_response", "failed", "analysis.both_failed,viewer.no_data"],
    ["failed", "waiting", "analysis.t1_failed,study.being_analyzed"],
    ["completed", "ready", "viewer.no_data"],
    ["ready", null, "study.not_analyzed"],
    [null, "processing", "study.being_analyzed"],
    [null, null, "study.not_analyzed"],
  ];
  for (const [t1_analysis_status, t2_analysis_status, codes] of cases) {
    assert.equal(viewerBlocks({ t1_analysis_status, t2_analysis_status }).join(), codes);
  }
});
