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
