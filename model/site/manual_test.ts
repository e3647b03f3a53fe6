import assert from "node:assert/strict";
import { HELP_PAGES } from "@/model/text/help.ts";
import { readManual, searchManual } from "@/model/site/manual.ts";
import { LANGUAGES } from "@/model/text.ts";

const manuals = LANGUAGES.map((language) =>
  readManual(Deno.readTextFileSync(new URL(`../../docs/manual/${language}.md`, import.meta.url)))
);

Deno.test("the manual has the same sections in each language, as long, and one for every page that has help", () => {
  const [first, ...others] = manuals.map(({ sections }) =>
    sections.map(({ id, lines }) => [id, ...lines.map(({ kind }) => kind)].join())
  );
  for (const other of others) assert.deepEqual(other, first);
  const ids = manuals[0]!.sections.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const page of HELP_PAGES) assert.ok(ids.includes(page), page);
  assert.deepEqual(manuals.map(({ title }) => title), ["Sulcus User Manual", "Sulcus 사용 설명서"]);
});

Deno.test("readManual() refuses a section that nothing can point to", () => {
  assert.throws(() => readManual("# T\n\n## 1. Upload\n\ntext"), SyntaxError);
});

Deno.test("searchManual() finds the sections that have every word, and of them the lines with one", () => {
  const [english, korean] = manuals as [typeof manuals[0], typeof manuals[0]];
  const found = searchManual(english, "dice  Thickness");
  assert.deepEqual(found.map(({ id }) => id), ["reading"]);
  assert.ok(found[0]!.lines.length > 0 && found[0]!.lines.every(({ text }) => /dice|thickness/i.test(text)));
  assert.ok(searchManual(korean, "백분위").length > 1);
  assert.deepEqual(searchManual(english, "zebra"), []);
  assert.equal(searchManual(english, " ").length, english.sections.length);
});
