// covers: S-12
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { DEFAULT_LIST_VIEW, type ListView } from "@/model/schema/worklist/list_view.ts";
import { getListView, saveListView } from "@/client/api/worklist/list_view.ts";
import { colleague, coreTest } from "@/tests/sites/core_site.ts";

coreTest(
  "the view of the worklist is each user's own, and five rows for a new one",
  async ({ api, open, dataDir }) => {
    const other = await colleague(open, dataDir);
    assert.deepEqual(await getListView(api), DEFAULT_LIST_VIEW);
    assert.equal(DEFAULT_LIST_VIEW.page_size, 5);
    const view: ListView = {
      page_size: 17,
      is_fit: true,
      density: "compact",
      columns: [{ key: "name", width: 240 }, { key: "status", width: null }],
    };
    await saveListView(api, view);
    assert.deepEqual(await getListView(api), view);
    assert.deepEqual(await getListView(other), DEFAULT_LIST_VIEW);
  },
);

coreTest(
  "a view without names, with a column twice, or with sizes beyond the limits is refused",
  async ({ api }) => {
    const refused: Partial<ListView>[] = [
      { columns: [{ key: "age", width: null }] },
      { columns: [{ key: "name", width: null }, { key: "name", width: null }] },
      { columns: [{ key: "name", width: 6000 }] },
      { page_size: 500 },
    ];
    for (const change of refused) {
      await assert.rejects(
        saveListView(api, { ...DEFAULT_LIST_VIEW, ...change }),
        (error) => error instanceof AppError && error.code === "input.invalid",
        JSON.stringify(change),
      );
    }
    assert.deepEqual(await getListView(api), DEFAULT_LIST_VIEW);
  },
);
