// covers: S-12
import assert from "node:assert/strict";
import { fittingRows } from "@/components/worklist/view/use_fit_rows.ts";

Deno.test("fittingRows() counts whole rows below the head, five at least and fifty at most", () => {
  assert.equal(fittingRows(58 + 10 * 52, "comfortable"), 10);
  assert.equal(fittingRows(58 + 10 * 52 - 1, "comfortable"), 9);
  assert.equal(fittingRows(58 + 10 * 52, "compact"), 13);
  assert.equal(fittingRows(100, "comfortable"), 5);
  assert.equal(fittingRows(100_000, "compact"), 50);
});
