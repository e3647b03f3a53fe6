import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { filesUnder, PAGE_FOLDERS } from "@/tools/pages/source_files.ts";
import { COLOURS } from "@/tools/pages/colours.ts";
import { buildStylesheet } from "@/tools/pages/stylesheet.ts";

/** Utility classes in a source: a variant before a colon, or a number at the end. */
const UTILITY =
  /(?<![\w:.-])(?:(?:hover|disabled|focus|focus-visible|last|first|placeholder|group-hover|sm|xl):[a-z][\w./-]*|(?:opacity|(?:min-|max-)?[wh]|[pm][xytblr]?|gap(?:-[xy])?|grid-cols|leading|top|right|bottom|left|z)-\d[\d.]*)(?![\w-])/g;

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

Deno.test("buildStylesheet() gives every colour that it names a value, light and dark", async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
  const css = await buildStylesheet(root), names = Object.keys(COLOURS);
  const used = new Set([...css.matchAll(/var\(--([\w-]+)/g)].map((match) => match[1]!));
  // variables with a fallback value need no definition: those of utilities or set by scripts
  const needed = new Set([...css.matchAll(/var\(--([\w-]+)\s*\)/g)].map((match) => match[1]!));
  assert.deepEqual(
    [...needed].filter((name) => !name.startsWith("tw-") && !css.includes(`--${name}:`)),
    [],
  );
  assert.deepEqual(names.filter((name) => !used.has(name)), []);
});
