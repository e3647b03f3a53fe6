import assert from "node:assert/strict";
import { hasPercentile, REGIONS } from "@/model/regions/regions.ts";
import { annualChange, trackedValues, yearsBetween } from "@/model/norms/annual_change.ts";

Deno.test("yearsBetween() counts days of a mean year", () => {
  assert.equal(yearsBetween("2021-03-01", "2025-03-01"), 4);
  assert.ok(Math.abs(yearsBetween("2024-01-01", "2024-07-01") - 182 / 365.25) < 1e-12);
});

Deno.test("annualChange() is the slope of a line through the visits relative to their mean", () => {
  const years = [0, 1.2, 2, 3.5], values = years.map((t) => 8 - 0.2 * t);
  const mean = values.reduce((a, b) => a + b) / 4;
  const { percent, isWithinError } = annualChange("hippocampus", years, values);
  assert.ok(Math.abs(percent! - -20 / mean) < 0.006);
  assert.equal(isWithinError, false);
  const shifted = annualChange("hippocampus", years.map((t) => t + 7), values);
  assert.equal(shifted.percent, percent);
});

Deno.test("annualChange() of scattered values agrees with the normal equations", () => {
  const years = [0, 0.9, 2.1, 2.9, 4], values = [30, 33, 31.5, 36, 37];
  const n = 5, st = years.reduce((a, b) => a + b), sv = values.reduce((a, b) => a + b);
  const stv = years.reduce((sum, t, i) => sum + t * values[i]!, 0);
  const stt = years.reduce((sum, t) => sum + t * t, 0);
  const slope = (n * stv - st * sv) / (n * stt - st * st);
  const want = 100 * slope / (sv / n);
  assert.ok(Math.abs(annualChange("lateral_ventricles", years, values).percent! - want) < 0.006);
});

Deno.test("annualChange() names no change within measurement error or half a year", () => {
  const within = { percent: null, isWithinError: true },
    none = { percent: null, isWithinError: false };
  assert.deepEqual(annualChange("hippocampus", [0, 1], [100, 98.2]), within);
  assert.equal(annualChange("hippocampus", [0, 1], [100, 97.8]).percent, -2.22);
  assert.deepEqual(annualChange("Left hippocampus", [0, 1], [100, 98.2]), within);
  assert.deepEqual(annualChange("lateral_ventricles", [0, 1], [100, 102.8]), within);
  assert.equal(annualChange("brain", [0, 1], [100, 98.8]).percent, -1.21);
  assert.deepEqual(annualChange("Left amygdala", [0, 1], [100, 96]), within);
  // two years of a change that one year would not show
  assert.equal(annualChange("brain", [0, 2], [101, 99.4]).percent, -0.8);
  assert.deepEqual(annualChange("brain", [0, 0.49], [100, 90]), none);
  assert.deepEqual(annualChange("brain", [0], [100]), none);
  assert.deepEqual(annualChange("brain", [0, 1], [0, 0]), none);
});

Deno.test("trackedValues() sums labels in mL and leaves out a thickness that was not measured", () => {
  const volumes = Array.from({ length: 105 }, (_, label) => label === 0 ? 1e9 : 1000 * label);
  const values = trackedValues(volumes, [2.4, 2.6]);
  assert.equal(values.hippocampus, 39);
  assert.equal(values.lateral_ventricles, 31);
  assert.equal(values.white_matter, 31);
  assert.equal(values.cortex, (37 + 104) * 68 / 2);
  assert.equal(values.brain, 104 * 105 / 2 - 15 - 16 - 17 - 18 - 25 - 26 - 27);
  assert.equal(values["Left hippocampus"], 19);
  assert.equal(values.thickness, 2.5);
  assert.equal("thickness" in trackedValues(volumes, [0, 2.6]), false);
  // what is not measured is not followed: fluid in the middle, hypointensities, the parts of the callosum
  const labels = REGIONS.filter(({ name }) => name in values).map(({ label }) => label);
  assert.deepEqual(
    labels,
    REGIONS.filter(({ label }) => hasPercentile(label)).map(({ label }) => label),
  );
});
