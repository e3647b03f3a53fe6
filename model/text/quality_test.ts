import assert from "node:assert/strict";
import {
  qualityText,
  qualityWarningText,
  warningsText,
  warningText,
} from "@/model/text/quality.ts";

Deno.test("warningText() puts the code of a warning that only another version gives into words", () => {
  assert.equal(warningText("region_empty", "en"), qualityWarningText.region_empty.en);
  assert.equal(
    warningText("of_old", "en"),
    `${qualityText.unknownWarning.en} (of_old)`,
  );
  assert.equal(warningText("of_old", "ko"), `${qualityText.unknownWarning.ko} (of_old)`);
});

Deno.test("warningsText() parts warnings by full stops, as each begins with a capital", () => {
  const { region_empty: empty, outliers } = qualityWarningText;
  assert.equal(warningsText(["region_empty", "outliers"], "en"), `${empty.en}. ${outliers.en}`);
  assert.equal(warningsText(["outliers"], "ko"), outliers.ko);
});
