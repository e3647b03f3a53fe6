import assert from "node:assert/strict";
import { type BenchRecord, tablesOf } from "@/tools/documents/accuracy_table.ts";

const row = (name: string, value: number, more: Partial<BenchRecord["rows"][number]> = {}) => ({
  suite: "engine" as const,
  name,
  value,
  unit: "1",
  baseline: null,
  ratio: null,
  bar: null,
  ok: true,
  ...more,
});

const record: BenchRecord = {
  commit: "abc",
  cpu: "2 cores",
  runtime: "Deno",
  rows: [
    row("phantom, usual: time", 31.5),
    row("phantom, usual: memory of the engine", 400),
    row("phantom, usual: memory of the process", 800),
    row("phantom, usual, stage label: time", 1.5),
    row("phantom, usual: cortex: Dice", 0.9),
    row("phantom, usual: cortex: volume", 450, { ratio: 1.02, baseline: 441 }),
    row("phantom, usual: regions: mean Dice", 0.8),
    row("phantom, usual: regions: median volume error", 9, { unit: "%" }),
    row("lesions: Dice", 0.5, { bar: "≥ 0.67", ok: false }),
  ],
};

Deno.test("tablesOf() puts every figure into one of its tables and marks what missed its bar", () => {
  const lines = tablesOf(record).split("\n");
  for (
    const line of [
      "| phantom, usual | 31.5 | 400 | 800 |",
      "| phantom, usual, stage label | 1.5 |  |  |",
      "| cortex | 0.900 (1.02) |",
      "| regions: median volume error | 9 % |",
      "| lesions: Dice | 0.5 |  | ≥ 0.67 | **missed** |",
    ]
  ) assert.ok(lines.includes(line), `${line} in\n${lines.join("\n")}`);
});
