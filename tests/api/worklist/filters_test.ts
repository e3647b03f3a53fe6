// covers: D1-2.16, D1-5.15, D1-7.20
import assert from "node:assert/strict";
import {
  addFilter,
  changeFilter,
  deleteFilter,
  listFilters,
} from "@/client/api/worklist/filters.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import type { FilterRequest } from "@/model/schema/worklist/filters.ts";
import { colleague, coreTest } from "@/tests/sites/core_site.ts";

const filter = (values: Partial<FilterRequest> = {}): FilterRequest => ({
  name: "Old women",
  page_idx: 1,
  page_size: 10,
  sort_key: "study_date",
  sort_direction: "asc",
  search_string: "kim",
  t1w: true,
  t2w: null,
  sex: "female",
  age_from: 65,
  age_to: 90,
  birth_from: null,
  birth_to: null,
  study_from: "2024/02/29",
  study_to: "2024/02/29",
  analysis_from: null,
  analysis_to: null,
  label_id_list: [],
  ...values,
});

// covers: D1-3.6
coreTest(
  "a saved filter comes back as it was sent, to its owner only",
  async ({ api, open, dataDir }) => {
    const other = await colleague(open, dataDir);
    const { id_map: ids } = await saveLabels(api, [{ id: -1, label_name: "A", patients: [] }, {
      id: -2,
      label_name: "B",
      patients: [],
    }]);
    const saved = await addFilter(api, {
      ...filter({ name: " Old women ", label_id_list: [ids[-2]!, 999] }),
      id: -1,
    });
    // label 999 does not exist
    assert.deepEqual(saved, {
      ...filter({ label_id_list: [ids[-2]!] }),
      id: saved.id,
      user_id: 1,
    });
    assert.deepEqual((await listFilters(api)).filters, [saved]);
    assert.deepEqual((await getLabels(api)).labels.map((label) => label.filters), [[], [saved.id]]);
    assert.deepEqual((await getLabels(other)).labels.map((label) => label.filters), [[], []]);

    assert.deepEqual((await listFilters(other)).filters, []);
    await assert.rejects(changeFilter(other, saved.id, filter()), { code: "entity.not_found" });
    await assert.rejects(deleteFilter(other, 1), { code: "entity.not_found" });
    assert.equal((await addFilter(other, filter())).user_id, 2);

    // a deleted label is removed from the filter
    await saveLabels(api, [{ id: ids[-1]!, label_name: "A", patients: [] }]);
    assert.deepEqual((await listFilters(api)).filters[0]!.label_id_list, []);
    await deleteFilter(api, saved.id);
    assert.deepEqual((await listFilters(api)).filters, []);
  },
);

coreTest(
  "names of saved filters are unique for each user, whatever their case and the space around",
  async ({ api }) => {
    await addFilter(api, filter());
    await addFilter(api, filter({ name: "Men", sex: "male" }));
    await assert.rejects(addFilter(api, filter({ name: " OLD women" })), {
      code: "filter.duplicate_name",
    });
    await assert.rejects(changeFilter(api, 2, filter()), { code: "filter.duplicate_name" });
    assert.equal((await changeFilter(api, 1, filter({ name: "OLD WOMEN" }))).name, "OLD WOMEN");
  },
);

coreTest("a filter with a wrong field is refused with the name of the field", async ({ api }) => {
  const wrong: [string, Partial<FilterRequest>][] = [
    ["name", { name: "  " }],
    ["age_from", { age_from: 0 }],
    ["age_to", { age_to: 200 }],
    ["age_from", { age_from: 65.5 }],
    ["age_to", { age_from: 65, age_to: 65 }],
    ["study_from", { study_from: "2023/02/29" }],
    ["birth_to", { birth_to: "1990-01-01" as never }],
    ["birth_to", { birth_from: "1990/01/02", birth_to: "1990/01/01" }],
    ["analysis_to", { analysis_from: "2026/01/02", analysis_to: "2026/01/01" }],
    ["sex", { sex: "other" as never }],
    ["sort_key", { sort_key: "password" as never }],
    ["page_size", { page_size: 0 }],
  ];
  for (const [field, values] of wrong) {
    await assert.rejects(
      addFilter(api, filter(values)),
      (error: { code: string; details: object }) => {
        assert.deepEqual([error.code, (error.details as { field: string }).field], [
          "input.invalid",
          field,
        ]);
        return true;
      },
    );
  }
  assert.deepEqual((await listFilters(api)).filters, []);
});
