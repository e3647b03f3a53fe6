import assert from "node:assert/strict";
import { normalForm } from "@/model/normal_form.ts";
import { labelLength } from "@/model/schema/worklist/labels.ts";
import { messageLength } from "@/model/report/opinions.ts";
import { storedText } from "@/model/schema/report/report_text.ts";
import { searchableText } from "@/model/worklist/search_text.ts";

const FORMS = ["NFC", "NFKC", "NFKD"] as const;

Deno.test("normalForm() is the normal form of texts that people write", () => {
  const texts = ["김하늘 Kim^Haneul", "각", "ﷺ½Å", "a\u0315\u0300", `x${"\u0300".repeat(30)}`, "ﾊﾞ"];
  for (const text of texts) {
    for (const form of FORMS) assert.equal(normalForm(text, form), text.normalize(form));
  }
});

Deno.test("normalForm() keeps all marks of a long run, and is the same a second time", () => {
  for (const marks of ["\u0315\u0300", "\uff9e\u0315", "\u0301"]) {
    for (const form of FORMS) {
      const once = normalForm(`a${marks.repeat(500)}b`, form);
      assert.equal(normalForm(once, form), once);
      const lettersOf = (text: string) =>
        [...text.normalize("NFKD").replaceAll("\u034f", "")].sort();
      assert.deepEqual(lettersOf(once), lettersOf(`a${marks.repeat(500)}b`));
    }
  }
});

Deno.test("a long run of marks takes linear time in every text that callers choose", () => {
  const marks = `a${"\u0315\u0300".repeat(100_000)}`, startMs = performance.now();
  for (const form of FORMS) normalForm(marks, form);
  for (const read of [labelLength, messageLength, storedText, searchableText]) read(marks);
  // half an hour without the joiners
  assert.ok(performance.now() - startMs < 10_000);
});
