// The commands that tests/release/first_day.sh takes out of docs/site are there.
import assert from "node:assert/strict";
import { plainText, readDocument } from "@/model/site/document.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));

Deno.test("every page that the first day runs has commands below the heading that is named", async () => {
  const runs = [
    ...(await read("tests/release/first_day.sh")).matchAll(/^run ([\w-]+) (?:"([^"]+)"|(\w+))$/gm),
  ];
  assert.ok(runs.length >= 10);
  for (const [, page, quoted, word] of runs) {
    const blocks = readDocument(await read(`docs/site/${page}.md`)), heading = quoted ?? word!;
    const from = blocks.findIndex((block) =>
      block.kind === "heading" && plainText(block.pieces) === heading
    );
    assert.ok(from >= 0, `docs/site/${page}.md has no heading "${heading}"`);
    const next = blocks.slice(from + 1).find(({ kind }) => kind === "heading" || kind === "code");
    assert.equal(next?.kind, "code", `docs/site/${page}.md has no commands below "${heading}"`);
  }
});
