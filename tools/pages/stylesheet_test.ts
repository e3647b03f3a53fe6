import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { filesUnder, PAGE_FOLDERS } from "@/tools/pages/source_files.ts";
import { buildStylesheet } from "@/tools/pages/stylesheet.ts";

/** Names that only a utility class has: a state or a width in front, or a number of the scale behind. */
const UTILITY =
  /(?<![\w:.-])(?:(?:hover|disabled|focus|focus-visible|last|first|placeholder|group-hover|xl):[a-z][\w./-]*|(?:opacity|[wh]|[pm][xytblr]?|gap|grid-cols|leading)-\d[\d.]*)(?![\w-])/g;

Deno.test("buildStylesheet() has a rule for each utility class that the pages name", async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
  const css = await buildStylesheet(root), missing = new Set<string>();
  for (const folder of PAGE_FOLDERS) {
    for await (const file of filesUnder(`${root}/${folder}`)) {
      if (!file.endsWith(".tsx") || file.endsWith("_test.tsx")) continue;
      for (const [name] of (await Deno.readTextFile(file)).matchAll(UTILITY)) {
        if (!css.includes(`.${name.replace(/[^\w-]/g, "\\$&")}`)) missing.add(name);
      }
    }
  }
  assert.deepEqual([...missing], []);
});
