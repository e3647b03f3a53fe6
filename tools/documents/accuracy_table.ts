/**
 * Writes the figures of an engine benchmark into docs/accuracy/figures.md:
 * `deno run -A tools/documents/accuracy_table.ts bench/results/SUITE/FILE.json`
 */
import type { Row } from "@/bench/record.ts";
import { table, writeFigures } from "@/tools/documents/figures.ts";

const DOCUMENT = new URL("../../docs/accuracy/figures.md", import.meta.url);
export interface BenchRecord {
  commit: string;
  cpu: string;
  runtime: string;
  rows: Row[];
}

/** Splits the name of a row into subject and measured quantity. */
const partsOf = ({ name }: Row): [subject: string, what: string] => {
  const at = name.indexOf(": ");
  return at < 0 ? [name, ""] : [name.slice(0, at), name.slice(at + 2)];
};

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** Run time in seconds and memory in megabytes of each subject. */
function costTable(rows: readonly Row[]): string {
  const cost = ["time", "memory of the engine", "memory of the process"];
  const value = (subject: string, what: string) =>
    String(rows.find((row) => row.name === `${subject}: ${what}`)?.value ?? "");
  const subjects = unique(
    rows.map(partsOf).filter(([, what]) => what === "memory of the process").map(([s]) => s),
  );
  return table(
    ["", "s", "engine, MB", "process, MB"],
    subjects.map((s) => [s, ...cost.map((what) => value(s, what))]),
  );
}

/** Dice (and volume over truth) by structure, with one column per subject. */
function labelTable(rows: readonly Row[], subjects: readonly string[]): string {
  const find = (subject: string, what: string) =>
    rows.find((row) => row.name === `${subject}: ${what}`);
  const structures = unique(
    rows.map(partsOf).filter(([s, what]) => subjects.includes(s) && what.endsWith(": Dice"))
      .map(([, what]) => what.slice(0, -": Dice".length)),
  );
  const lines = structures.map((structure) => [
    structure,
    ...subjects.map((subject) => {
      const dice = find(subject, `${structure}: Dice`),
        volume = find(subject, `${structure}: volume`);
      return dice
        ? `${dice.value.toFixed(3)}${volume?.ratio ? ` (${volume.ratio.toFixed(2)})` : ""}`
        : "";
    }),
  ]);
  const extra = ["regions: mean Dice", "regions: median volume error"].map((what) => [
    what,
    ...subjects.map((subject) => {
      const row = find(subject, what);
      return row ? `${row.value}${row.unit === "%" ? " %" : ""}` : "";
    }),
  ]);
  return table(["", ...subjects.map((s) => s.replace("phantom, ", ""))], [...lines, ...extra]);
}

/**
 * Makes all tables as Markdown: cost, labels,
 * and other figures with reference value and acceptance limit.
 */
export function tablesOf({ commit, cpu, runtime, rows }: BenchRecord): string {
  const scored = unique(
    rows.map(partsOf).filter(([, what]) => what === "regions: median volume error").map((
      [subject],
    ) => subject),
  );
  const phantoms = scored.filter((s) => s.startsWith("phantom")),
    others = scored.filter((s) => !phantoms.includes(s));
  const isCost = ([, what]: [string, string]) =>
    what === "time" || what.startsWith("memory of the ");
  const otherRows = rows.filter((row) => {
    const parts = partsOf(row);
    return !scored.includes(parts[0]) && !isCost(parts) && !parts[0].includes(", stage ");
  });
  const stages = rows.filter((row) => row.name.includes(", stage "));
  const stageNames = unique(stages.map((row) => partsOf(row)[0]));
  const stage = (name: string, what: string) =>
    String(stages.find((r) => r.name === `${name}: ${what}`)?.value ?? "");
  return [
    `Measured on ${cpu}, ${runtime}, commit ${commit}.`,
    "### Cost of an analysis",
    costTable(rows),
    ...stages.length === 0 ? [] : [
      "### Stages",
      table(
        ["", "s", "processor s", "engine, MB"],
        stageNames.map((
          name,
        ) => [name, ...["time", "processor time", "memory"].map((what) => stage(name, what))]),
      ),
    ],
    "### Phantoms: Dice (volume over truth)",
    labelTable(rows, phantoms),
    ...others.length === 0
      ? []
      : ["### Against the reference: Dice (volume over the reference's)", labelTable(rows, others)],
    "### Everything else",
    table(
      ["", "value", "truth", "bar", ""],
      otherRows.map((row) => [
        row.name,
        `${row.value} ${row.unit === "1" ? "" : row.unit}`.trim(),
        row.baseline === null ? "" : String(row.baseline),
        row.bar === null ? "" : String(row.bar),
        row.ok ? "" : "**missed**",
      ]),
    ),
  ].join("\n\n");
}

if (import.meta.main) writeFigures(DOCUMENT, "accuracy_table", tablesOf);
