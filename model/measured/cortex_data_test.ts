// covers: D2-1.1
import assert from "node:assert/strict";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { normOf, type NormSubject } from "@/model/norms/norms.ts";
import { isCortex, LABEL_COUNT, PARTS, regionOf } from "@/model/regions/regions.ts";
import { aggregatesOf, thicknessDataOf } from "@/model/measured/cortex_data.ts";

const WOMAN = { age: 70, sex: "female" } as const, ICV_MM3 = 1_409_000;
const NORMS: NormSubject = { ...WOMAN, icvMl: 1409 };
/** One value for each label. */
const byLabel = (value: (label: number) => number) =>
  Array.from({ length: LABEL_COUNT }, (_, label) => value(label));
const side = (label: number, hemisphere: "L" | "R") => regionOf(label)?.hemisphere === hemisphere;

Deno.test("thicknessDataOf() has one row for each of the 34 pairs of cortical regions, left first", () => {
  const rows = thicknessDataOf(byLabel((label) => isCortex(label) ? 2 + label / 1000 : 9), WOMAN);
  assert.equal(rows.length, 34);
  assert.equal(new Set(rows.map((row) => row.brain_regions)).size, 34);
  for (
    const { part_index: [left, right], brain_regions, thick_left, thick_right, rank_thick_left }
      of rows
  ) {
    assert.deepEqual([regionOf(left!)?.part, regionOf(right!)?.part], [
      brain_regions,
      brain_regions,
    ]);
    assert.ok(side(left!, "L") && side(right!, "R"), brain_regions);
    assert.deepEqual(
      [thick_left, thick_right],
      [left, right].map((l) => Math.round(200 + l! / 10) / 100),
    );
    const { percentile, low, high } = rank_thick_left!;
    assert.ok(percentile >= low && percentile <= high && low >= 0 && high <= 100);
  }
});

Deno.test("thicknessDataOf() gives the percentile 50 at the norm, more above it, none where nothing was measured", () => {
  const norms = { ...NORMS, icvMl: null };
  const mean = (label: number) => {
    const norm = normOf(label, "thickness", norms);
    return norm ? norm.mean + methodErrorOf(String(label), "thickness")!.bias : 0;
  };
  const rows = thicknessDataOf(byLabel((label) => side(label, "L") ? mean(label) : 0), WOMAN);
  assert.ok(
    rows.every((row) =>
      Math.abs(row.rank_thick_left!.percentile - 50) < 0.01 && row.rank_thick_right === null
    ),
  );
  const thick = thicknessDataOf(byLabel((label) => mean(label) + 0.3), WOMAN);
  assert.ok(
    thick.every((row) =>
      row.rank_thick_left!.percentile > 60 && row.rank_thick_right!.percentile > 60
    ),
  );
  for (
    const subject of [{ ...WOMAN, grade: "C" }, { ...WOMAN, age: 12 }, { ...WOMAN, sex: null }]
  ) {
    assert.ok(thicknessDataOf(byLabel(mean), subject).every((row) => row.rank_thick_left === null));
  }
});

Deno.test("aggregatesOf() sums the sides of the cortex, the white matter and the lobes", () => {
  const volumesMm3 = byLabel((label) => 100 * label);
  const rows = aggregatesOf({ volumesMm3, icvMm3: ICV_MM3 }, WOMAN);
  assert.deepEqual(rows.map((row) => row.key), [
    "cortex",
    "white_matter",
    "frontal",
    "parietal",
    "temporal",
    "occipital",
    "cingulate",
    "insula",
  ]);
  const of = (key: string) => rows.find((row) => row.key === key)!;
  assert.deepEqual([of("white_matter").volume_left, of("white_matter").volume_right], [0.1, 0.2]);
  const cortical = PARTS.filter(({ labels: [left] }) => isCortex(left));
  for (const n of [0, 1] as const) {
    const sum = cortical.reduce((total, { labels }) => total + 0.1 * labels[n]!, 0);
    const volume = n === 0 ? "volume_left" : "volume_right";
    assert.equal(of("cortex")[volume], Math.round(100 * sum) / 100);
    // every cortical region is in one lobe
    const lobes = rows.slice(2).reduce((total, row) => total + row[volume], 0);
    assert.ok(Math.abs(lobes - sum) < 1e-9);
  }
  assert.ok(rows.every((row) => row.thick_left === null && row.np_thick_right === null));
});

Deno.test("aggregatesOf() gives the percentiles of the norms by age, sex and intracranial volume", () => {
  // what the table expects of this woman: cortex 423.2 mL, left thickness 2.455 mm
  const factor = (key: string) => Math.exp(methodErrorOf(key, "volume")!.bias);
  const share = 423_200 / 68 * factor("cortex");
  const volumesMm3 = byLabel((label) =>
    isCortex(label)
      ? share
      : label === 1 || label === 2
      ? normOf(label, "volume", NORMS)!.mean * factor(String(label))
      : 0
  );
  const left = 2.455 + methodErrorOf("thickness_left", "thickness")!.bias;
  const [cortex, white] = aggregatesOf(
    {
      volumesMm3,
      icvMm3: ICV_MM3,
      thicknessMm: byLabel((label) => isCortex(label) ? 2.4 : 0),
      thicknessSidesMm: [left, left - 0.055],
    },
    WOMAN,
  );
  assert.equal(cortex!.volume_total, Math.round(42_320 * factor("cortex")) / 100);
  assert.ok(Math.abs(cortex!.np_icv_total! - 50) < 0.5, String(cortex!.np_icv_total));
  assert.deepEqual(
    [cortex!.thick_left, cortex!.thick_right],
    [left, left - 0.055].map((mm) => Math.round(100 * mm) / 100),
  );
  // the error by site leaves an interval, no percentile
  assert.equal(cortex!.np_thick_left, null);
  assert.ok(
    Math.abs(cortex!.rank_thick_left!.percentile - 50) < 1,
    String(cortex!.rank_thick_left!.percentile),
  );
  assert.ok(cortex!.rank_thick_right!.percentile < cortex!.rank_thick_left!.percentile);
  assert.ok(
    Math.abs(white!.np_icv_left! - 50) < 0.01 && Math.abs(white!.np_icv_right! - 50) < 0.01,
  );
  const none = aggregatesOf({ volumesMm3, icvMm3: ICV_MM3 }, { ...WOMAN, grade: "C" });
  assert.ok(none.every((row) => row.np_icv_left === null && row.np_icv_total === null));
});

Deno.test("aggregatesOf() weighs the thickness of a lobe by volume and leaves out what was not measured", () => {
  const [thin, thick] = PARTS.filter(({ group, labels: [left] }) =>
    group === "frontal" && isCortex(left)
  )
    .map(({ labels }) => labels[0]) as [number, number];
  const volumesMm3 = byLabel((label) => label === thin ? 3000 : label === thick ? 1000 : 500);
  const thicknessMm = byLabel((label) => label === thin ? 2 : label === thick ? 3 : 0);
  const rows = aggregatesOf(
    { volumesMm3, icvMm3: ICV_MM3, thicknessMm, thicknessSidesMm: [0, 0] },
    WOMAN,
  );
  const frontal = rows.find((row) => row.key === "frontal")!;
  assert.deepEqual([frontal.thick_left, frontal.thick_right], [2.25, null]);
  // the hemispheres' own means count for the whole cortex, and 0 is no measurement
  assert.deepEqual([rows[0]!.thick_left, rows[0]!.np_thick_left], [null, null]);
});
