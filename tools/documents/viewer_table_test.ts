import assert from "node:assert/strict";
import { figuresOf } from "@/tools/documents/viewer_table.ts";

const row = {
  suite: "viewer" as const,
  unit: "ms",
  baseline: null,
  ratio: null,
  bar: null,
  ok: true,
};

Deno.test("figuresOf() shows every figure, marks what missed its bar and says how many did", () => {
  const figures = figuresOf({
    commit: "abc",
    cpu: "2 cores",
    input: "256³",
    rows: [
      { ...row, name: "opacity", value: 2, baseline: 4000, ratio: 0.0005, bar: "≤ 0.005 ×" },
      { ...row, name: "peer", value: null, bar: "measured", ok: false },
    ],
  });
  assert.match(figures, /^2 cores; 256³; commit abc\. Bars missed: 1\.\n/);
  assert.ok(figures.includes("| opacity | 2 ms | 4000 ms | 0.0005 | ≤ 0.005 × |  |"));
  assert.ok(figures.includes("| peer | – |  |  | measured | **missed** |"));
});
