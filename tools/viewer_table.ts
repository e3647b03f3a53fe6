/**
 * Writes the figures of a viewer benchmark into docs/benchmarks.md:
 * `deno run -A tools/viewer_table.ts bench/results/FILE.json`
 */
import type { Row } from "@/bench/record.ts";

const DOCUMENT = new URL("../docs/benchmarks.md", import.meta.url);
const START = "<!-- figures of the benchmark: tools/viewer_table.ts -->", END = "<!-- end of the figures -->";

export interface ViewerRecord {
  commit: string;
  cpu: string;
  input: string;
  /** a figure that could not be measured is `null` in the file */
  rows: (Omit<Row, "value"> & { value: number | null })[];
}

const shown = (value: number | null, unit: string): string =>
  value === null ? "–" : `${value} ${unit}`.trim();

/** On what it was measured, how many bars were missed, and every figure. */
export function figuresOf({ commit, cpu, input, rows }: ViewerRecord): string {
  const missed = rows.filter((row) => !row.ok).length;
  const lines = rows.map((row) => [
    row.name,
    shown(row.value, row.unit),
    row.baseline === null ? "" : shown(row.baseline, row.unit),
    row.ratio === null ? "" : String(row.ratio),
    row.bar === null ? "" : String(row.bar),
    row.ok ? "" : "**missed**",
  ]);
  const head = ["", "value", "baseline", "ratio", "bar", ""];
  return [
    `${cpu}; ${input}; commit ${commit}. ${missed === 0 ? "Every bar was met." : `Bars missed: ${missed}.`}`,
    [head, head.map((_, n) => n === 0 ? "---" : "---:"), ...lines].map((line) => `| ${line.join(" | ")} |`)
      .join("\n"),
  ].join("\n\n");
}

/** The document with its figures replaced. @throws {RangeError} when it has no place for them. */
export function withFigures(document: string, figures: string): string {
  const from = document.indexOf(START), to = document.indexOf(END);
  if (from < 0 || to < from) throw new RangeError("Cannot write figures: the document has no place for them");
  return `${document.slice(0, from + START.length)}\n\n${figures}\n\n${document.slice(to)}`;
}

if (import.meta.main) {
  const [path] = Deno.args;
  if (!path) throw new RangeError("Cannot write figures: no benchmark file given");
  const record: ViewerRecord = JSON.parse(Deno.readTextFileSync(path));
  Deno.writeTextFileSync(DOCUMENT, withFigures(Deno.readTextFileSync(DOCUMENT), figuresOf(record)));
}
