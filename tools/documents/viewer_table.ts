/**
 * Writes the figures of a viewer benchmark into docs/benchmarks.md:
 * `deno run -A tools/documents/viewer_table.ts bench/results/SUITE/FILE.json`
 */
import type { Row } from "@/bench/record.ts";
import { table, writeFigures } from "@/tools/documents/figures.ts";

const DOCUMENT = new URL("../../docs/benchmarks.md", import.meta.url);
interface ViewerRecord {
  commit: string;
  cpu: string;
  input: string;
  /** measured value; `null` for a value that could not be measured */
  rows: (Omit<Row, "value"> & { value: number | null })[];
}

const figureText = (value: number | null, unit: string): string =>
  value === null ? "–" : `${value} ${unit}`.trim();

/** Text about the measured machine, the number of missed acceptance limits, and all figures. */
export function figuresOf({ commit, cpu, input, rows }: ViewerRecord): string {
  const missed = rows.filter((row) => !row.ok).length;
  const lines = rows.map((row) => [
    row.name,
    figureText(row.value, row.unit),
    row.baseline === null ? "" : figureText(row.baseline, row.unit),
    row.ratio === null ? "" : String(row.ratio),
    row.bar === null ? "" : String(row.bar),
    row.ok ? "" : "**missed**",
  ]);
  const head = ["", "value", "baseline", "ratio", "bar", ""];
  return [
    `${cpu}; ${input}; commit ${commit}. ${
      missed === 0 ? "Every bar was met." : `Bars missed: ${missed}.`
    }`,
    table(head, lines),
  ].join("\n\n");
}

if (import.meta.main) writeFigures(DOCUMENT, "viewer_table", figuresOf);
