import assert from "node:assert/strict";
import { removedQuotes, removedRuns, wordRuns } from "./removed_texts.ts";

Deno.test("wordRuns() joins three words, ends at variables and punctuation, and skips short words", () => {
  assert.deepEqual(wordRuns("Books on the shelf: {n} green books missing."), [
    "green books missing",
  ]);
  assert.deepEqual(wordRuns("Four green books\u00a0here"), [
    "Four green books",
    "green books here",
  ]);
  assert.deepEqual(wordRuns("책장이 가득 찼습니다."), ["책장이 가득 찼습니다"]);
});

const RUNS = removedRuns(
  ["The wooden shelf holds books", "green lamp burns"],
  ["Another green lamp burns", "The wooden shelf is full"],
);

Deno.test("removedRuns() keeps only runs that no current text has", () => {
  assert.deepEqual([...RUNS], ["wooden shelf holds", "shelf holds books"]);
});

Deno.test("removedQuotes() finds quotes in literals and documents, not in comments or test names", () => {
  const source = [
    "// the wooden shelf holds books",
    'coreTest("a wooden shelf holds books", () => {',
    '  page.getByText("shelf holds books");',
  ].join("\n");
  assert.deepEqual(removedQuotes("x_test.ts", source, RUNS), ["3: “shelf holds books”"]);
  assert.deepEqual(removedQuotes("x.md", "One\nwooden shelf holds all", RUNS), [
    "2: “wooden shelf holds”",
  ]);
});
