// Each page of docs/site that is a task has the same four parts.
import assert from "node:assert/strict";
import { basename } from "node:path";

const SITE = new URL("../../docs/site/", import.meta.url);
/** Pages that are looked things up in, and no tasks. */
const NO_TASKS = ["administration.md", "index.md", "settings.md", "troubleshooting.md"];
/** Parts of a task's page, and a pattern of each. */
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
