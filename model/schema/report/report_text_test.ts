import assert from "node:assert/strict";
import { storedText } from "@/model/schema/report/report_text.ts";

Deno.test("storedText() removes blanks at the ends of lines, and empty lines at the ends", () => {
  assert.equal(storedText("\n\n a  b \t\n\n c \u3000\r\n \n"), " a  b\n\n c");
  assert.equal(storedText(" \n \n"), "");
});

Deno.test("storedText() takes linear time for long runs of blanks and of line ends", () => {
  const startMs = performance.now();
  for (const sign of [" ", "\n", "\u3000"]) {
    assert.equal(storedText(`a${sign.repeat(60_000)}b`).length, 60_002);
  }
  // patterns that began within a run took a minute
  assert.ok(performance.now() - startMs < 5000);
});
