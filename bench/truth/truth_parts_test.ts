import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { applyAffine } from "@/model/geometry.ts";
import { changeRows, readPairs, regression } from "@/bench/truth/change_rows.ts";
import { fitError } from "@/bench/truth/error_model.ts";
import { type Group } from "@/bench/truth/evidence.ts";
import { foldCodes, thicknessOf } from "@/bench/truth/freesurfer.ts";
import { readMgh } from "@/bench/truth/mgh.ts";
import { barRows } from "@/bench/truth/head_rows.ts";
import { type MeasuredHead, withoutOpinion } from "@/bench/truth/measured_head.ts";
import { rowMaker } from "@/bench/record.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

/** A conformed 4 × 4 × 4 volume of 16-bit integers with the given centre, RAS mm. */
function mghOf(values: readonly number[], centre: readonly [number, number, number]): Uint8Array {
  const bytes = new Uint8Array(284 + 2 * values.length), view = new DataView(bytes.buffer);
  [1, 4, 4, 4, 1, 4].forEach((value, i) => view.setInt32(4 * i, value));
  view.setInt16(28, 1);
  [1, 1, 1, -1, 0, 0, 0, 0, -1, 0, 1, 0, ...centre].forEach((value, i) =>
    view.setFloat32(30 + 4 * i, value)
  );
  values.forEach((value, i) => view.setInt16(284 + 2 * i, value));
  return bytes;
}

Deno.test("readMgh() puts the centre of the field of view at n/2 and reads compressed files", () => {
  const values = Array.from({ length: 64 }, (_, i) => i - 5);
  for (const bytes of [mghOf(values, [10, 20, 30]), gzipSync(mghOf(values, [10, 20, 30]))]) {
    const { voxels, shape, rasFromIjk } = readMgh(bytes);
    assert.deepEqual(shape, [4, 4, 4]);
    assert.deepEqual([...voxels], values);
    assert.deepEqual(applyAffine(rasFromIjk, [2, 2, 2]), [10, 20, 30]);
    // the format's default axes: left, inferior, anterior
    assert.deepEqual(applyAffine(rasFromIjk, [3, 3, 3]), [9, 21, 29]);
  }
  assert.throws(() => readMgh(mghOf(values.slice(1), [0, 0, 0])), RangeError);
});

Deno.test("foldCodes() counts choroid plexus as ventricle and hypointensities as white matter of their side", () => {
  const codes = Int32Array.from([17, 53, 31, 63, 77, 77, 1028, 2028, 999, 5000, -1, 24]);
  const { labels, hasParcels } = foldCodes(codes, (index) => index === 4);
  assert.deepEqual([...labels], [19, 20, 15, 16, 1, 2, 37, 38, 0, 0, 0, 27]);
  assert.ok(hasParcels);
  assert.ok(!foldCodes(Int32Array.from([3, 42, 3]), () => true).hasParcels);
});

Deno.test("thicknessOf() reads the mean and the parcels", () => {
  const stats = "# Measure Cortex, MeanThickness, Mean Thickness, 2.53991, mm\n# ColHeaders …\n" +
    "insula 3727 2465 7239  2.993 0.730     0.132     0.027        8     0.7\n";
  const { mean, parcels } = thicknessOf(stats);
  assert.equal(mean, 2.53991);
  assert.equal(parcels.get("insula"), 2.993);
});

Deno.test("fitError() finds bias and spreads that heads of many scanners were made with", () => {
  const random = new Random(3), bias = -0.05, between = 0.08, own = 0.04;
  const groups: Group[] = Array.from({ length: 200 }, (_, i) => {
    const scanner = bias + between * random.normal();
    return {
      scanner: String(i),
      errors: Array.from({ length: 5 }, () => scanner + own * random.normal()),
    };
  });
  const row = fitError(groups, { between: 0.02, random: 0.2 })!;
  assert.ok(Math.abs(row.bias - bias) < 0.02, `bias ${row.bias}`);
  assert.ok(Math.abs(row.biasSd - between) < 0.012, `between ${row.biasSd}`);
  assert.ok(Math.abs(row.randomSd - own) < 0.01, `random ${row.randomSd}`);
  assert.deepEqual([row.heads, row.scanners], [1000, 200]);
});

Deno.test("fitError() keeps to what is usual where one scanner was seen, and says nothing without heads", () => {
  const row = fitError([{ scanner: "a", errors: [0.2] }], { between: 0.07, random: 0.05 })!;
  // one mean gives no SD: prior of three observations; t with 3 degrees of freedom, 1.638 / 1.282
  assert.ok(Math.abs(row.bias - 0.2) < 1e-9 && row.biasSd > 0.07);
  assert.ok(Math.abs(row.randomSd / 0.05 - 1.278) < 0.02, `${row.randomSd}`);
  assert.equal(fitError([], { between: 0.07, random: 0.05 }), null);
});

Deno.test("fitError() makes intervals that hold four of five heads of a scanner that it has not seen", () => {
  const random = new Random(5), usual = { between: 0.07, random: 0.04 };
  // SDs themselves vary between measures, according to the weight of the prior
  const spread = (sd: number) =>
    sd * Math.sqrt(3 / (random.normal() ** 2 + random.normal() ** 2 + random.normal() ** 2));
  let held = 0;
  const count = 3000;
  for (let n = 0; n < count; n++) {
    const between = spread(usual.between), own = spread(usual.random);
    const headsOf = (heads: number) => {
      const scanner = between * random.normal();
      return Array.from({ length: heads }, () => scanner + own * random.normal());
    };
    const groups = ["a", "b", "c"].map((scanner) => ({ scanner, errors: headsOf(3) }));
    const row = fitError(groups, usual)!, [unseen] = headsOf(1) as [number];
    if (Math.abs(unseen - row.bias) <= 1.2816 * Math.hypot(row.biasSd, row.randomSd)) held++;
  }
  assert.ok(Math.abs(held / count - 0.8) < 0.03, `${held / count}`);
});

