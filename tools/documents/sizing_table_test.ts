// covers: S-202
import assert from "node:assert/strict";
import { DOCUMENT, SIZING, sizingTable, withTable } from "@/tools/documents/sizing_table.ts";

Deno.test("withTable() puts a table in the place of the first, and refuses a document without one", () => {
  const text = "a\n\n| What | B |\n| --- | --- |\n| c | d |\n\ne\n";
  assert.equal(withTable(text, "| What |"), "a\n\n| What |\n\ne\n");
  assert.throws(() => withTable("a\n", "| What |"), RangeError);
});

Deno.test("docs/site/grow.md has the figures of the files that it names", async () => {
  const cells = (text: string) =>
    text.split("\n").map((line) => line.replaceAll(/[\s-]+/g, " ")).join("\n");
  const document = await Deno.readTextFile(new URL(`../../${DOCUMENT}`, import.meta.url));
  assert.equal(
    cells(document),
    cells(withTable(document, await sizingTable())),
    "deno task figures",
  );
  for (const { file } of SIZING) assert.ok(document.includes(`\`${file}\``), file);
});
