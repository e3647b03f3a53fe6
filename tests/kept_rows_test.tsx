import assert from "node:assert/strict";
import { renderToString } from "react-dom/server";
import type { PatientRow } from "@/model/schema/patients.ts";
import { type AnalysisStatus, analysisStatus } from "@/model/schema/study.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { Language } from "@/model/text.ts";
import { DEFAULT_WORKLIST_QUERY } from "@/model/worklist_query.ts";
import { IslandFrame } from "@/client/island_frame.tsx";
import type { KeepMarkup } from "@/client/keep_markup.ts";
import { KeptMarkup } from "@/edge/kept_markup.ts";
import { requestQueryClient } from "@/edge/render.tsx";
import Worklist from "@/islands/Worklist.tsx";
import { Random } from "@/tests/phantom/random.ts";

const ME = 7;
/** Begun anew by each test: what it draws must not hang on those before it. */
let random = new Random(5);
const pick = <T,>(list: readonly T[]): T => list[Math.floor(random.uniform() * list.length)]!;
const STATUSES: (AnalysisStatus | null)[] = [null, ...analysisStatus.options];

function randomRow(pid: number): PatientRow {
  const t1 = pick(STATUSES), t2 = pick(STATUSES), percent = () => pick([null, 0, 37, 99]);
  return {
    pid,
    patient_id: pick(["", "P-1", "<b>&'\"", "한글 번호"]),
    patient_name: pick(["", "Kim Haneul", "김하늘", "O'Neill & <i>Söhne</i>", "\u2028 $& {patient}"]),
    patient_age: pick([null, 0, 67]),
    patient_birthdate: pick([null, "1958-03-12"]),
    patient_sex: pick([null, "male", "female"]),
    study_date: pick([null, "2026-01-05"]),
    label_list: pick([[], ["A"], ["A", "추적 관찰"], ["A", "<B>", "C"]]).map((label_name, id) => ({
      id,
      label_name,
    })),
    is_t1_uploaded: t1 !== null,
    is_t2_uploaded: t2 !== null,
    t1_analysis_date: t1 === "completed" ? "2026-01-06T23:30:00.000Z" : null,
    t1_analysis_status: t1,
    t2_analysis_date: t2 === "completed" ? "2026-02-06T03:30:00.000Z" : null,
    t2_analysis_status: t2,
    history_count: pick([1, 3]),
    ...pick([
      {},
      { editing_user: null, editing_uid: null },
      { editing_user: "Lee", editing_uid: 8 },
      { editing_user: "Me", editing_uid: ME },
    ]),
    t1_analysis_percent: t1 === "processing" ? percent() : null,
    t2_analysis_percent: t2 === "processing" ? percent() : null,
    analysis_error: pick([
      undefined,
      null,
      { code: "engine.crashed" },
      { code: "input.invalid", reason: "x" },
      { code: "made.up" },
    ]),
  };
}

/** The island as the server renders it. */
function render(patients: PatientRow[], language: Language, userId: number, keepMarkup: KeepMarkup | null) {
  const queryClient = requestQueryClient(), query = { ...DEFAULT_WORKLIST_QUERY, page_size: 50 };
  const list = { patients, total: patients.length, page_idx: 1, page_size: 50 };
  queryClient.setQueryData(queryKeys.patientList(query), list);
  return renderToString(
    <IslandFrame
      queryClient={queryClient}
      language={language}
      user={{ user_id: userId, permission_list: [], email: "me@hospital.test" }}
      keepMarkup={keepMarkup}
    >
      <Worklist query={query} />
    </IslandFrame>,
    { identifierPrefix: "Worklist-" },
  );
}

Deno.test("rows that are kept are byte by byte those that React renders, whatever page they were kept from", () => {
  random = new Random(5);
  const kept = new KeptMarkup(20_000_000);
  let rendered = 0;
  const keepMarkup: KeepMarkup = (key, of) =>
    kept.of(JSON.stringify(key), () => {
      rendered++;
      return renderToString(of());
    });
  const rows = Array.from({ length: 300 }, (_, pid) => randomRow(pid + 1));
  for (let round = 0; round < 6; round++) {
    const page = Array.from({ length: 50 }, () => pick(rows));
    const unique = [...new Map(page.map((row) => [row.pid, row])).values()];
    for (const language of ["en", "ko"] as const) {
      const userId = pick([ME, 9]);
      const shown = render(unique, language, userId, keepMarkup);
      assert.equal(shown, render(unique, language, userId, null));
      assert.equal(shown.split('data-pid="').length - 1, unique.length);
      const before = rendered;
      assert.equal(render(unique, language, userId, keepMarkup), shown);
      assert.equal(rendered, before, "an unchanged row is not rendered again");
    }
  }
});

Deno.test("a row that has changed in any field is rendered anew", () => {
  random = new Random(5);
  const kept = new KeptMarkup(1_000_000), keys = new Set<string>();
  const keepMarkup: KeepMarkup = (key, of) => {
    keys.add(JSON.stringify(key));
    return kept.of(JSON.stringify(key), () => renderToString(of()));
  };
  const row: PatientRow = { ...randomRow(1), patient_name: "Before", editing_user: "Lee", editing_uid: 8 };
  assert.ok(render([row], "en", ME, keepMarkup).includes("Before"));
  for (const [name, value] of Object.entries({ ...row, patient_name: "After", analysis_error: null })) {
    const changed = {
      ...row,
      [name]: typeof value === "number" ? value + 1 : name === "patient_name" ? value : null,
    };
    if (JSON.stringify(changed) === JSON.stringify(row) || name === "label_list") continue;
    const before = keys.size;
    render([changed], "en", ME, keepMarkup);
    assert.equal(keys.size, before + 1, name);
  }
  assert.ok(render([{ ...row, patient_name: "After" }], "en", ME, keepMarkup).includes("After"));
  assert.notEqual(render([row], "en", 8, keepMarkup), render([row], "en", ME, keepMarkup));
});
