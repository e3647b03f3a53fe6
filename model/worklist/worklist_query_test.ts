// covers: S-9
import assert from "node:assert/strict";
import {
  DEFAULT_WORKLIST_QUERY,
  isAnotherSearch,
  worklistQueryOf,
  worklistSearchOf,
} from "@/model/worklist/worklist_query.ts";

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
  assert.equal(worklistQueryOf(new URLSearchParams("size=13")).page_size, 13);
  assert.equal(worklistQueryOf(new URLSearchParams("size=51"), 20).page_size, 20);
});

Deno.test("worklistQueryOf() reads the criteria that worklistSearchOf() wrote, and leaves out nonsense", () => {
  const query = {
    ...DEFAULT_WORKLIST_QUERY,
    state: "failed" as const,
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
    "?state=failed&series=t2w&sex=female&age_from=20&age_to=80&birth_from=1950-01-02&study_to=2026-12-31" +
      "&analysis_from=2026-11-01&labels=3.12",
  );
  assert.deepEqual(worklistQueryOf(new URLSearchParams(address)), query);
  const ranges =
    "age_from=60&age_to=60&birth_from=1960-01-02&birth_to=1960-01-01&study_from=2026-01-02" +
    "&study_to=2025-01-01&analysis_from=2026-02-01&analysis_to=2026-01-31&page=10000001";
  assert.deepEqual(worklistQueryOf(new URLSearchParams(ranges)), DEFAULT_WORKLIST_QUERY);
  const nonsense =
    "series=t3&sex=x&age_from=0&age_to=2.5&birth_from=1950-02-30&study_to=&labels=-1.x";
  assert.deepEqual(worklistQueryOf(new URLSearchParams(nonsense)), DEFAULT_WORKLIST_QUERY);
});

// covers: D1-4.38
Deno.test("isAnotherSearch() sees search and filter, in whatever order they are given, and neither page nor order", () => {
  const labels = { ...DEFAULT_WORKLIST_QUERY, label_id_list: [3] };
  const given = { ...labels, sex: "male" as const },
    read = { ...DEFAULT_WORKLIST_QUERY, sex: "male" as const };
  assert.equal(isAnotherSearch(given, { ...read, label_id_list: [3] }), false);
  const moved = {
    page_idx: 4,
    page_size: 20,
    sort_key: "study_date",
    sort_direction: "asc",
  } as const;
  assert.equal(isAnotherSearch(given, { ...given, ...moved }), false);
  assert.equal(isAnotherSearch(given, { ...given, search_string: "kim" }), true);
  assert.equal(isAnotherSearch(given, labels), true);
});
