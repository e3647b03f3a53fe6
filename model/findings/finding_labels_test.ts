// covers: D2-1.1
import assert from "node:assert/strict";
import { placeOfFinding } from "@/model/findings/finding_labels.ts";
import { concludeStudy } from "@/model/findings/findings.ts";
import { simulatedHead } from "@/model/findings/simulated_heads_fixture.ts";
import { regionOf } from "@/model/regions/regions.ts";

/** Findings of these have no one place. */
const EVERYWHERE = ["cortex", "brain", "Cerebral white matter"];

Deno.test("placeOfFinding() has labels of the side of each finding, of generated heads", () => {
  const parts = new Set<string>();
  for (let seed = 1; seed <= 100; seed++) {
    const study = simulatedHead({
      age: 20 + seed * 7 % 70,
      sex: seed % 2 === 0 ? "male" : "female",
      seed,
      variation: 3,
    });
    for (const finding of concludeStudy(study).findings) {
      const place = placeOfFinding(finding);
      if (finding.kind === "missing" && finding.values.every(({ value }) => value === 0)) {
        assert.equal(place, null);
        continue;
      }
      if (finding.kind === "score" || finding.kind === "lesions") {
        assert.equal(place, null);
        continue;
      }
      const part = finding.kind === "change" ? finding.key : finding.part;
      if (EVERYWHERE.includes(part)) {
        assert.equal(place, null, part);
        continue;
      }
      parts.add(part);
      assert.ok(place && place.labels.length > 0, `${part} has no place`);
      const hemispheres = new Set(place.labels.map((label) => regionOf(label)!.hemisphere));
      const { side } = place;
      if (side === "L" || side === "R") assert.deepEqual([...hemispheres], [side], part);
      else assert.ok(!hemispheres.has("") || hemispheres.size === 1, part);
    }
  }
  assert.ok(parts.size > 12, `${parts.size} parts`);
});

Deno.test("placeOfFinding() has both sides of a change", () => {
  const change = { kind: "change", certainty: "firm", percent: -4, norm_percent: -1 } as const;
  const since = "2020-01-01";
  assert.deepEqual(placeOfFinding({ ...change, key: "hippocampus", since })?.labels, [19, 20]);
  assert.equal(placeOfFinding({ ...change, key: "brain", since }), null);
});
