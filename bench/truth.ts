/**
 * Engine against labelled heads: overlap, volumes, thickness, percentiles, and known changes.
 *
 * deno task bench truth FOLDER … TABLE.csv … [--heads FILE] [--no-second-opinion] [--no-deep-structures] [--write] [--json FILE]
 *
 * A folder contains heads in FreeSurfer's layout (`NAME/mri/T1|orig|brain` beside `aparc+aseg`,
 * .mgz or .nii.gz; also without `mri`), with `stats/lh.aparc.stats` for the thickness. A head is
 * analysed with both networks, and, if the second network's result (second opinion) was used, again
 * without it. Whole heads (T1, orig) get a second opinion, extracted brains do not. `heads.json` in
 * the folder may contain `{NAME: {scanner, age, sex, kind}}`, `pairs.json` the heads that differ by
 * a known change. `--heads` stores the measurements in a file; heads in the file are not analysed
 * again. Tables contain measurements of heads without images here (`tables.ts`); they are stored
 * too. `--write` writes `model/norms/method_error.json` from the stored and given heads, without
 * synthetic ones:
 *
 * deno task bench truth ../shared/data/labelled ../shared/data/measured/*.csv --heads bench/truth/measured_heads.json --write
 *
 * Without a folder or table, only the heads stored in the file are used.
 */
import { existsSync } from "node:fs";
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import { mean } from "@/bench/engine/score.ts";
import { biasRows } from "@/bench/truth/bias_rows.ts";
import { changeRows, readPairs } from "@/bench/truth/change_rows.ts";
import { errorTable } from "@/bench/truth/error_model.ts";
import { barRows, headRows } from "@/bench/truth/head_rows.ts";
import { listHeads } from "@/bench/truth/heads.ts";
import { type MeasuredHead, measureHead, type Networks } from "@/bench/truth/measured_head.ts";
import { leftOutRows } from "@/bench/truth/left_out_rows.ts";
import { thicknessRows } from "@/bench/truth/thickness_rows.ts";
import { readTables } from "@/bench/truth/tables.ts";
import { percentileRows } from "@/bench/truth/percentile_rows.ts";
import { expectedRows, populationRows } from "@/bench/truth/population_rows.ts";

const TABLE = new URL("../model/norms/method_error.json", import.meta.url);
const isTable = (path: string): boolean => path.endsWith(".csv");
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
const row = rowMaker("truth", 3);
/** Range over the heads of each group's volume ratio, ours / truth. */
function ratioRows(heads: readonly MeasuredHead[]): Row[] {
  const ratios: [string, number[]][] = [
    ["thalamus", [7, 8]],
    ["caudate", [9, 10]],
    ["putamen", [11, 12]],
    ["pallidum", [13, 14]],
    ["lateral ventricle", [15, 16]],
    ["inferior horn", [17, 18]],
    ["hippocampus", [19, 20]],
    ["amygdala", [21, 22]],
    ["accumbens", [23, 24]],
    ["ventral DC", [29, 30]],
  ];
  return ratios.map(([name, labels]) => {
    const sum = (mm3: readonly number[]) => labels.reduce((total, label) => total + mm3[label]!, 0);
    const all = heads.map((head) => sum(head.oursMm3) / sum(head.theirsMm3));
    const range = `${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)}`;
    return row(
      `${name}: volume over the truth's (${range}, ${heads.length} heads)`,
      mean(all),
      "1",
    );
  });
}

async function measureAll(paths: readonly string[], keep: string | undefined, networks: Networks) {
  const kept: MeasuredHead[] = keep && existsSync(keep)
    ? JSON.parse(Deno.readTextFileSync(keep))
    : [];
  if (paths.length === 0) return kept;
  const heads = readTables(paths.filter(isTable)), folders = paths.filter((path) => !isTable(path));
  kept.push(...heads.filter(({ name }) => !kept.some((head) => head.name === name)));
  if (keep && heads.length > 0) Deno.writeTextFileSync(keep, JSON.stringify(kept) + "\n");
  for (const head of folders.flatMap(listHeads)) {
    const stored = kept.find(({ name }) => name === head.name);
    if (!stored) say(`${head.name} …`);
    const measured = stored ?? await measureHead(head, networks).catch((error) => {
      say(`${head.name} failed: ${error.message}`);
      return null;
    });
    if (!measured) continue;
    heads.push({ ...measured, facts: head.facts });
    if (!stored) kept.push(measured);
    if (keep && !stored) Deno.writeTextFileSync(keep, JSON.stringify(kept) + "\n");
  }
  return heads;
}

const args = [...Deno.args];
const takeValue = (flag: string): string | undefined => {
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args.splice(at, 2)[1];
};
const takeFlag = (flag: string): boolean => {
  const at = args.indexOf(flag);
  return at >= 0 && args.splice(at, 1).length > 0;
};
takeValue("--json");
const keep = takeValue("--heads"), isWritten = takeFlag("--write");
const networks = {
  secondOpinion: !takeFlag("--no-second-opinion"),
  deepStructures: !takeFlag("--no-deep-structures"),
};
if ((args.length === 0 && !keep) || args.some((arg) => arg.startsWith("--"))) {
  say(
    "deno task bench truth FOLDER … TABLE.csv … [--heads FILE] [--no-second-opinion] [--no-deep-structures] [--write] [--json FILE]",
  );
  Deno.exit(2);
}
const heads = await measureAll(args, keep, networks).catch((error: Error) => {
  say(error.message);
  return Deno.exit(2);
});
if (heads.length === 0) {
  say("Cannot measure: no head could be analysed");
  Deno.exit(1);
}
const labelled = heads.filter((head) => head.facts.kind !== "synthetic");
const rows = [
  ...labelled.flatMap((head) => headRows(head, row)),
  ...ratioRows(heads),
  ...(labelled.length > 0 ? percentileRows(labelled, row) : []),
  ...(labelled.length > 0 ? [...barRows(labelled, row), ...populationRows(labelled, row)] : []),
  ...thicknessRows(labelled, row),
  ...[false, true].flatMap((hasOpinion) => [
    ...expectedRows(hasOpinion, row),
    ...leftOutRows(heads, hasOpinion, row),
    ...biasRows(heads, hasOpinion, row),
  ]),
  ...changeRows(heads, args.filter((path) => !isTable(path)).flatMap(readPairs), row),
];
if (isWritten) {
  Deno.writeTextFileSync(TABLE, JSON.stringify(errorTable(heads), null, 2) + "\n");
}
finish("deno task bench truth", args.map((path) => path.split("/").at(-1)).join(" "), rows);
