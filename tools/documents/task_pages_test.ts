// Checks that each page of docs/site that describes a task has the same four parts.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { catalogueTexts } from "@/tools/texts/catalogue.ts";

const SITE = new URL("../../docs/site/", import.meta.url);
/** Reference pages, which describe no task. */
const NO_TASKS = ["administration.md", "index.md", "settings.md", "troubleshooting.md"];
/** Parts of a page about a task, and a pattern that finds each. */
const PARTS: Readonly<Record<string, RegExp>> = {
  "what is needed": /\*\*You need\*\*/,
  "commands": /^ *```sh$/m,
  "what should be seen": /\*\*You should see\*\*/,
  "what can go wrong": /^\| (You see|Shown) +\| /m,
};

Deno.test("each task of docs/site says what is needed, commands, what should be seen, and what can go wrong", async () => {
  const index = await Deno.readTextFile(new URL("index.md", SITE));
  const pages = [...Deno.readDirSync(SITE)].map(({ name }) => name).filter((name) =>
    name.endsWith(".md")
  );
  assert.ok(pages.length >= 12);
  for (const page of pages) {
    if (page !== "index.md") assert.ok(index.includes(`(${basename(page)})`), `index: ${page}`);
    if (NO_TASKS.includes(page)) continue;
    const text = await Deno.readTextFile(new URL(page, SITE));
    for (const [part, pattern] of Object.entries(PARTS)) {
      assert.match(text, pattern, `${page}: ${part}`);
    }
  }
});

/** Bold words that are emphasis or names in other programs, not names on pages of the product. */
const STRESSED = new Set([
  "After each restore or rollback",
  "Full group path",
  "Email verified",
  "Group Membership",
  "Nothing is watched until mail or URL is set",
  "One database",
  "Other changes",
  "Practise",
  "Reading",
  "Recomputing everything",
  "Results affected",
  "Results queued in the copy",
  "Roll back",
  "The nightly backup",
  "The start",
  "With a FHIRcast 3 hub",
  "You need",
  "You should see",
]);

// covers: S-242
Deno.test("a name in bold in docs/site is a name that a page of the product shows, or its beginning", async () => {
  const shown = (await catalogueTexts()).map(({ text }) => text.en.replaceAll("\u00a0", " "));
  const wrong: string[] = [], used = new Set<string>();
  let names = 0;
  for (const { name } of Deno.readDirSync(SITE)) {
    if (!name.endsWith(".md")) continue;
    // whole paragraphs in bold are warnings
    for (
      const [, words] of (await Deno.readTextFile(new URL(name, SITE)))
        .matchAll(/\*\*([A-Z][^*\n]*[^*.\n])\*\*/g)
    ) {
      if (STRESSED.has(words!)) used.add(words!);
      else if (!/`/.test(words!)) {
        names++;
        if (!shown.some((text) => text.startsWith(words!))) wrong.push(`${name}: ${words}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...STRESSED].filter((words) => !used.has(words)), []);
  assert.ok(names >= 40, String(names));
});
