import assert from "node:assert/strict";
import { qualityText, qualityWarningText, warningText } from "@/model/text/quality.ts";

Deno.test("warningText() puts the code of a warning that only another version gives into words", () => {
  assert.equal(warningText("region_empty", "en"), qualityWarningText.region_empty.en);
  assert.equal(
    warningText("of_old", "en"),
    `${qualityText.unknownWarning.en} (of_old)`,
  );
  assert.equal(warningText("of_old", "ko"), `${qualityText.unknownWarning.ko} (of_old)`);
});
