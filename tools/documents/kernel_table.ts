/**
 * Writes the newest results of `deno task bench kernels` into docs/kernels.md: `deno task figures`.
 * All figures come from the named file, so that the document contains no other figure.
 */
import type { Row } from "@/bench/record.ts";
import { table, withFigures } from "@/tools/documents/figures.ts";

const ROOT = new URL("../../", import.meta.url);
export const RESULTS = "bench/results/kernels";
export const DOCUMENT = "docs/kernels.md";

/** Names of rows in older result files: kernels that were removed, because no page called them. */
const GONE = /^(window\/level of|threshold by|histogram of)/;

/** Benchmark results in the form that `--json` writes. */
export interface KernelRecord {
  commit: string;
  cpu: string;
  input: string;
  rows: readonly Row[];
}

/** Name of the newest file of results; each name begins with the date. */
export function newestResults(): string {
  const names = [...Deno.readDirSync(new URL(`${RESULTS}/`, ROOT))].map(({ name }) => name)
    .filter((name) => /^\d{4}-\d\d-\d\d.*\.json$/.test(name)).sort();
  const newest = names.at(-1);
  if (newest === undefined) throw new RangeError(`Cannot write figures: no file in ${RESULTS}`);
  return newest;
}

/** Formats a ratio with its interval; "too noisy" if the ratios of the rounds differed too much. */
function ratioText({ baseline, ratio, interval }: Row): string {
  if (baseline === null) return "";
  if (ratio === null) return "too noisy";
  return interval ? `${ratio} (${interval[0]} to ${interval[1]})` : String(ratio);
}

/** Machine and rows of a file as Markdown. */
export function figuresOf(name: string, { commit, cpu, input, rows: all }: KernelRecord): string {
  const rows = all.filter((row) => !GONE.test(row.name));
  const timing = rows.some(({ interval }) => interval)
    ? "Median of alternate rounds, with the 95 % interval of the ratio."
    : "Best of the rounds: the file is older than the benchmark's alternate rounds and has no intervals.";
  const missed = rows.filter(({ ok }) => !ok).length;
  const lines = rows.map((row) => {
    const [kernel, against = ""] = row.name.split(", against ");
    return [
      // escapes the bar in NumPy's type names, which would end the table cell
      kernel!.replaceAll("|", "\\|"),
      `${row.value} ${row.unit}`,
      against,
      row.baseline === null ? "" : `${row.baseline} ${row.unit}`,
      ratioText(row),
      row.ok ? "" : "**missed**",
    ];
  });
  return [
    `\`${RESULTS}/${name}\`: ${cpu}; ${input}; commit ${commit}. ${
      missed === 0 ? "Every bar was met." : `Bars missed: ${missed}.`
    } ${timing}`,
    table(["Kernel", "WASM", "Against", "its time", "WASM's part of it (95 %)", "Bar"], lines),
  ].join("\n\n");
}

/** docs/kernels.md with the figures of the newest file. */
export async function kernelDocument(): Promise<string> {
  const name = newestResults();
  const record: KernelRecord = JSON.parse(
    await Deno.readTextFile(new URL(`${RESULTS}/${name}`, ROOT)),
  );
  const document = await Deno.readTextFile(new URL(DOCUMENT, ROOT));
  return withFigures(document, "kernel_table", figuresOf(name, record));
}

if (import.meta.main) await Deno.writeTextFile(new URL(DOCUMENT, ROOT), await kernelDocument());
