import assert from "node:assert/strict";
import { listHeads } from "@/bench/truth/heads.ts";
import { isUnusable } from "@/bench/truth/head_rows.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import { evidenceOf, groupsOf } from "@/bench/truth/evidence.ts";
import { populationRows } from "@/bench/truth/population_rows.ts";
import { rowMaker } from "@/bench/record.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import { usualVolume } from "@/model/regions/measures.ts";

Deno.test("listHeads() takes FreeSurfer's folders, linked ones too, and leaves its averages out", () => {
  const folder = Deno.makeTempDirSync();
  const put = (path: string) => {
    Deno.mkdirSync(`${folder}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/${path}`, "");
  };
  try {
    for (
      const name of [
        "one/mri/T1.mgz",
        "one/mri/aparc+aseg.mgz",
        "two/brain.nii.gz",
        "two/aparc+aseg.nii.gz",
      ]
    ) put(name);
    for (
      const name of ["fsaverage/mri/T1.mgz", "fsaverage/mri/aparc+aseg.mgz", "notes/readme.txt"]
    ) {
      put(name);
    }
    Deno.symlinkSync(`${folder}/one`, `${folder}/three`);
    Deno.writeTextFileSync(`${folder}/heads.json`, `{"one": {"scanner": "A"}, "*": {"age": 40}}`);
    const heads = listHeads(folder);
    assert.deepEqual(heads.map(({ name, facts }) => [name, facts.scanner, facts.age]), [
      ["one", "A", undefined],
      ["three", undefined, 40],
      ["two", undefined, 40],
    ]);
    assert.deepEqual(listHeads(`${folder}/two`).map(({ name }) => name), ["two"]);
    assert.throws(() => listHeads(`${folder}/notes`), /neither it nor a folder in it has T1/);
    assert.throws(() => listHeads(`${folder}/none`), /not a folder/);
    Deno.writeTextFileSync(`${folder}/heads.json`, `{"one": {"age": "old"}}`);
    assert.throws(() => listHeads(folder), /heads\.json: one\.age/);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

/** A head with volumes wrong exactly by the error model's bias, or additionally by a factor. */
function head(factor = 1, dice = 0.76): MeasuredHead {
  const theirsMm3 = Array.from({ length: LABEL_COUNT }, (_, label) => usualVolume(label));
  const biased = (mm3: number, label: number) =>
    factor * mm3 * Math.exp(methodErrorOf(String(label), "volume")?.bias ?? 0);
  return {
    name: "head",
    facts: {},
    version: "",
    grade: "A",
    warnings: [],
    quality: {},
    seconds: 0,
    hasParcels: true,
    icvMm3: 1.4e6,
    oursMm3: theirsMm3.map(biased),
    theirsMm3,
    dice: theirsMm3.map(() => dice),
    groups: {},
    thickness: [],
  };
}

Deno.test("populationRows() reads people rightly without an error, and not with a large one", () => {
  const valuesOf = (...heads: MeasuredHead[]) =>
    populationRows(heads, rowMaker("truth", 1)).map(({ value, ok }) => ({ value, ok }));
  const [difference, wrong, found] = valuesOf(head());
  assert.ok(
    difference!.value < 6 && difference!.ok && wrong!.value === 0 && found!.ok,
    JSON.stringify(valuesOf(head())),
  );
  const far = valuesOf(head(0.75));
  assert.ok(far[0]!.value > 16 && !far[0]!.ok && !far[1]!.ok && !far[4]!.ok, JSON.stringify(far));
  assert.deepEqual(valuesOf({ ...head(), grade: "C" }), []);
});

Deno.test("evidenceOf() counts each image once, and moves what was measured the other way alone", () => {
  const volumes = (factor: number) => head().theirsMm3.map((mm3) => factor * mm3);
  const make = (name: string, scanner: string, factor: number): MeasuredHead => ({
    ...head(),
    name,
    facts: { scanner },
    oursMm3: volumes(factor),
  });
  const whole: MeasuredHead = {
    ...make("whole", "one", 1.1),
    opinion: "agreed",
    withoutOpinion: { oursMm3: volumes(1), dice: [], groups: {}, thickness: [] },
  };
  const heads = [make("extracted", "one", 1.02), whole, make("other", "two", 0.9)];
  const errors = (hasOpinion: boolean) =>
    groupsOf("7+8", evidenceOf(heads, hasOpinion))
      .map((
        { scanner, errors },
      ) => [scanner, ...errors.map((e) => Number(Math.exp(e).toFixed(3)))]);
  assert.deepEqual(errors(false), [["one", 1.02, 1], ["two", 0.9]]);
  assert.deepEqual(errors(true), [["one", 1.1, 1.122], ["two", 0.99]]);
  // heads of a scanner count in both settings if they were analysed in both
  const [plain] = evidenceOf([whole], false).heads;
  assert.deepEqual([plain!.oursMm3, plain!.opinion], [volumes(1), null]);
});

Deno.test("isUnusable() looks at Dice, its loss, cortex and white matter", () => {
  assert.equal(isUnusable(head(), undefined), false);
  assert.equal(isUnusable(head(1, 0.69), undefined), true);
  assert.equal(isUnusable(head(1, 0.75), head(1, 0.79)), false);
  assert.equal(isUnusable(head(1, 0.75), head(1, 0.81)), true);
  assert.equal(isUnusable(head(1.25), undefined), true);
});
