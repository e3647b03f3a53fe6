import assert from "node:assert/strict";
import { documentOf, problemsOf } from "@/tools/coverage/coverage.ts";
import { tagsOf } from "@/tools/coverage/tags.ts";

const SOURCE = `// covers: S-1
import assert from "node:assert/strict";

// covers: D1-8.2, S-2
Deno.test({
  name: "says \\"no\\" " +
    "to | all" + why,
});
`;

Deno.test("tagsOf() names the test below a tag, or the file, and refuses what is no id", () => {
  assert.deepEqual(tagsOf("a_test.ts", SOURCE), [
    { path: "a_test.ts", line: 1, ids: ["S-1"], test: null },
    { path: "a_test.ts", line: 4, ids: ["D1-8.2", "S-2"], test: 'says "no" to | all' },
  ]);
  assert.throws(() => tagsOf("a_test.ts", "// covers: D3-1\nDeno.test('a')"), /a_test.ts:1: D3-1/);
  assert.throws(() => tagsOf("a_test.ts", "// covers: S-1\n"), /no test below/);
});

Deno.test("problemsOf() finds requirements without a test and tags without a requirement", () => {
  const tags = tagsOf("a_test.ts", SOURCE);
  const requirements = [
    { id: "S-1", says: "one", instead: "too hard" },
    { id: "D1-8.2", says: "two" },
    { id: "D1-8.3", says: "three" },
    { id: "S-4", says: "four", instead: "a benchmark" },
  ];
  assert.deepEqual(problemsOf([{ title: "All", requirements }], tags), [
    "no test covers D1-8.3: three",
    'S-1 has a test: "instead" is no longer true',
    "a_test.ts:4: there is no requirement S-2",
  ]);
  const text = documentOf([{ title: "All", requirements }], tags);
  assert.match(text, /\| D1-8.2 \| two \| `a_test.ts`: "says "no" to \\\| all" \|/);
  assert.match(text, /\| S-4 \| four \| no test: a benchmark \|/);
});
