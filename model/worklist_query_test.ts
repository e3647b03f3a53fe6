import assert from "node:assert/strict";
import { DEFAULT_WORKLIST_QUERY, worklistQueryOf, worklistSearchOf } from "@/model/worklist_query.ts";

Deno.test("worklistQueryOf() reads what worklistSearchOf() writes", () => {
  const query = {
    sort_key: "patient_name",
    sort_direction: "asc",
    search_string: "김 & Lee",
    page_idx: 3,
    page_size: 20,
  } as const;
  assert.deepEqual(worklistQueryOf(new URLSearchParams(worklistSearchOf(query))), query);
  assert.equal(worklistSearchOf(DEFAULT_WORKLIST_QUERY), "");
});

Deno.test("worklistQueryOf() takes the default for what is wrong", () => {
  const params = new URLSearchParams("sort=password&dir=up&page=-1&size=100000");
  assert.deepEqual(worklistQueryOf(params), DEFAULT_WORKLIST_QUERY);
  assert.equal(worklistQueryOf(new URLSearchParams("page=1.5")).page_idx, 1);
});

Deno.test("worklistQueryOf() reads the criteria that worklistSearchOf() wrote, and leaves out nonsense", () => {
  const query = {
    ...DEFAULT_WORKLIST_QUERY,
    t2w: true,
    sex: "female" as const,
    age_from: 20,
    age_to: 80,
    birth_from: "1950/01/02",
    study_to: "2026/12/31",
    analysis_from: "2026/11/01",
    label_id_list: [3, 12],
  };
  const address = worklistSearchOf(query);
  assert.equal(
    address,
    "?series=t2w&sex=female&age_from=20&age_to=80&birth_from=1950-01-02&study_to=2026-12-31" +
      "&analysis_from=2026-11-01&labels=3.12",
  );
  assert.deepEqual(worklistQueryOf(new URLSearchParams(address)), query);
  const nonsense = "series=t3&sex=x&age_from=0&age_to=2.5&birth_from=1950-02-30&study_to=&labels=-1.x";
  assert.deepEqual(worklistQueryOf(new URLSearchParams(nonsense)), DEFAULT_WORKLIST_QUERY);
});
