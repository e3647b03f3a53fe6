// covers: D1-4.43
import assert from "node:assert/strict";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientListResponse, PatientRow } from "@/model/schema/studies/patients.ts";
import { DEFAULT_WORKLIST_QUERY } from "@/model/worklist/worklist_query.ts";
import {
  addNewStudies,
  applyAnalysisEvent,
  applyStudyAnalysis,
  applyStudySent,
  newStudies,
  refreshStudies,
  removeNewStudies,
  removeRow,
  runningStages,
} from "@/client/live/worklist_cache.ts";

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

Deno.test("applyAnalysisEvent() changes the named series only, and has a percent while processing only", () => {
  const event = {
    event: "study_analysis",
    pid: 1,
    series: "t2",
    status: "processing",
    percent: 7,
  } as const;
  const after = applyAnalysisEvent(row(1), event);
  assert.deepEqual([after.t1_analysis_status, after.t2_analysis_status], ["waiting", "processing"]);
  assert.equal(after.t2_analysis_percent, 7);
  assert.equal(
    applyAnalysisEvent(after, { ...event, status: "completed" }).t2_analysis_percent,
    null,
  );
});

Deno.test("applyStudyAnalysis() patches every cached page that has the study, and says when it ended", () => {
  const client = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } });
  const keys = [1, 2].map((page_idx) =>
    queryKeys.patientList({ ...DEFAULT_WORKLIST_QUERY, page_idx })
  );
  const page = (pids: number[]) => ({
    patients: pids.map(row),
    total: 4,
    page_idx: 1,
    page_size: 2,
  });
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
  assert.equal(applyStudyAnalysis(client, { ...event, status: "waiting" }), false);
  assert.equal(applyStudyAnalysis(client, { ...event, status: "completed" }), true);
  assert.equal(runningStages.value["2/t1"], undefined);
  client.clear();
});

/** A visible worklist page with these rows; counts refetches of the page and of single rows. */
async function shownPage(
  pids: number[],
  body: (page: {
    client: QueryClient;
    rows: () => PatientRow[];
    asked: { pages: number; rows: number[] };
    refresh: (changed: number[] | null) => Promise<void>;
    sent: (pid: number) => Promise<void>;
  }) => Promise<void>,
) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, retry: false } },
  });
  const queryKey = queryKeys.patientList(DEFAULT_WORKLIST_QUERY),
    asked = { pages: 0, rows: [] as number[] };
  client.setQueryData(queryKey, { patients: pids.map(row), total: 9, page_idx: 1, page_size: 5 });
  const queryFn = () => {
    asked.pages++;
    return {
      patients: pids.map((pid) => ({ ...row(pid), patient_name: "asked" })),
      total: 9,
      page_idx: 1,
      page_size: 5,
    };
  };
  const stop = new QueryObserver<PatientListResponse>(client, { queryKey, queryFn }).subscribe(
    () => {},
  );
  const fetchRow = (pid: number) => {
    asked.rows.push(pid);
    if (pid === 3) return Promise.reject(new AppError("study.deleted", "Cannot find study 3"));
    return Promise.resolve({ ...row(pid), patient_name: "Lee" });
  };
  try {
    await body({
      client,
      rows: () => client.getQueryData<PatientListResponse>(queryKey)!.patients,
      asked,
      refresh: (changed) => refreshStudies(client, changed, fetchRow),
      sent: (pid) => applyStudySent(client, pid, fetchRow),
    });
  } finally {
    stop();
    client.clear();
  }
}

Deno.test("refreshStudies() changes the rows concerned where they stand and leaves the others as they are", () =>
  shownPage([5, 4, 3, 2], async ({ rows, asked, refresh }) => {
    const before = rows();
    await refresh([4, 77]);
    assert.deepEqual(rows().map(({ patient_name }) => patient_name), ["Kim", "Lee", "Kim", "Kim"]);
    assert.equal(rows()[0], before[0]);
    await refresh([3]);
    assert.deepEqual(rows().map(({ pid }) => pid), [5, 4, 2]);
    assert.deepEqual(asked, { pages: 0, rows: [4, 3] });
  }));

Deno.test("refreshStudies() asks for the page when many rows or nobody knows which have changed", () =>
  shownPage([8, 7, 6, 5, 4], async ({ rows, asked, refresh }) => {
    await refresh([8, 7, 6, 5]);
    await refresh(null);
    assert.deepEqual(asked, { pages: 2, rows: [] });
    assert.equal(rows()[0]!.patient_name, "asked");
  }));

Deno.test("applyStudySent() asks for the row of a study that is on screen, and for nothing else", () =>
  shownPage([5, 4], async ({ rows, asked, sent }) => {
    await sent(4);
    await sent(77);
    assert.deepEqual(rows().map(({ patient_name }) => patient_name), ["Kim", "Lee"]);
    assert.deepEqual(asked, { pages: 0, rows: [4] });
  }));

Deno.test("removeRow() takes a study out of its page and its total", () =>
  shownPage([2, 1], async ({ client, rows }) => {
    assert.equal(removeRow(client, 2), true);
    assert.equal(removeRow(client, 2), false);
    assert.deepEqual(rows().map(({ pid }) => pid), [1]);
    await Promise.resolve();
  }));

Deno.test("removeNewStudies() keeps those that came in after the list was asked for", () => {
  addNewStudies([1, 2]);
  const noted = newStudies.value;
  addNewStudies([2, 3]);
  removeNewStudies(noted);
  assert.deepEqual([...newStudies.value], [3]);
  removeNewStudies(newStudies.value);
});
