/**
 * Writes the table of required machine sizes, from files of benchmark results, into
 * docs/site/grow.md: `deno task figures`. Each row names its file; a row without file is an error.
 */
import type { Row } from "@/bench/record.ts";

const ROOT = new URL("../../", import.meta.url);
const RESULTS = "bench/results";
export const DOCUMENT = "docs/site/grow.md";
const HEAD = "| What ";

/** Value in the named row of a result file; throws for another unit than the expected one. */
export type ValueOf = (name: string, unit: string) => number;

interface SizingRow {
  /** task of the row, in the words of an administrator */
  subject: string;
  file: string;
  figure: (value: ValueOf) => string;
}

const ONE_HOUR_S = 3600;
const gigabytes = (mb: number) => (mb / 1000).toFixed(2);
const P95 = "500 queries on 100000 studies, 95th percentile";

export const SIZING: readonly SizingRow[] = [
  {
    subject: "study of T1w and FLAIR, without networks",
    file: "server/2026-11-21.json",
    figure: (value) => {
      const seconds = value("3 studies, from the last upload to the last result", "s") / 3;
      return `${seconds.toFixed(0)} s: ${(ONE_HOUR_S / seconds).toFixed(0)} an hour`;
    },
  },
  {
    subject: "memory of the process during an analysis: T1w; T1w and FLAIR",
    file: "engine/2026-11-21.json",
    figure: (value) =>
      `${gigabytes(value("phantom, usual: memory of the process", "MB"))} GB; ${
        gigabytes(value("phantom, lesions of 8 mL: memory of the process", "MB"))
      } GB`,
  },
  {
    subject: "worklist pages of 50 rows",
    file: "pages/2026-11-26.json",
    figure: (value) => `${value("worklist page, 50 rows", "pages/s").toFixed(0)} a second`,
  },
  {
    subject: "2,000 open pages: an event to all, p99",
    file: "sockets/2026-11-26.json",
    figure: (value) =>
      `${value("from the core to the last byte, 99th percentile", "ms").toFixed(0)} ms`,
  },
  {
    subject: "three workers, in studies of one (simulated)",
    file: "workers/2026-11-23.json",
    figure: (value) =>
      (value("three workers with 0.25 of a processor each", "studies/h") /
        value("one worker with 0.25 of a processor", "studies/h")).toFixed(2),
  },
  {
    subject: "database of a study of 352 slices: SQLite; PostgreSQL",
    file: "scale/2026-11-23.json",
    figure: (value) =>
      `${value("SQLite: a study of 352 slices", "kB").toFixed(0)} kB; ${
        value("PostgreSQL: a study of 352 slices", "kB").toFixed(0)
      } kB`,
  },
  {
    subject: "a list of 100,000 studies on SQLite, p95",
    file: "worklist/2026-11-22-painted.json",
    figure: (value) => `${value(P95, "ms").toFixed(0)} ms`,
  },
  {
    subject: "a list of 100,000 studies on PostgreSQL, p95",
    file: "worklist/2026-11-22-painted-postgres.json",
    figure: (value) => `${value(`PostgreSQL: ${P95}`, "ms").toFixed(0)} ms`,
  },
];

/** Rows of a result file by name, and the processor. @throws {RangeError} for a missing row. */
async function readResults(file: string): Promise<{ value: ValueOf; cpu: string }> {
  const text = await Deno.readTextFile(new URL(`${RESULTS}/${file}`, ROOT));
  const { rows, cpu }: { rows: Row[]; cpu: string } = JSON.parse(text);
  const value: ValueOf = (name, unit) => {
    const row = rows.find((each) => each.name === name && each.unit === unit);
    if (!row) throw new RangeError(`Cannot write figures: ${file} has no "${name}" in ${unit}`);
    return row.value;
  };
  return { value, cpu };
}

/** Makes the table of machine sizes as Markdown. */
export async function sizingTable(): Promise<string> {
  const lines = [`${HEAD}| Measured | Machine | File |`, "| --- | --- | --- | --- |"];
  for (const { subject, file, figure } of SIZING) {
    const { value, cpu } = await readResults(file), load = /load [\d.]+/.exec(cpu)?.[0] ?? "";
    const processor = /EPYC|Xeon/.exec(cpu)?.[0] ?? cpu;
    lines.push(`| ${subject} | ${figure(value)} | ${processor}, ${load} | \`${file}\` |`);
  }
  return lines.join("\n");
}

/** Replaces the first table of a document that begins with {@link HEAD}. */
export function withTable(document: string, table: string): string {
  const lines = document.split("\n"), from = lines.findIndex((line) => line.startsWith(HEAD));
  if (from < 0) throw new RangeError("Cannot write figures: the document has no table for them");
  let to = from;
  while (lines[to]?.startsWith("|")) to++;
  return [...lines.slice(0, from), table, ...lines.slice(to)].join("\n");
}

if (import.meta.main) {
  const file = new URL(DOCUMENT, ROOT);
  await Deno.writeTextFile(file, withTable(await Deno.readTextFile(file), await sizingTable()));
}
