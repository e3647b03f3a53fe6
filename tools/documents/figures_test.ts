import assert from "node:assert/strict";
import { marksOf, withFigures } from "@/tools/documents/figures.ts";

Deno.test("withFigures() replaces what stands between the marks and nothing else, and the documents have them", async () => {
  const { start, end } = marksOf("viewer_table");
  const at = (figures: string) => `before\n${start}\n\n${figures}\n\n${end}\nafter`;
  assert.equal(withFigures(at("old"), "viewer_table", "new"), at("new"));
  assert.throws(() => withFigures("no place", "viewer_table", "new"), RangeError);
  for (
    const [file, tool] of [["accuracy/figures", "accuracy_table"], [
      "benchmarks",
      "viewer_table",
    ]] as const
  ) {
    const document = await Deno.readTextFile(new URL(`../../docs/${file}.md`, import.meta.url));
    const once = withFigures(document, tool, "NEW");
    assert.ok(once.includes("\n\nNEW\n\n") && withFigures(once, tool, "NEW") === once, file);
  }
});
