import assert from "node:assert/strict";
import { QueryClient } from "@tanstack/react-query";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientListResponse, PatientRow } from "@/model/schema/patients.ts";
import { DEFAULT_WORKLIST_QUERY } from "@/model/worklist_query.ts";
import { applyStudyAnalysis, rowAfter, runningStages } from "@/client/worklist_cache.ts";

const row = (pid: number): PatientRow => ({
  pid,
  patient_id: `P${pid}`,
  patient_name: "Kim",
  patient_age: 60,
  patient_birthdate: "1960-01-01",
  patient_sex: "female",
  study_date: "2020-01-01",
  label_list: [],
  is_t1_uploaded: true,
  is_t2_uploaded: true,
  t1_analysis_date: null,
  t1_analysis_status: "waiting",
  t2_analysis_date: null,
  t2_analysis_status: "waiting",
  history_count: 1,
});

Deno.test("rowAfter() changes the named series only, and has a percent while processing only", () => {
  const event = { event: "study_analysis", pid: 1, series: "t2", status: "processing", percent: 7 } as const;
  const after = rowAfter(row(1), event);
  assert.deepEqual([after.t1_analysis_status, after.t2_analysis_status], ["waiting", "processing"]);
  assert.equal(after.t2_analysis_percent, 7);
  assert.equal(rowAfter(after, { ...event, status: "completed" }).t2_analysis_percent, null);
});

Deno.test("applyStudyAnalysis() patches every cached page that has the study, and asks again at the end", () => {
  const client = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } });
  const keys = [1, 2].map((page_idx) => queryKeys.patientList({ ...DEFAULT_WORKLIST_QUERY, page_idx }));
  const page = (pids: number[]) => ({ patients: pids.map(row), total: 4, page_idx: 1, page_size: 2 });
  client.setQueryData(keys[0]!, page([1, 2]));
  client.setQueryData(keys[1]!, page([3, 4]));
  const other = client.getQueryData(keys[1]!);
  const event = { event: "study_analysis", pid: 2, series: "t1", status: "processing" } as const;
  applyStudyAnalysis(client, { ...event, percent: 40, stage: "affine" });
  const patched = client.getQueryData<PatientListResponse>(keys[0]!)!;
  assert.equal(patched.patients[1]!.t1_analysis_percent, 40);
  assert.equal(patched.patients[0]!.t1_analysis_status, "waiting");
  assert.equal(client.getQueryData(keys[1]!), other);
  assert.equal(runningStages.value["2/t1"], "affine");
  assert.equal(client.getQueryState(keys[0]!)!.isInvalidated, false);
  applyStudyAnalysis(client, { ...event, status: "completed" });
  assert.equal(client.getQueryState(keys[0]!)!.isInvalidated, true);
  assert.equal(runningStages.value["2/t1"], undefined);
  client.clear();
});
