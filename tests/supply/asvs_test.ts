// covers: S-74
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { asvsPage, readAsvs } from "@/tools/documents/reference/asvs.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const read = (path: string) => Deno.readTextFile(ROOT + path);

/** Highest requirement number per section of levels 1 and 2; all numbers if some were deleted. */
const SECTIONS: Record<string, number | readonly number[]> = {
  ...{
    "1.1": 7,
    "1.2": 4,
    "1.4": [1, 4, 5],
    "1.5": 4,
    "1.6": 4,
    "1.7": 2,
    "1.8": 2,
    "1.9": 2,
    "1.10": 1,
    "1.11": 2,
  },
  ...{
    "1.12": [2],
    "1.14": 6,
    "2.1": 12,
    "2.2": 3,
    "2.3": 3,
    "2.4": 6,
    "2.5": 7,
    "2.6": 3,
    "2.7": 6,
    "2.8": 7,
  },
  ...{
    "2.9": 3,
    "2.10": 4,
    "3.1": 1,
    "3.2": 4,
    "3.3": 4,
    "3.4": 5,
    "3.5": 3,
    "3.7": 1,
    "4.1": [1, 2, 3, 5],
    "4.2": 2,
  },
  ...{
    "4.3": 3,
    "5.1": 5,
    "5.2": 8,
    "5.3": 10,
    "5.4": 3,
    "5.5": 4,
    "6.1": 3,
    "6.2": 6,
    "6.3": 2,
    "6.4": 2,
    "7.1": 4,
  },
  ...{
    "7.2": 2,
    "7.3": [1, 3, 4],
    "7.4": 3,
    "8.1": 4,
    "8.2": 3,
    "8.3": 8,
    "9.1": 3,
    "9.2": 4,
    "10.2": 2,
    "10.3": 3,
  },
  ...{
    "11.1": 8,
    "12.1": 3,
    "12.2": 1,
    "12.3": 6,
    "12.4": 2,
    "12.5": 2,
    "12.6": 1,
    "13.1": [1, 3, 4, 5],
  },
  ...{
    "13.2": [1, 2, 3, 5, 6],
    "13.3": 2,
    "13.4": 2,
    "14.1": 4,
    "14.2": 6,
    "14.3": [2, 3],
    "14.4": 7,
    "14.5": 4,
  },
};
const wanted = Object.entries(SECTIONS).flatMap(([section, numbers]) =>
  (typeof numbers === "number" ? Array.from({ length: numbers }, (_, n) => n + 1) : numbers).map((
    n,
  ) => `${section}.${n}`)
);

const rows = readAsvs().flatMap(({ requirements }) => requirements);

Deno.test("docs/asvs.json has every requirement of level 2 once, each with a test, a reason or a no; the page has them all", async () => {
  assert.equal(wanted.length, 260);
  assert.deepEqual(rows.map(({ number }) => number).sort(), wanted.toSorted());
  const page = asvsPage();
  for (const { number, state, how } of rows) {
    assert.ok(["yes", "no", "not applicable"].includes(state), number);
    assert.ok(how.length > 3, `${number} says nothing`);
    assert.ok(
      page.includes(`| ${number} | ${state === "not applicable" ? "–" : state} | ${how} |`),
    );
  }
  const count = (state: string) => rows.filter((row) => row.state === state).length;
  const security = (await read("docs/security.md")).replaceAll(/\s+/g, " ");
  const counts = `(${count("yes")} yes, ${count("not applicable")} that do not apply, ${
    count("no")
  } no)`;
  assert.ok(security.includes(counts), `docs/security.md says ${counts}`);
});

Deno.test("docs/asvs.json names tests that there are, by their names", async () => {
  for (const { number, state, how } of rows) {
    const files = [...how.matchAll(/`([\w./-]+_test\.tsx?)`/g)].map(([, path]) => path!);
    for (const path of files) assert.ok(existsSync(ROOT + path), `${number}: ${path}`);
    for (const [, quoted] of how.matchAll(/`[\w./-]+_test\.tsx?`: "([^"]+)"/g)) {
      const texts = await Promise.all(files.map(read)),
        parts = quoted!.split("…").map((part) => part.trim());
      assert.ok(
        texts.some((text) => parts.every((part) => text.includes(part))),
        `${number}: "${quoted}"`,
      );
    }
    const isShown = files.length > 0 || /docs\/|\.md\b|git|\.ci\/run/.test(how);
    assert.ok(state !== "yes" || isShown, `${number} is yes without a test or a place to look`);
  }
});
