/**
 * Failed regions, and whether a low agreement of atlas and network reveals them.
 *
 * deno task bench regions HEADS.json … [--write] [--json FILE]
 *
 * HEADS.json is written by `deno task bench truth FOLDER --heads HEADS.json`, for images made by
 * `tools/simulate/degrade.py` and `locally.py`, and good images (`HEAD` or `HEAD_plain`). Images of
 * grade C are counted separately, because they have no percentiles. `--write` writes
 * `model/norms/agreement_limits.json`.
 */
import { finish, rowMaker } from "@/bench/record.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import {
  flagByLeavingOut,
  judgeRegions,
  leastDice,
  type Source,
} from "@/bench/truth/region_failures.ts";

const row = rowMaker("regions", 3);
const SOURCES: Record<Source, string> = { atlas: "atlas", deepStructures: "own network" };

const files = Deno.args.filter((arg, n) => !arg.startsWith("--") && Deno.args[n - 1] !== "--json");
if (files.length === 0) {
  Deno.stderr.writeSync(
    new TextEncoder().encode("deno task bench regions HEADS.json … [--write] [--json FILE]\n"),
  );
  Deno.exit(2);
}
const heads = files.flatMap((file) => JSON.parse(Deno.readTextFileSync(file)) as MeasuredHead[]);
const headOf = (name: string): string => name.replace(/_[a-z]+\d*$/, "");
const good = new Map(
  heads.filter(({ name }) => headOf(name) === name || name.endsWith("_plain")).map((
    head,
  ) => [headOf(head.name), head]),
);
const regions = judgeRegions(heads, ({ name }) => good.get(headOf(name)));
const rows = [
  ["grade A and B", regions.filter(({ grade }) => grade !== "C")] as const,
  ["grade C", regions.filter(({ grade }) => grade === "C")] as const,
].flatMap(([grade, ofGrade]) => {
  const images = new Set(ofGrade.map(({ image }) => image)).size;
  const failed = ofGrade.filter(({ hasFailed }) => hasFailed).length;
  return [
    row(`${grade}: images`, images, "1"),
    row(`${grade}: deep structures`, ofGrade.length, "1"),
    row(`${grade}: of them failed`, failed, "1"),
  ];
});
const usable = regions.filter(({ grade }) => grade !== "C");
for (const [source, name] of Object.entries(SOURCES) as [Source, string][]) {
  const { failed, cut, good, flagged } = flagByLeavingOut(usable, source);
  const of = `disagreement with the ${name}, left out`;
  const share = (what: string, set: typeof failed) =>
    row(`${of}: ${what}`, set.filter((each) => flagged.has(each)).length, `of ${set.length}`);
  for (const each of [...failed, ...good]) {
    if (flagged.has(each) === each.hasFailed) continue;
    const what = each.hasFailed ? "failed, not flagged" : "good, withheld";
    rows.push(row(`${of}: ${each.image}, label ${each.label}: ${what}`, 1, "1"));
  }
  rows.push(
    share("failed regions flagged", failed),
    share("regions with a part gone, measured right, withheld", cut),
    share("good regions withheld", good),
  );
}
if (Deno.args.includes("--write")) {
  const people = new Set(usable.map(({ person }) => person)).size;
  const images = new Set(usable.map(({ image }) => image)).size;
  const table = {
    source: `deno task bench regions: ${people} people, ${images} images of grade A or B`,
    least_dice: leastDice(usable, "deepStructures"),
  };
  const path = new URL("../model/norms/agreement_limits.json", import.meta.url);
  Deno.writeTextFileSync(path, JSON.stringify(table, null, 2) + "\n");
}
finish("deno task bench regions", `${good.size} heads`, rows);
