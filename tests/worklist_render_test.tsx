import assert from "node:assert/strict";
import { renderToString } from "react-dom/server";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { LANGUAGES } from "@/model/text.ts";
import { DEFAULT_LIST_VIEW } from "@/model/schema/worklist/list_view.ts";
import { DEFAULT_WORKLIST_QUERY } from "@/model/worklist/worklist_query.ts";
import { IslandFrame } from "@/components/page/island_frame.tsx";
import { requestQueryClient } from "@/server/edge/pages/render.tsx";
import Worklist from "@/islands/Worklist.tsx";

const rowOf = (pid: number): PatientRow => ({
  pid,
  patient_id: `<b>&'" ${pid}`,
  patient_name: "김하늘 {patient} $&",
  patient_age: 67,
  patient_birthdate: null,
  patient_sex: null,
  study_date: "2026-01-05",
  label_list: [{ id: 1, label_name: "추적 관찰" }],
  is_t1_uploaded: true,
  is_t2_uploaded: false,
  t1_analysis_date: "2026-01-06T23:30:00.000Z",
  t1_analysis_status: "completed",
  t2_analysis_date: null,
  t2_analysis_status: null,
  history_count: 1,
  t1_analysis_percent: null,
  t2_analysis_percent: null,
});

Deno.test("the server renders the worklist with each row once, its words escaped, in both languages", () => {
  const patients = Array.from({ length: 50 }, (_, n) => rowOf(n + 1));
  for (const language of LANGUAGES) {
    const queryClient = requestQueryClient(), query = { ...DEFAULT_WORKLIST_QUERY, page_size: 50 };
    const list = { patients, total: 51, page_idx: 1, page_size: 50 };
    queryClient.setQueryData(queryKeys.patientList(query), list);
    const user = { user_id: 7, permission_list: [], email: "me@hospital.test" };
    const html = renderToString(
      <IslandFrame queryClient={queryClient} language={language} timeZone="Asia/Seoul" user={user}>
        <Worklist query={query} view={DEFAULT_LIST_VIEW} />
      </IslandFrame>,
    );
    const pids = [...html.matchAll(/<tr[^>]* data-pid="(\d+)"/g)].map(([, pid]) => Number(pid));
    assert.deepEqual(pids, patients.map(({ pid }) => pid));
    assert.ok(!html.includes("<b>"));
    // the column of IDs has its width before a script runs
    const longest = Math.max(...patients.map(({ patient_id }) => patient_id.length));
    assert.match(html, new RegExp(`class="worklist-scroll[^"]* id-chars-${longest}"`));
    assert.ok(html.includes("김하늘 {patient} $&amp;"));
    assert.doesNotMatch(html, /class="worklist-scroll[^"]* long(est)?-names/);
  }
});

Deno.test("a page with long names has a wider column for them, from the server on", () => {
  for (
    const [name, width] of [
      ["Kim Haneul / 金 하늘 / 김 하늘 / Kim Haneul", ""],
      ["Wolfeschlegelsteinhausenberger Hubert / 山田", "long-names"],
      ["Wolfeschlegelsteinhausenbergerdorff Hubert Blaine Christian", "longest-names"],
    ] as const
  ) {
    const queryClient = requestQueryClient();
    const list = {
      patients: [{ ...rowOf(1), patient_name: name }],
      total: 1,
      page_idx: 1,
      page_size: 5,
    };
    queryClient.setQueryData(queryKeys.patientList(DEFAULT_WORKLIST_QUERY), list);
    const html = renderToString(
      <IslandFrame queryClient={queryClient} language="en" timeZone="Asia/Seoul" user={null}>
        <Worklist query={DEFAULT_WORKLIST_QUERY} view={DEFAULT_LIST_VIEW} />
      </IslandFrame>,
    );
    const classes = /class="(worklist-scroll[^"]*)"/.exec(html)![1]!.split(" ");
    assert.equal(classes.find((one) => one.endsWith("-names")) ?? "", width);
  }
});
