// Every requirement has a test, and the tests that docs/security.md names for controls exist.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { problemsOf, readRequirements } from "@/tools/coverage/coverage.ts";
import { readTags } from "@/tools/coverage/tags.ts";
import { filesUnder, PAGE_FOLDERS } from "@/tools/pages/source_files.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const rows = async (): Promise<string[]> =>
  (await Deno.readTextFile(`${ROOT}docs/security.md`)).split("\n").filter((line) =>
    line.startsWith("|")
  );

Deno.test("every requirement has a test or a reason (deno task coverage)", async () => {
  assert.deepEqual(problemsOf(await readRequirements(), await readTags()), []);
});

Deno.test("docs/security.md names files that exist", async () => {
  for (const row of await rows()) {
    for (const [, path] of row.matchAll(/`([\w./-]+_test\.tsx?)`/g)) {
      assert.ok(existsSync(ROOT + path), `${path} of: ${row.slice(0, 100)}`);
    }
  }
});

Deno.test("docs/security.md quotes names of tests and steps as they are, `…` for what is left out", async () => {
  const names: string[] = [];
  for (
    const folder of [
      ...PAGE_FOLDERS,
      "bench",
      "client",
      "model",
      "report",
      "server",
      "tests",
      "tools",
    ]
  ) {
    for await (const file of filesUnder(ROOT + folder)) {
      if (/_test\.tsx?$/.test(file)) names.push(await Deno.readTextFile(file));
    }
  }
  const all = names.join("\n"), unknown: string[] = [];
  for (const row of await rows()) {
    const proof = row.split("|").at(-2)!;
    for (const [, quoted] of proof.matchAll(/"([^"]+)"/g)) {
      const parts = quoted!.split("…").map((part) => part.trim()).filter((part) => part !== "");
      if (parts.length > 0 && !parts.every((part) => all.includes(part))) unknown.push(quoted!);
    }
  }
  assert.deepEqual(unknown, []);
});
