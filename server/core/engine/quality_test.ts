// covers: S-127
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import atlas from "@/server/core/engine/atlas/regions.json" with { type: "json" };
import { isBrainAlone } from "@/server/core/engine/t1.ts";
import { assess, countOutliers, type QualityFigures } from "@/server/core/engine/quality.ts";
import { axes } from "@/server/commands/demo/phantom/grid.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import { makeSeries } from "@/server/commands/demo/phantom/dicom/series.ts";
import { affine_parameters, initSync } from "@/wasm/pkg/tests/bind_tests.js";

/** A brain of 1.2 L with the atlas's proportions. */
const usual = (): QualityFigures => {
  const volumesMm3 = new Array<number>(LABEL_COUNT).fill(0);
  const centresMm: QualityFigures["centresMm"][number][] = new Array(LABEL_COUNT).fill(null);
  for (const { label, source_brain_fraction_mean, atlas_mm } of atlas.regions) {
    if (!(label >= 1 && label < LABEL_COUNT) || !atlas_mm) continue;
    volumesMm3[label] = 1.2e6 * (source_brain_fraction_mean ?? 0);
    centresMm[label] = atlas_mm as [number, number, number];
  }
  return {
    ncc: 0.85,
    lncc: 0.6,
    isRetried: false,
    foldedFraction: 0,
    affineParameters: [0.3, 0, 0, 0, 0, 0, 0.05, -0.1, 0, 0, 0, 0],
    cnr: 4.5,
    winningPosterior: 0.95,
    sharpness: 0.36,
    ghosting: 0.005,
    greyOverWhite: 0.72,
    voxelMm: 1,
    hasConverged: true,
    icvMm3: 1.5e6,
    volumesMm3,
    centresMm,
  };
};

const withVolume = (label: number, factor: number): QualityFigures => {
  const figures = usual();
  return { ...figures, volumesMm3: figures.volumesMm3.map((v, l) => l === label ? v * factor : v) };
};

Deno.test("assess() gives a usual analysis an A without warnings", () =>
  assert.deepEqual(assess(usual()), { grade: "A", warnings: [] }));

Deno.test("assess() gives a B and the reason where one rule fires", () => {
  const expectB = (figures: QualityFigures, ...warnings: string[]) =>
    assert.deepEqual(assess(figures), { grade: "B", warnings });
  expectB({ ...usual(), ncc: 0.77, isRetried: true }, "registration_retried", "correlation_low");
  expectB({ ...usual(), lncc: 0.5 }, "similarity_low");
  expectB({ ...usual(), foldedFraction: 0.002 }, "folding");
  expectB({ ...usual(), cnr: 3.6 }, "contrast_low");
  expectB({ ...usual(), greyOverWhite: 0.81 }, "contrast_low");
  expectB({ ...usual(), winningPosterior: 0.915 }, "posterior_low");
  expectB({ ...usual(), sharpness: 0.3 }, "image_blurred");
  expectB({ ...usual(), sharpness: 0.58 }, "image_noisy");
  expectB({ ...usual(), ghosting: 0.02 }, "ghosting");
  expectB({ ...usual(), voxelMm: 1.6 }, "voxels_large");
  expectB({ ...usual(), hasConverged: false }, "not_converged");
  expectB(withVolume(25, 20), "volume_outside_norms");
  expectB(withVolume(19, 0), "region_empty", "pair_unequal");
  expectB(withVolume(19, 0.55), "pair_unequal");
});

