import assert from "node:assert/strict";
import { isReadOnFlair } from "@/model/norms/any_contrast_error.ts";
import type { AnalysisResults, FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import { changesOf, type Remeasured } from "@/server/core/analyses/service/rehearsal.ts";
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
  const t1 = { results, volume: "" }, stored = { t1, flair: null };
  const same = {
    version: "2",
    icv_mm3: 1_500_000,
    volumes: REGIONS.filter(({ label }) => label !== 28).map(({ label }) => ({
      label,
      mm3: volumesMm3[label]!,
    })),
    mean_thickness_mm: { left: 2.5, right: 2.5 },
    thickness_by_label_mm: thicknessMm,
    wmh: null,
  } satisfies Remeasured;
  assert.deepEqual(changesOf(stored, same), []);
  const changed = {
    ...same,
    volumes: same.volumes.map((one) => one.label === 19 ? { ...one, mm3: one.mm3 + 1e-9 } : one),
  };
  assert.deepEqual(changesOf(stored, changed).map(({ name }) => name), [
    REGIONS.find(({ label }) => label === 19)!.name,
  ]);
  assert.deepEqual(
    changesOf(stored, { ...same, icv_mm3: 1, mean_thickness_mm: { left: 2.6, right: 2.5 } }).map((
      { name },
    ) => name),
    ["ICV", "Thickness, left"],
  );
  assert.deepEqual(
    changesOf(stored, { ...same, mean_thickness_mm: null, thickness_by_label_mm: null }),
    [],
  );
  const thicker = thicknessMm.with(40, 3), { name } = REGIONS.find(({ label }) => label === 40)!;
  assert.deepEqual(
    changesOf(stored, { ...same, thickness_by_label_mm: thicker }).map(({ name }) => name),
    [`Thickness, ${name}`],
  );
  const flair = { results: { periMm3: 900, deepMm3: 400 } as FlairResults, volume: "" };
  const wmh = { peri_mm3: 900, deep_mm3: 401 };
  assert.deepEqual(
    changesOf({ t1, flair }, { ...same, wmh }).map(({ name, after }) => [name, after]),
    [
      ["WMH, deep", 401],
    ],
  );
});

Deno.test("changesOf() of a FLAIR alone lists each printed structure, ICV and lesions, and what is read no longer", () => {
  const deepStructures = readOnFlair((label) => 1000 + label), { volumesMm3 } = deepStructures;
  const results = { periMm3: 900, deepMm3: 400, icvMm3: 1_500_000, deepStructures } as FlairResults;
  const stored = { t1: null, flair: { results, volume: "" } };
  const wmh = {
    peri_mm3: 900,
    deep_mm3: 400,
    flair_icv_mm3: 1_500_000,
    deep_structures: deepStructures,
  };
  const changes = (next: Partial<typeof wmh>) =>
    changesOf(stored, { version: "2", wmh: { ...wmh, ...next } }).map(({ name, before, after }) => [
      name,
      before,
      after,
    ]);
  const nameOf = (label: number) => REGIONS.find((region) => region.label === label)!.name;
  const printed = REGIONS.map(({ label }) => label).filter(isReadOnFlair);
  assert.equal(printed.length, 16);
  assert.deepEqual(changes({}), []);
  assert.deepEqual(changes({ peri_mm3: 901, flair_icv_mm3: 2 }), [
    ["ICV", 1_500_000, 2],
    ["WMH, periventricular", 900, 901],
  ]);
  const larger = { ...deepStructures, volumesMm3: volumesMm3.map((mm3) => mm3 + 1) };
  assert.deepEqual(
    changes({ deep_structures: larger }),
    printed.map((label) => [nameOf(label), 1000 + label, 1001 + label]),
  );
  const refused = { ...deepStructures, isUsed: false, volumesMm3: new Array(105).fill(0) };
  assert.deepEqual(
    changes({ deep_structures: refused }),
    printed.map((label) => [nameOf(label), 1000 + label, null]),
  );
  const before = {
    ...stored,
    flair: { volume: "", results: { ...results, deepStructures: undefined } },
  };
  assert.deepEqual(
    changesOf(before, { version: "2", wmh }).map(({ before, after }) => [before, after]),
    printed.map((label) => [null, 1000 + label]),
  );
});
