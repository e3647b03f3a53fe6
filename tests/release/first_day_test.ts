// Checks that the commands in tests/release/first_day.sh are in docs/site.
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

Deno.test("the first day looks for the words that the pages say should be seen", async () => {
  const script = await read("tests/release/first_day.sh");
  const codeOf = async (page: string) =>
    [...(await read(`docs/site/${page}.md`)).matchAll(/^ *```[\s\S]*?^ *```|`[^`\n]+`/gm)].join(
      "\n",
    );
  // outputs of the doctor, which all pages use, are shown only on the first page
  const ofDoctor = await codeOf("install");
  let seen = 0, page = "";
  for (const line of script.split("\n")) {
    page = /^run ([\w-]+) /.exec(line)?.[1] ?? page;
    const [, quoted, word] = /^sees (?:"([^"]+)"|(\w\S*))$/.exec(line) ?? [];
    const words = quoted ?? word;
    // values of the script's example hospital
    if (words === undefined || /[$]|hospital\.example/.test(words)) continue;
    seen++;
    const isThere = (await codeOf(page)).includes(words) || ofDoctor.includes(words);
    assert.ok(isThere, `docs/site/${page}.md does not say that "${words}" should be seen`);
  }
  assert.ok(seen >= 15, String(seen));
});
