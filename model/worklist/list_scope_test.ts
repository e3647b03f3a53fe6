// covers: D1-4.2
import assert from "node:assert/strict";
import { scopeWords } from "@/model/worklist/list_scope.ts";

const labelName = (id: number) => `Label ${id}`;

Deno.test("scopeWords() names search, state and criteria of a list, and nothing of a whole worklist", () => {
  const empty = { search: "", state: undefined, criteria: {} };
  assert.deepEqual(scopeWords(empty, "en", labelName), []);
  const scope = {
    search: "müller",
    state: "waiting" as const,
    criteria: { age_from: 60, age_to: 80, label_id_list: [3, 7], study_from: "2024/01/03" },
  };
  assert.deepEqual(scopeWords(scope, "en", labelName), [
    "Search: “müller”",
    "Waiting",
    "Age: 60–80",
    "Label: Label 3",
    "Label: Label 7",
    "Study date: ≥ 2024-01-03",
  ]);
  assert.deepEqual(scopeWords(scope, "ko", labelName).slice(0, 3), [
    "검색: “müller”",
    "대기 중",
    "나이: 60–80",
  ]);
});
