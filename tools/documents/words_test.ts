import assert from "node:assert/strict";
import { documentWords, MAX_WORDS, totalOf, wordsOf } from "@/tools/documents/words.ts";

Deno.test("wordsOf() counts parts with a letter or a digit, without tables that a tool writes", () => {
  assert.equal(wordsOf("# Two words\n\n| --- | --- |\n| a | 12 % |\n"), 4);
  assert.equal(
    wordsOf(
      "one\n<!-- figures of the benchmark: tools/x.ts -->\n| 1 | 2 |\n<!-- end of the figures -->",
    ),
    1,
  );
  assert.equal(wordsOf("두개강내 용적"), 2);
});

Deno.test("the documents stay within their words (deno run --allow-read tools/documents/words.ts)", async () => {
  const counts = await documentWords();
  assert.ok(counts.length > 30);
  assert.ok(totalOf(counts) <= MAX_WORDS, `${totalOf(counts)} words`);
});
