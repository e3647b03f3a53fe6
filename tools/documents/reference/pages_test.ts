import assert from "node:assert/strict";
import { anchorsOf, linksOf } from "@/tools/documents/links.ts";
import { REFERENCE_PAGES, referenceTexts } from "@/tools/documents/reference/pages.ts";

Deno.test("every page of the reference is made, is listed in its index and is in no commit", async () => {
  const read = (path: string) => Deno.readTextFile(new URL(`../../../${path}`, import.meta.url));
  const texts = await referenceTexts();
  assert.deepEqual([...texts.keys()], REFERENCE_PAGES);
  for (const [path, text] of texts) {
    assert.match(text, /^# .+\n\n/, path);
    assert.ok(anchorsOf(text).size > 0, path);
    assert.doesNotMatch(text, /undefined|\[object/, path);
  }
  const listed = linksOf("docs/reference/index.md", await read("docs/reference/index.md"));
  assert.deepEqual(listed.map(({ path }) => path).sort(), REFERENCE_PAGES);
  assert.match(await read(".gitignore"), /^\/docs\/reference\/\*$/m);
});
