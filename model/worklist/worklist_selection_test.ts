import assert from "node:assert/strict";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import {
  checkAll,
  checkRow,
  isCheckable,
  pageState,
  withoutRunning,
} from "@/model/worklist/worklist_selection.ts";

const row = (pid: number, status: PatientRow["t1_analysis_status"] = "completed"): PatientRow => ({
  pid,
  patient_id: `P${pid}`,
  patient_name: "",
  patient_age: null,
  patient_birthdate: null,
  patient_sex: null,
  study_date: null,
  label_list: [],
  is_t1_uploaded: true,
  is_t2_uploaded: false,
  t1_analysis_date: null,
  t1_analysis_status: status,
  t2_analysis_date: null,
  t2_analysis_status: null,
  history_count: 1,
});
const ROWS = [row(9), row(7), row(5, "processing"), row(3), row(1)];
const sorted = (checked: ReadonlySet<number>) => [...checked].sort();

// covers: D1-4.35
Deno.test("isCheckable() is false while waiting, processing or pending", () => {
  const states = [
    "ready",
    "waiting",
    "processing",
    "completed",
    "no_response",
    "failed",
    "pending",
  ] as const;
  assert.deepEqual(states.filter((s) => isCheckable(row(1, s))), [
    "ready",
    "completed",
    "no_response",
    "failed",
  ]);
});

Deno.test("checkRow() takes a range in the page's order, without what is being analysed", () => {
  const one = checkRow(new Set([99]), ROWS, 7, true, null);
  assert.deepEqual(sorted(one), [7, 99]);
  assert.deepEqual(sorted(checkRow(one, ROWS, 1, true, 7)), [1, 3, 7, 99]);
  assert.deepEqual(sorted(checkRow(new Set([1, 3, 7, 9]), ROWS, 9, false, 3)), [1]);
  assert.deepEqual(sorted(checkRow(new Set(), ROWS, 3, true, 1234)), [3]);
});

Deno.test("checkAll() and pageState() leave the other pages alone", () => {
  const all = checkAll(new Set([99]), ROWS, true);
  assert.deepEqual([sorted(all), pageState(all, ROWS)], [[1, 3, 7, 9, 99], "all"]);
  assert.deepEqual(
    [pageState(new Set([99]), ROWS), pageState(new Set([3]), ROWS), pageState(new Set(), [])],
    [
      "none",
      "some",
      "none",
    ],
  );
  assert.deepEqual(sorted(checkAll(all, ROWS, false)), [99]);
});

Deno.test("withoutRunning() unchecks what has begun to be analysed, and nothing else", () => {
  const checked = new Set([5, 3, 99]);
  assert.deepEqual(sorted(withoutRunning(checked, ROWS)), [3, 99]);
  const still = new Set([3]);
  assert.equal(withoutRunning(still, ROWS), still);
});