Deno.test("fitError() counts one person on two scanners as one head", () => {
  const usual = { between: 0.05, random: 0.05 };
  const groups = ["a", "b"].map((scanner) => ({ scanner, errors: [0.1] }));
  const two = fitError(groups, usual)!;
  const one = fitError(groups.map((group) => ({ ...group, person: "p" })), usual)!;
  assert.ok(one.biasSd > two.biasSd && one.bias === two.bias);
});

Deno.test("regression() gives slope and explained share", () => {
  const points = [0, 1, 2, 3].map((x) => ({ truth: x, ours: 0.5 * x + 1, errorMl: 0 }));
  const { slope, r2 } = regression(points);
  assert.ok(Math.abs(slope - 0.5) < 1e-12 && Math.abs(r2 - 1) < 1e-12);
});

Deno.test("changeRows() tells small losses at the horn from those all around, by the volumes that were painted", () => {
  const head = (name: string, left: number, right: number): MeasuredHead => {
    const oursMm3 = Array.from({ length: LABEL_COUNT }, () => 1000);
    [oursMm3[19], oursMm3[20]] = [left, right];
    return {
      name,
      facts: {},
      version: "1",
      grade: "A",
      warnings: [],
      quality: {},
      seconds: 0,
      hasParcels: false,
      icvMm3: 0,
      // a head with painted changes has the labels of the original head
      theirsMm3: Array.from({ length: LABEL_COUNT }, () => 4000),
      oursMm3,
      dice: [],
      groups: {},
      thickness: [],
    };
  };
  const pair = (name: string, structure: string, fraction: number, place: string) => ({
    name,
    base: "p",
    structure,
    fraction,
    place,
    before_mm3: 4000,
    after_mm3: 4000 * (1 - fraction),
  });
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(
      `${folder}/pairs.json`,
      JSON.stringify([
        pair("p_horn10", "Left-Hippocampus", 0.1, "horn"),
        pair("p_horn10", "Right-Hippocampus", 0.2, "horn"),
        pair("p_shell10", "Left-Hippocampus", 0.1, "shell"),
        pair("p_shell10", "Right-Hippocampus", 0.2, "shell"),
        pair("absent", "Right-Hippocampus", 0.2, "shell"),
      ]),
    );
    const heads = [
      head("p", 4000, 4000),
      head("p_horn10", 3520, 3160), // −12 and −21 %
      head("p_shell10", 4120, 3960), // +3 and −1 %
    ];
    const rows = changeRows(heads, readPairs(folder), rowMaker("truth", 3));
    const of = (name: string) => {
      const { value, ok } = rows.find((row) => row.name === name)!;
      return [value, ok];
    };
    assert.deepEqual(of("loss of 10 % of Hippocampus, at the side of the horn (1): read"), [
      -12,
      true,
    ]);
    assert.deepEqual(
      of("loss of 20 % of Hippocampus, at the side of the horn (1): largest error"),
      [1, true],
    );
    assert.deepEqual(of("loss of 10 % of Hippocampus, all around (1): mean error"), [13, true]);
    assert.deepEqual(of("loss of 10 % of Hippocampus, all around (1): largest error"), [13, false]);
    assert.deepEqual(of("loss of 20 % of Hippocampus, all around (1): largest error"), [19, false]);
    assert.ok(rows.some(({ name }) => name === "change of Hippocampus (4): slope"));
    assert.ok(!rows.some(({ name }) => name.includes("as its variant")));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("barRows() measures both settings: heads whose second opinion agreed count with it and without it", () => {
  const counts = Array.from({ length: LABEL_COUNT }, () => 1000);
  const head = (name: string, opinion: string | null, dice: number): MeasuredHead => ({
    name,
    facts: {},
    version: "1",
    grade: "A",
    warnings: [],
    quality: {},
    seconds: 40,
    cpuSeconds: 80,
    opinion,
    hasParcels: true,
    icvMm3: 1.5e6,
    oursMm3: counts,
    theirsMm3: counts,
    dice: counts.map(() => dice),
    groups: {},
    thickness: [],
  });
  const whole = head("whole", "agreed", 0.8);
  const { dice: _, ...rest } = whole;
  const plain = { ...rest, dice: counts.map(() => 0.7), cpuSeconds: 30 };
  const rows = barRows(
    [{ ...whole, withoutOpinion: plain }, head("extracted", "extracted brain", 0.75)],
    rowMaker("truth", 3),
  );
  const value = (name: string) => rows.find((row) => row.name.includes(name))?.value;
  assert.equal(value("with the second opinion: 103 regions: mean Dice (1 heads)"), 0.8);
  assert.equal(value("without it: 103 regions: mean Dice (2 heads)"), 0.725);
  assert.equal(value("with the second opinion: processor time"), 40);
  assert.equal(value("without it: processor time"), 27.5);
  // a file of an older build has no measurement without the second network
  assert.equal(withoutOpinion(whole), null);
});
