/**
 * Tests the quality grade against the truth: does it recognise images that give unusable results?
 *
 * deno task bench grade HEADS.json … [--json FILE]
 *
 * HEADS.json is written by `deno task bench truth FOLDER --heads HEADS.json`. A degraded image
 * is named `HEAD_VARIANT` (`tools/simulate/degrade.py`), the good image `HEAD` or `HEAD_plain`.
 * The rule for voxel size is not tested: degraded images are resampled to 1 mm.
 */
import { finish, rowMaker } from "@/bench/record.ts";
import { isUnusable, regionDice } from "@/bench/truth/head_rows.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import { type ImageFigures, imageRules } from "@/server/core/engine/image_quality.ts";

const row = rowMaker("grade", 3);
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

/** Name endings of the images made by `tools/simulate/degrade.py`. */
const VARIANT = /_(plain|noise\d+|bias\d+|slices\d|voxels\d|motion\d|blur\d|seven|half)$/;
const headOf = (name: string): string => name.replace(VARIANT, "");

const files = Deno.args.filter((arg, n) => !arg.startsWith("--") && Deno.args[n - 1] !== "--json");
if (files.length === 0) {
  say("deno task bench grade HEADS.json … [--json FILE]");
  Deno.exit(2);
}
const heads = files.flatMap((file) => JSON.parse(Deno.readTextFileSync(file)) as MeasuredHead[])
  .filter(({ quality }) => quality?.sharpness !== undefined && quality.ghosting !== undefined);
const good = new Map(
  heads.filter(({ name }) => headOf(name) === name || name.endsWith("_plain")).map((
    h,
  ) => [headOf(h.name), h]),
);
const judged = heads.map((head) => {
  const fired = imageRules({ ...head.quality as unknown as ImageFigures, voxelMm: 1 });
  const grade = fired.length > 1 || fired.some(([, isC]) => isC)
    ? "C"
    : fired.length > 0
    ? "B"
    : "A";
  return {
    head,
    grade,
    isBad: isUnusable(head, good.get(headOf(head.name))),
    reasons: fired.map(([warning]) => warning),
  };
});
const rows = judged.map(({ head, grade, isBad, reasons }) =>
  row(
    `${head.name}: ${isBad ? "not usable" : "usable"}, grade ${grade}${
      reasons.length > 0 ? ` (${reasons.join(", ")})` : ""
    }: Dice`,
    regionDice(head),
    "1",
  )
);
for (const grade of ["A", "B", "C"]) {
  const own = judged.filter((image) => image.grade === grade),
    bad = own.filter(({ isBad }) => isBad);
  rows.push(
    row(
      `grade ${grade} (${own.length} images): not usable`,
      own.length === 0 ? 0 : 100 * bad.length / own.length,
      "%",
    ),
  );
}
finish("deno task bench grade", `${heads.length} images`, rows);
