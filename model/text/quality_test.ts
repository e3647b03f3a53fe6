import assert from "node:assert/strict";
import { warningText } from "@/model/text/quality.ts";

Deno.test("warningText() puts the code of a warning that only another version gives into words", () => {
  assert.equal(warningText("region_empty", "en"), "A region is missing from the segmentation");
  assert.equal(
    warningText("of_old", "en"),
    "Warning from another version of the analysis (of_old)",
  );
  assert.equal(warningText("of_old", "ko"), "다른 버전의 분석에서 나온 경고 (of_old)");
});
