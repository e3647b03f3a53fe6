import assert from "node:assert/strict";
import type { AnalysisResults, FlairResults } from "@/core/storage/analyses.ts";
import { changesOf, type Remeasured } from "@/core/services/analyses/rehearsal.ts";
import { REGIONS } from "@/model/regions/regions.ts";

Deno.test("changesOf() lists exactly the measures that differ, by a bit too", () => {
  const volumesMm3 = Array.from({ length: 105 }, (_, label) => 1000 + label);
  const thicknessMm = Array.from({ length: 105 }, (_, label) => label > 36 ? 2 + label / 100 : 0);
  const results = {
    volumesMm3,
    icvMm3: 1_500_000,
    thicknessSidesMm: [2.5, 2.5],
    thicknessMm,
  } as unknown as AnalysisResults;
  const stored = { results, flair: null };
  const same: Remeasured = {
    version: "2",
    icv_mm3: 1_500_000,
    volumes: REGIONS.filter(({ label }) => label !== 28).map(({ label }) => ({
      label,
      mm3: volumesMm3[label]!,
    })),
    mean_thickness_mm: { left: 2.5, right: 2.5 },
    thickness_by_label_mm: thicknessMm,
    wmh: null,
  };
  assert.deepEqual(changesOf(stored, same), []);
  const changed = {
    ...same,
    volumes: same.volumes.map((one) => one.label === 19 ? { ...one, mm3: one.mm3 + 1e-9 } : one),
  };
  assert.deepEqual(changesOf(stored, changed).map(({ name }) => name), [
    REGIONS.find(({ label }) => label === 19)!.name,
  ]);
  assert.deepEqual(
    changesOf(stored, { ...same, icv_mm3: 1, mean_thickness_mm: { left: 2.6, right: 2.5 } }).map(({ name }) =>
      name
    ),
    ["ICV", "Thickness, left"],
  );
  assert.deepEqual(changesOf(stored, { ...same, mean_thickness_mm: null, thickness_by_label_mm: null }), []);
  const thicker = thicknessMm.with(40, 3), { name } = REGIONS.find(({ label }) => label === 40)!;
  assert.deepEqual(
    changesOf(stored, { ...same, thickness_by_label_mm: thicker }).map(({ name }) => name),
    [`Thickness, ${name}`],
  );
  const flair = { results: { periMm3: 900, deepMm3: 400 } as FlairResults, volume: "" };
  const wmh = { peri_mm3: 900, deep_mm3: 401 };
  assert.deepEqual(changesOf({ results, flair }, { ...same, wmh }).map(({ name, after }) => [name, after]), [
    ["WMH, deep", 401],
  ]);
});
