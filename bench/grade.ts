/**
 * The quality grade against the truth: which images give results that cannot be used, and what the grade says of them.
 *
 * deno task bench grade HEADS.json … [--write] [--json FILE]
 *
 * The files are those that `deno task bench truth FOLDER --heads HEADS.json` keeps. A degraded image is called
 * `HEAD_VARIANT` (`tools/simulate/degrade.py`), the good one `HEAD` or `HEAD_plain`. Every image is judged by a model
 * that was fitted without its head. `--write` makes `core/engine/grade_model.json` of all images.
 */
import { finish, rowMaker } from "@/bench/record.ts";
import { regionDice } from "@/bench/truth_parts/head_rows.ts";
import {
  badnessOf,
  fitGrade,
  type GradedImage,
  isUnusable,
  judgedByOthers,
} from "@/bench/truth_parts/grade_fit.ts";
import type { MeasuredHead } from "@/bench/truth_parts/measured_head.ts";
import { GRADE_FIGURES, gradeFigures, LIKELY_WRONG, POSSIBLY_WRONG } from "@/core/engine/grade_model.ts";

const TABLE = new URL("../core/engine/grade_model.json", import.meta.url);
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
const row = rowMaker("grade", 3);

/** Endings of `tools/simulate/degrade.py`. */
const VARIANT = /_(plain|noise\d+|bias\d+|slices\d|voxels\d|motion\d|blur\d|seven|half)$/;
const headOf = (name: string): string => name.replace(VARIANT, "");
/** A map painted as several scanners is one head. */
const personOf = (name: string): string =>
  headOf(name).replace(/^(\d\d)_.*$/, "$1").replace(/^nomis_.*$/, "nomis");

const files = Deno.args.filter((arg, n) =>
  arg !== "--write" && arg !== "--json" && Deno.args[n - 1] !== "--json"
);
if (files.length === 0) {
  say("deno task bench grade HEADS.json … [--write] [--json FILE]");
  Deno.exit(2);
}
const heads = files.flatMap((file) => JSON.parse(Deno.readTextFileSync(file)) as MeasuredHead[])
  .filter((head) => head.quality?.sharpness !== undefined);
const good = new Map(
  heads.filter(({ name }) => headOf(name) === name || name.endsWith("_plain")).map((
    h,
  ) => [headOf(h.name), h]),
);
const images: GradedImage[] = heads.map((head) => ({
  name: head.name,
  head: personOf(head.name),
  figures: gradeFigures(head.quality),
  isBad: isUnusable(head, good.get(headOf(head.name))),
}));
const chances = judgedByOthers(images), model = fitGrade(images);
const gradeOf = (p: number) => p >= LIKELY_WRONG ? "C" : p >= POSSIBLY_WRONG ? "B" : "A";
const rows = images.map((image, n) => {
  const head = heads[n]!, grade = gradeOf(chances[n]!);
  const truth = image.isBad ? "not usable" : "usable";
  return row(
    `${image.name}: ${truth}, Dice ${regionDice(head).toFixed(2)}, grade ${grade}: chance of a bad result`,
    chances[n]!,
    "1",
  );
});
for (const grade of ["A", "B", "C"]) {
  const own = images.filter((_, n) => gradeOf(chances[n]!) === grade), bad = own.filter(({ isBad }) => isBad);
  rows.push(row(`grade ${grade}: images`, own.length, "images"));
  rows.push(row(`grade ${grade}: not usable`, own.length === 0 ? 0 : 100 * bad.length / own.length, "%"));
}
GRADE_FIGURES.forEach((name, c) =>
  rows.push(row(`weight of ${name}, per standard deviation`, model.weights[c]!, "1"))
);
if (Deno.args.includes("--write")) {
  const round = (v: number) => Number(v.toPrecision(4));
  const written = {
    made_by: "deno task bench grade",
    images: images.length,
    bad: images.filter(({ isBad }) => isBad).length,
    figures: GRADE_FIGURES,
    intercept: round(model.intercept),
    weights: model.weights.map(round),
    means: model.means.map(round),
    sds: model.sds.map(round),
  };
  Deno.writeTextFileSync(TABLE, JSON.stringify(written, null, 1) + "\n");
}
say(
  `in sample: ${
    images.filter((image) => (badnessOf(model, image.figures) >= 0.5) === image.isBad).length
  } of ${images.length}`,
);
finish("deno task bench grade", `${images.length} images`, rows);
