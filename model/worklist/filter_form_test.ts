// covers: D1-3.6
import assert from "node:assert/strict";
import {
  criteriaOf,
  EMPTY_FORM,
  type FilterForm,
  formOf,
  problemsOf,
  tagsOf,
} from "@/model/worklist/filter_form.ts";
import type { SavedFilter } from "@/model/schema/worklist/filters.ts";

const FORM: FilterForm = {
  id: 3,
  filterName: "Old women",
  ageFrom: "60",
  ageTo: "90",
  sex: "female",
  t1wt2w: "t1w",
  birthDate: ["1930-01-01", ""],
  studyDate: ["2025-01-01", "2025-12-31"],
  analysisDate: ["", "2026-02-03"],
  labels: [4, 7],
};
const saved = (id: number, name: string) => ({ id, name }) as SavedFilter;

// covers: D1-2.16
Deno.test("criteriaOf() and formOf() are each other's way back", () => {
  const criteria = criteriaOf(FORM);
  assert.deepEqual(criteria, {
    t1w: true,
    sex: "female",
    age_from: 60,
    age_to: 90,
    birth_from: "1930/01/01",
    study_from: "2025/01/01",
    study_to: "2025/12/31",
    analysis_to: "2026/02/03",
    label_id_list: [4, 7],
  });
  assert.deepEqual(formOf(criteria, 3, "Old women"), FORM);
  assert.deepEqual(criteriaOf(EMPTY_FORM), {});
  assert.deepEqual(formOf({ t1w: null, t2w: true, age_from: null }), {
    ...EMPTY_FORM,
    t1wt2w: "t2w",
  });
});

// covers: D1-5.15
Deno.test("problemsOf() refuses what D1 §5 refuses", () => {
  const problems = (change: Partial<FilterForm>, filters: SavedFilter[] | null = null) =>
    problemsOf({ ...FORM, ...change }, filters);
  assert.deepEqual(problems({}), {});
  assert.deepEqual(problems({ ageFrom: "0" }), { ageFrom: "age_range" });
  assert.deepEqual(problems({ ageFrom: "60.5" }), { ageFrom: "age_range" });
  assert.deepEqual(problems({ ageTo: "200" }), { ageTo: "age_range" });
  assert.deepEqual(problems({ ageTo: "x" }), { ageTo: "age_range" });
  assert.deepEqual(problems({ ageTo: "60" }), { ageTo: "age_order" });
  assert.deepEqual(problems({ ageFrom: "", ageTo: "1" }), {});
  assert.deepEqual(problems({ studyDate: ["2025-01-02", "2025-01-01"] }), {
    studyDate: "date_order",
  });
  assert.deepEqual(problems({ filterName: " " }, []), { filterName: "name_required" });
  assert.deepEqual(problems({}, [saved(8, "old WOMEN ")]), { filterName: "name_duplicate" });
  assert.deepEqual(problems({}, [saved(3, "Old women")]), {});
});

// covers: D1-2.6
Deno.test("tagsOf() gives each criterion a tag that takes it away alone", () => {
  const tags = tagsOf(criteriaOf(FORM), (id) => `L${id}`);
  assert.deepEqual(tags.map(({ category, words }) => `${category}: ${words}`), [
    "age: 60–90",
    "T1w: T1w",
    "label: L4",
    "label: L7",
    "sex: F",
    "birthDate: ≥ 1930-01-01",
    "studyDate: 2025-01-01–2025-12-31",
    "analysisDate: ≤ 2026-02-03",
  ]);
  assert.deepEqual(tags[2]!.without.label_id_list, [7]);
  const { age_from: _f, age_to: _t, ...rest } = criteriaOf(FORM);
  assert.deepEqual(tags[0]!.without, rest);
  assert.deepEqual(tagsOf({ label_id_list: [4] }, String)[0]!.without, {});
});
