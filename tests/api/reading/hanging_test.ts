// covers: S-123
import assert from "node:assert/strict";
import { findHanging, saveHanging } from "@/client/api/reading/hanging.ts";
import { DEFAULT_HANGING, type Hanging } from "@/model/schema/reading/hanging.ts";
import { colleague, coreTest } from "@/tests/sites/core_site.ts";

coreTest(
  "how a viewer opens is kept for each user, on whatever computer",
  async ({ api, open, dataDir }) => {
    const other = await colleague(open, dataDir),
      chosen: Hanging = { layout: "2x3", opens: "prior" };
    assert.deepEqual(await findHanging(api), DEFAULT_HANGING);
    assert.deepEqual(await saveHanging(api, chosen), chosen);
    assert.deepEqual([await findHanging(api), await findHanging(other)], [chosen, DEFAULT_HANGING]);
    const wrong = { layout: "9x9", opens: "prior" } as unknown as Hanging;
    await assert.rejects(saveHanging(other, wrong), { code: "input.invalid" });
    await assert.rejects(findHanging(open), { code: "token.missing" });
  },
);
