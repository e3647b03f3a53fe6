// The corrections from the review of all texts are still in the texts, or have a reason.
import assert from "node:assert/strict";
import { CORRECTIONS } from "@/tests/wordings/corrections.ts";
import { catalogueTexts } from "@/tools/texts/catalogue.ts";

const ROOT = new URL("../../", import.meta.url);
const COUNT = 136;

const plain = (text: string) => text.replaceAll("\u00a0", " ");

Deno.test("every correction of the review has a commit or a reason", () => {
  assert.deepEqual(
    CORRECTIONS.map(({ number }) => number),
    Array.from({ length: COUNT }, (_, n) => n + 1),
  );
  for (const { number, commit, note } of CORRECTIONS) {
    if (commit === null) assert.ok(note, `correction ${number} has no commit and no reason`);
    else assert.match(commit, /^[0-9a-f]{8}$/, `correction ${number}`);
  }
});

Deno.test("every correction of the review is in the text that it names", async () => {
  const texts = await catalogueTexts(), missing: string[] = [];
  for (const { number, at, says } of CORRECTIONS) {
    const language = /[가-힣]/.test(says) ? "ko" : "en";
    const found = at.startsWith("docs/")
      ? [await Deno.readTextFile(new URL(at, ROOT))]
      : texts.filter((text) => text.at.endsWith(`.${at}`)).map(({ text }) => text[language]);
    if (!found.some((text) => plain(text).includes(says))) missing.push(`${number} ${at}: ${says}`);
  }
  assert.deepEqual(missing, []);
});