Deno.test("assess() gives a C where percentiles cannot be trusted", () => {
  const expectC = (figures: QualityFigures, warning: string) => {
    const { grade, warnings } = assess(figures);
    assert.equal(grade, "C");
    assert.ok(warnings.includes(warning as never), warnings.join());
  };
  expectC({ ...usual(), ncc: 0.74 }, "correlation_low");
  expectC({ ...usual(), lncc: 0.44 }, "similarity_low");
  expectC({ ...usual(), cnr: 3.1 }, "contrast_low");
  expectC({ ...usual(), winningPosterior: 0.89 }, "posterior_low");
  expectC({ ...usual(), greyOverWhite: 0.83 }, "contrast_low");
  expectC({ ...usual(), sharpness: 0.28 }, "image_blurred");
  expectC({ ...usual(), sharpness: 0.7 }, "image_noisy");
  expectC({ ...usual(), ghosting: 0.025 }, "ghosting");
  expectC({ ...usual(), voxelMm: 2 }, "voxels_large");
  expectC({ ...usual(), cnr: 3.6, winningPosterior: 0.915 }, "posterior_low");
  expectC({ ...usual(), icvMm3: 2.3e6 }, "brain_icv_ratio_out_of_range");
  expectC({ ...usual(), affineParameters: [0.7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }, "pose_extreme");
  expectC({ ...usual(), affineParameters: [0, 0, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 0] }, "pose_extreme");
  const figures = usual();
  const thick = figures.volumesMm3.map((v, label) => label >= 37 ? 1.9 * v : v);
  expectC({ ...figures, volumesMm3: thick, icvMm3: 2.05e6 }, "cortex_white_ratio_out_of_range");
  const moved = figures.centresMm.map((c) =>
    c && [c[0], c[1] + 70, c[2]] as [number, number, number]
  );
  expectC({ ...figures, centresMm: moved }, "outliers");
});

Deno.test("assess() tells images like 7 T from the noisiest ordinary one by contrast over noise", () => {
  // measured (docs/accuracy.md): two curves like 7 T whose cortex and white matter are off by a tenth and more, and a TFE
  const philips = { cnr: 3.33, winningPosterior: 0.9152, sharpness: 0.4928, greyOverWhite: 0.772 };
  const other = { cnr: 2.7, winningPosterior: 0.9187, sharpness: 0.5, greyOverWhite: 0.788 };
  const ordinary = {
    cnr: 3.886,
    winningPosterior: 0.9505,
    sharpness: 0.3962,
    greyOverWhite: 0.7492,
  };
  assert.deepEqual(
    [philips, other, ordinary].map((image) => assess({ ...usual(), ...image }).grade),
    [
      "C",
      "C",
      "A",
    ],
  );
});

Deno.test("assess() gives a C to a head that lies so that nobody would trust what is measured on it", () => {
  initSync({
    module: Deno.readFileSync(
      new URL("../../../wasm/pkg/tests/bind_tests_bg.wasm", import.meta.url),
    ),
  });
  const part = (name: string) =>
    gunzipSync(Deno.readFileSync(new URL(`./atlas/${name}.npy.gz`, import.meta.url)));
  const parts = [part("template"), part("prior_labels"), part("prior_weights")];
  const ends = Uint32Array.of(parts[0]!.length, parts[0]!.length + parts[1]!.length);
  const { voxels, grid, rasFromIjk } = makeSeries(
    makeHead({ resolutionMm: 2, poseDeg: [0, 45, 0] }),
    {
      grid: {
        shape: [80, 88, 80],
        centreRasMm: [0, -14, 6],
        directions: axes("LPS"),
        spacingMm: [2.8, 2.8, 2.8],
      },
      sliceThicknessMm: 2.8,
    },
  );
  const affineParameters = [
    ...affine_parameters(
      Buffer.concat(parts),
      ends,
      voxels,
      new Uint32Array(grid.shape),
      rasFromIjk,
    ),
  ];
  assert.deepEqual(assess({ ...usual(), affineParameters }), {
    grade: "C",
    warnings: ["pose_extreme"],
  });
});

Deno.test("assess() fires on numbers that are not numbers", () => {
  assert.equal(assess({ ...usual(), ncc: NaN }).grade, "C");
  assert.equal(assess({ ...usual(), icvMm3: NaN }).grade, "C");
  assert.equal(assess({ ...usual(), cnr: NaN }).grade, "C");
});

Deno.test("countOutliers() counts a region that lies 5 of its standard deviations away", () => {
  const { centresMm } = usual();
  const hippocampus = atlas.regions.find(({ label }) => label === 19)!;
  const shift = 5 * Math.sqrt(hippocampus.atlas_cov![0]![0]!);
  const moved = centresMm.map((c, label) =>
    c && label === 19 ? [c[0] + 1.2 * shift, c[1], c[2]] as [number, number, number] : c
  );
  assert.equal(countOutliers(centresMm), 0);
  assert.equal(countOutliers(moved), 1);
});

Deno.test("isBrainAlone() tells a brain without its skull from a head, and from a head with a tight field of view", () => {
  const size = 60, inside = new Uint8Array(size ** 3), whole = new Uint8Array(size ** 3);
  const alone = new Uint8Array(size ** 3),
    tight = new Uint8Array(size ** 3),
    air = new Uint8Array(size ** 3);
  for (let i = 0; i < size ** 3; i++) {
    const [x, y, z] = [i % size, Math.floor(i / size) % size, Math.floor(i / size ** 2)];
    const r = Math.hypot(x - 30, y - 30, z - 30);
    inside[i] = r < 22 ? 1 : 0;
    // the dura of an extracted brain is read outside of it
    alone[i] = r < 20 ? 120 : 0;
    whole[i] = r < 20 ? 120 : r > 25 && r < 28 ? 200 : 0;
    tight[i] = z > 25 ? whole[i]! : 0;
    air[i] = r < 20 ? 120 : i % 20;
  }
  assert.deepEqual([alone, whole, tight, air].map((image) => isBrainAlone(image, inside)), [
    true,
    false,
    false,
    true,
  ]);
});
