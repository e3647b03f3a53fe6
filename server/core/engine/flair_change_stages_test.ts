import assert from "node:assert/strict";
import { changeKindOf } from "@/server/core/engine/flair_change_stages.ts";

Deno.test("changeKindOf() never calls a lesion shrinking whose volume grew", () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((kind) => changeKindOf(kind, kind === 1 ? 0 : 50, kind === 4 ? 0 : 50)),
    [
      "new",
      "enlarging",
      "shrinking",
      "gone",
    ],
  );
  assert.equal(changeKindOf(3, 870, 4090), "enlarging");
  assert.equal(changeKindOf(2, 4090, 870), "shrinking");
});
