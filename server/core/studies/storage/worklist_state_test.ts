// covers: S-13
import assert from "node:assert/strict";
import type { AnalysisStatus } from "@/model/schema/studies/study.ts";
import { attentionOf, statesOf, worseGrade } from "@/server/core/studies/storage/worklist_state.ts";

Deno.test("statesOf() names one state of a study, whatever its two series do", () => {
  const state = (...statuses: AnalysisStatus[]) =>
    Object.entries(statesOf(statuses)).filter(([, holds]) => holds).map(([name]) => name).join();
  assert.equal(state("waiting", "processing"), "processing");
  assert.equal(state("failed", "waiting"), "waiting");
  assert.equal(state("pending"), "waiting");
  assert.equal(state("completed", "no_response"), "failed");
  assert.equal(state("ready", "completed"), "");
  assert.equal(state(), "");
});

Deno.test("attentionOf() puts failures first, then grade C, then what is not analysed, each with the newest first", () => {
  const studies: Parameters<typeof attentionOf>[] = [
    [1, ["completed"], "A"],
    [2, ["failed"], null],
    [3, ["ready"], null],
    [4, ["completed"], "C"],
    [5, ["processing"], null],
    [6, ["failed"], null],
  ];
  const order = studies.toSorted((a, b) => attentionOf(...a) - attentionOf(...b)).map(([pid]) =>
    pid
  );
  assert.deepEqual(order, [6, 2, 4, 3, 5, 1]);
});

Deno.test("worseGrade() takes the later letter, or the only one", () => {
  assert.deepEqual([worseGrade("A", "C"), worseGrade(null, "B"), worseGrade(null, null)], [
    "C",
    "B",
    null,
  ]);
});
