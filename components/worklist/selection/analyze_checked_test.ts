import assert from "node:assert/strict";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Modal, modals, removeModal } from "@/client/notices/notices.ts";
import { chooseAnalyses } from "@/components/worklist/selection/analyze_checked.ts";

/** Last shown state of a study; `undefined` for a study on a page that was never shown. */
const rowOf = (pid: number): PatientRow | undefined =>
  ({
    1: { t1_analysis_status: "completed", t2_analysis_status: null },
    2: { t1_analysis_status: "ready", t2_analysis_status: null },
    3: { t1_analysis_status: "completed", t2_analysis_status: "failed" },
  } as Record<number, unknown>)[pid] as PatientRow | undefined;

/** Asks about the studies and gives the answer. @returns the question, and the chosen studies. */
async function choose(pids: number[], answer: "onConfirm" | "onAlternative" | "onCancel") {
  const chosen = chooseAnalyses(pids, rowOf);
  const [modal] = modals.value as readonly [Modal];
  removeModal(modal.id);
  modal[answer]!();
  return { code: modal.code, n: modal.values.n, chosen: await chosen };
}

Deno.test("chooseAnalyses() asks about studies with results, whatever page they are on", async () => {
  const pids = [1, 2, 3, 99];
  assert.deepEqual(await choose(pids, "onCancel"), {
    code: "analysis.again_some",
    n: 2,
    chosen: null,
  });
  assert.deepEqual((await choose(pids, "onAlternative")).chosen, {
    others: [2, 99],
    again: [],
    done: 2,
  });
  assert.deepEqual((await choose(pids, "onConfirm")).chosen, {
    others: [2, 99],
    again: [1, 3],
    done: 2,
  });
  assert.deepEqual(await choose([1], "onCancel"), { code: "analysis.again", n: 1, chosen: null });
});

Deno.test("chooseAnalyses() asks nothing about studies without results", async () => {
  assert.deepEqual(await chooseAnalyses([2, 99], rowOf), { others: [2, 99], again: [], done: 0 });
  assert.deepEqual(modals.value, []);
});
