import assert from "node:assert/strict";
import { EXPECTED_ELSEWHERE } from "./expected_elsewhere.ts";
import { corpusOf, fixedRuns, repositoryStaleRuns, staleRuns } from "./stale_expectations.ts";

const SHIPPED = corpusOf([
  ["shelf.ts", 'const t = { en: "The {n|shelf is|shelves are} full of books. Ask {name} first" };'],
  ["print.ts", 'print(`Place      ${isFull ? "tidy" : "half empty"}`);'],
  ["docs/shelf.md", "A shelf holds\nforty books."],
  ["tests/sites/shelf.ts", 'f("green lamp", "broken");'],
]);
const stale = (source: string) => staleRuns("x_test.ts", source, SHIPPED).map(({ run }) => run);

Deno.test("fixedRuns() splits a pattern where it matches several texts", () => {
  assert.deepEqual(fixedRuns("^a b\\.c? d[ \\u00a0]e \\d+ f(?:g|h)i$").filter(Boolean), [
    "a b.",
    " d e ",
    " f",
    "g",
    "h",
    "i",
  ]);
});

Deno.test("words of texts, documents, fixtures and the test itself are not stale", () => {
  for (
    const source of [
      'page.getByText("shelf is full")',
      "assert.match(out, /shelves are full of books/);",
      "assert.match(out, /ask Doctor Kim first/i);",
      "assert.match(out, /shelf holds\\s+forty/);",
      "assert.match(out, /Place {6}tidy/);",
      'assert.equal(text, "green lamp");',
      'put("blue lamp"); assert.equal(text, "blue lamp");',
      "assert.equal(`${name} ${state}`, x); assert.deepEqual(rows, ['lamp off']);",
      'assert.ok(found, "nothing was found"); // no such words',
      'Deno.test("no such words", () => {})',
    ]
  ) assert.deepEqual(stale(source), [], source);
});

Deno.test("words that occur nowhere are stale, in patterns, strings and cells", () => {
  assert.deepEqual(stale("assert.match(out, /shelf is crammed/);"), ["shelf is crammed"]);
  assert.deepEqual(stale("assert.doesNotMatch(out, /crammed shelf|x/);"), ["crammed shelf"]);
  assert.deepEqual(stale('page.getByText("Shelf was full")'), ["Shelf was full"]);
  assert.deepEqual(stale('assert.ok(!text.includes("half full"))'), ["half full"]);
  assert.deepEqual(stale('assert.deepEqual(rows, [["half full"]])'), ["half full"]);
  assert.deepEqual(stale("assert.match(out, /Place {6}broken/);"), ["broken"]);
});

Deno.test("tests expect only words that a text, document, code or fixture contains", async () => {
  const found = new Set((await repositoryStaleRuns()).map(({ file, run }) => `${file} “${run}”`));
  const allowed = new Set(Object.values(EXPECTED_ELSEWHERE).flat());
  assert.deepEqual([...found].filter((each) => !allowed.has(each)), [], "take it from a catalogue");
  const ended = [...allowed].filter((each) => {
    const [file, words] = each.slice(0, -1).split(" “"), source = Deno.readTextFileSync(file!);
    return words!.split(" ").some((word) => !source.includes(word));
  });
  assert.deepEqual(ended, [], "no longer expected");
});
