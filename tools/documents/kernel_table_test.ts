import assert from "node:assert/strict";
import type { Row } from "@/bench/record.ts";
import {
  DOCUMENT,
  figuresOf,
  kernelDocument,
  newestResults,
} from "@/tools/documents/kernel_table.ts";

const row: Row = {
  suite: "kernels",
  name: "compose, against plain JS",
  value: 2,
  unit: "ms",
  baseline: 10,
  ratio: 0.2,
  interval: [0.19, 0.21],
  bar: "right answer, ratio ≤ 0.333",
  ok: true,
};
const recordOf = (rows: Row[]) => ({ commit: "abc", cpu: "2 cores", input: "a volume", rows });

Deno.test("figuresOf() shows each time beside its baseline's, the interval, and misses; kernels that are gone are left out", () => {
  const text = figuresOf(
    "2026-01-01.json",
    recordOf([
      row,
      { ...row, name: "slice, against native", ratio: null, interval: [0.1, 0.9] },
      { ...row, name: "threshold by value, against native" },
      { ...row, name: "copy", baseline: null, ratio: null, interval: null, ok: false },
    ]),
  );
  const lines = text.split("\n");
  assert.match(
    lines[0]!,
    /2026-01-01\.json.*2 cores; a volume; commit abc\. Bars missed: 1\. Median of /,
  );
  for (
    const line of [
      "| compose | 2 ms | plain JS | 10 ms | 0.2 (0.19 to 0.21) |  |",
      "| slice | 2 ms | native | 10 ms | too noisy |  |",
      "| copy | 2 ms |  |  |  | **missed** |",
    ]
  ) assert.ok(lines.includes(line), line);
  assert.doesNotMatch(text, /threshold/);
  assert.match(figuresOf("a.json", recordOf([{ ...row, interval: null }])), /no intervals\.$/m);
});

Deno.test("docs/kernels.md has the figures of the newest file of results", async () => {
  const words = (text: string) => text.split(/[\s|-]+/).filter(Boolean).join(" ");
  const document = await Deno.readTextFile(new URL(`../../${DOCUMENT}`, import.meta.url));
  assert.ok(document.includes(newestResults()));
  assert.equal(words(document), words(await kernelDocument()), "deno task figures");
});
