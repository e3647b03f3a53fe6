import assert from "node:assert/strict";
import { regionOf } from "@/model/regions/regions.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import type { AnalysisResults, FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import { runSulcus } from "@/tests/sites/analysed/other_engines.ts";
import { withCore } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";

const VOLUMES_MM3 = Array.from({ length: 105 }, (_, label) => 1000 + label);
const LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20, LEFT_CAUDATE = 9;

const t1Results = (hasLesions: boolean): AnalysisResults => ({
  volumesMm3: VOLUMES_MM3,
  icvMm3: 1_500_000,
  shape: [1, 1, 1],
  rasFromIjkRows: [],
  quality: {},
  hasLesions,
});

const flairResults = (tissue: FlairResults["tissue"]): FlairResults => ({
  shape: [1, 1, 1],
  rasFromIjkRows: [],
  periMm3: 900,
  deepMm3: 400,
  whiteMatterMm3: 400_000,
  lesionCount: 1,
  isLowConfidence: false,
  tissue,
  registration: null,
  t1FromFlairRows: [],
  icvMm3: tissue === "flair" ? 1_600_000 : null,
  deepStructures: tissue === "flair" ? readOnFlair((label) => VOLUMES_MM3[label]!) : null,
  grade: "B",
});

const volumesOf = (other: Record<number, number>) =>
  VOLUMES_MM3.map((mm3, label) => other[label] ?? mm3);

/**
 * A release whose engine answers every study with the same figures: those that are stored, except for the amygdala's of a T1w
 * series and hippocampus, caudate and deep lesions of a FLAIR alone.
 */
async function writeRelease(folder: string): Promise<void> {
  const wmh = { peri_mm3: 900, deep_mm3: 400 };
  const t1 = volumesOf({ 21: 2 * VOLUMES_MM3[21]! }).map((mm3, label) => ({ label, mm3 }));
  const withT1w = { version: "new", icv_mm3: 1_500_000, volumes: t1, mean_thickness_mm: null, wmh };
  const read = readOnFlair((label) =>
    volumesOf({
      [LEFT_HIPPOCAMPUS]: 1.5 * VOLUMES_MM3[LEFT_HIPPOCAMPUS]!,
      [RIGHT_HIPPOCAMPUS]: 0.5 * VOLUMES_MM3[RIGHT_HIPPOCAMPUS]!,
      [LEFT_CAUDATE]: 1,
    })[label]!
  );
  const alone = {
    version: "new",
    wmh: { ...wmh, deep_mm3: 600, flair_icv_mm3: 1_600_000, deep_structures: read },
  };
  await Deno.writeTextFile(`${folder}/t1w.json`, JSON.stringify(withT1w));
  await Deno.writeTextFile(`${folder}/flair.json`, JSON.stringify(alone));
  const script = `#!/bin/sh
case "$2" in --t2) answer=flair ;; *) answer=t1w ;; esac
while [ "$1" != --out ]; do shift; done
mkdir "$2" && cp ${folder}/$answer.json "$2/result.json"
`;
  await Deno.writeTextFile(`${folder}/sulcus`, script, { mode: 0o755 });
}

Deno.test("rehearse analyses the newest T1w series and as many FLAIR alone, and lists what changes of each", () =>
  withCore(async ({ dataDir }) => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" }), at = "2026-01-06T00:00:00Z";
    await writeRelease(folder);
    // FLAIR alone; both; FLAIR beside a T1w series that is gone; FLAIR alone twice; T1w alone
    await addStudies(dataDir, 6);
    await setCompleted(dataDir, 1, at, "t2", flairResults("flair"));
    await setCompleted(dataDir, 2, at, "t1", t1Results(true));
    await setCompleted(dataDir, 2, at, "t2", flairResults("t1"));
    await setCompleted(dataDir, 3, at, "t2", flairResults("t1"));
    await setCompleted(dataDir, 4, at, "t2", flairResults("flair"));
    await setCompleted(dataDir, 5, at, "t2", flairResults("flair"));
    await setCompleted(dataDir, 6, at, "t1", t1Results(false));
    const { code, said } = await runSulcus(dataDir, "rehearse", folder, "2");
    await Deno.remove(folder, { recursive: true });
    assert.equal(code, 0, said);
    const rows = said.trim().split("\n").map((line) => line.trim().split(/ {2,}/));
    const name = (label: number) => regionOf(label)!.name;
    assert.deepEqual(rows, [
      ["Study 6, engine null → new: 1 number differs"],
      ["Study 2, engine null → new: 1 number differs"],
      ["Study 5, engine null → new: 3 numbers differ"],
      ["Study 4, engine null → new: 3 numbers differ"],
      [""],
      ["T1w series", "studies", "mean", "most"],
      [name(21), "2 of 2", "+100.00\u00a0%", "+100.00\u00a0%"],
      [""],
      ["FLAIR series only", "studies", "mean", "most"],
      [name(LEFT_HIPPOCAMPUS), "2 of 2", "+50.00\u00a0%", "+50.00\u00a0%"],
      [name(RIGHT_HIPPOCAMPUS), "2 of 2", "-50.00\u00a0%", "-50.00\u00a0%"],
      ["WMH, deep", "2 of 2", "+50.00\u00a0%", "+50.00\u00a0%"],
    ]);
  }));
