import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { analyzeVisits, parseVisits } from "@/server/commands/analyze_visits.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { CONDITIONS, scanT1 } from "@/server/commands/demo/phantom/conditions.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";

Deno.test("parseVisits() wants two to eight visits, a place to write and one date for each", () => {
  const options = parseVisits([
    "a",
    "b",
    "--out",
    "o",
    "--dates",
    "2020-01-01,2021-02-03",
    "--threads",
    "2",
  ]);
  assert.deepEqual(options, {
    visits: ["a", "b"],
    out: "o",
    dates: ["2020-01-01", "2021-02-03"],
    seriesUids: null,
    biasCorrection: true,
    deepStructures: true,
    threads: 2,
  });
  for (
    const bad of [
      "a --out o",
      "a b",
      "a b c d e f g h i --out o",
      "a b --out o --dates 2020-01-01",
      "a b --out o --dates 2020-01-01,2020-13-01",
      "a b --out o --series 1.2.3",
      "a b --out o --series 1.2.3,t1",
      "a b --out o --what",
    ]
  ) assert.equal(parseVisits(bad.split(" ")), null, bad);
});

// that the order of the visits does not matter is shown natively, where registration knows it
Deno.test("analyzeVisits() shows growing ventricles and nothing else, by date", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  try {
    const usual = { ...CONDITIONS[0]!, noisePercent: 2 };
    const scans = {
      first: scanT1(makeHead({ resolutionMm: 2, poseDeg: [4, 2, -3] }), usual),
      second: scanT1(
        makeHead({
          resolutionMm: 2,
          poseDeg: [-3, -5, 4],
          positionMm: [-3, 0, 3],
          ventriclesMm: [0.6, 0],
        }),
        { ...usual, biasPercent: 40 },
      ),
    };
    for (const [name, scan] of Object.entries(scans)) {
      await Deno.writeFile(`${folder}/${name}.nii.gz`, gzipSync(encodeNifti(scan), { level: 1 }));
    }
    // the later visit comes first
    const shown = await analyzeVisits({
      visits: ["second", "first"].map((name) => `${folder}/${name}.nii.gz`),
      out: `${folder}/out`,
      dates: ["2022-01-01", "2020-01-01"],
      seriesUids: null,
      biasCorrection: true,
      deepStructures: true,
      threads: 2,
    });
    const { lateral_ventricles, brain } = shown.annual_change;
    assert.ok(lateral_ventricles!.percent! > 5, JSON.stringify(lateral_ventricles));
    assert.ok(brain!.within_error || Math.abs(brain!.percent!) < 1.5, JSON.stringify(brain));
    const written = JSON.parse(await Deno.readTextFile(`${folder}/out/result.json`));
    assert.equal(written.visits[0].date, "2022-01-01");
    const [later, earlier] = shown.visits.map(({ values }) => values.lateral_ventricles!);
    assert.ok(later! > 1.1 * earlier!, `${earlier} to ${later}`);
    assert.equal(written.stages.every((stage: { peak_mb: number }) => stage.peak_mb < 1200), true);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
