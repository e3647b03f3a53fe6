import assert from "node:assert/strict";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import {
  flagByLeavingOut,
  type JudgedRegion,
  judgeRegions,
} from "@/bench/truth/region_failures.ts";

const filled = (value: number) => new Array<number>(105).fill(value);
const HIPPOCAMPUS = 19, AMYGDALA = 21, PUTAMEN = 11;

/** An image with correct regions, except the given values. */
function image(name: string, part: Partial<MeasuredHead> = {}): MeasuredHead {
  const agreement = { atlas: filled(0.8), deepStructures: filled(0.95), secondOpinion: null };
  return {
    name,
    facts: { person: name.split("_")[0]! },
    version: "",
    grade: "A",
    warnings: [],
    quality: {},
    seconds: 0,
    hasParcels: true,
    icvMm3: 0,
    oursMm3: filled(4000),
    theirsMm3: filled(4000),
    dice: filled(0.88),
    groups: {},
    thickness: [],
    agreement,
    ...part,
  };
}

Deno.test("judgeRegions() calls a region failed by its volume, its place, or its absence in the truth", () => {
  const good = image("a");
  const ours = filled(4000), theirs = filled(4000), dice = filled(0.88);
  ours[HIPPOCAMPUS] = 5200;
  dice[AMYGDALA] = 0.6;
  theirs[PUTAMEN] = 0;
  const bad = image("a_bad", { oursMm3: ours, theirsMm3: theirs, dice });
  const failed = judgeRegions([good, bad], () => good).filter((region) => region.hasFailed);
  assert.deepEqual(
    failed.map(({ image, label }) => [image, label]),
    [["a_bad", PUTAMEN], ["a_bad", HIPPOCAMPUS], ["a_bad", AMYGDALA]],
  );
});

Deno.test("judgeRegions() tells a region of which a part is gone from an ordinary one", () => {
  const good = image("a"), ours = filled(4000), theirs = filled(4000);
  ours[HIPPOCAMPUS] = theirs[HIPPOCAMPUS] = 2000;
  const regions = judgeRegions([image("a_bad", { oursMm3: ours, theirsMm3: theirs })], () => good);
  assert.deepEqual(
    regions.filter(({ isCut }) => isCut).map(({ label, hasFailed }) => [label, hasFailed]),
    [[HIPPOCAMPUS, false]],
  );
});

Deno.test("judgeRegions() forgives what the good image of the head has too", () => {
  const ours = filled(4000);
  ours[HIPPOCAMPUS] = 5600;
  const good = image("a", { oursMm3: ours });
  assert.ok(judgeRegions([good], () => good).every((region) => !region.hasFailed));
  assert.deepEqual(judgeRegions([good], () => undefined), []);
});

Deno.test("flagByLeavingOut() judges each person with the limit of the others", () => {
  const region = (person: string, atlas: number, hasFailed = false): JudgedRegion => ({
    image: person,
    person,
    grade: "A",
    label: HIPPOCAMPUS,
    hasFailed,
    isCut: false,
    agreement: { atlas, deepStructures: null },
  });
  const people = ["a", "b", "c"].flatMap((person) => [
    region(person, 0.8),
    region(person, 0.82),
    region(person, 0.78),
    region(person, 0.4, true),
    region(person, 0.79, true),
  ]);
  const { failed, good, flagged, limits } = flagByLeavingOut(people, "atlas");
  assert.deepEqual([failed.length, good.length, flagged.size], [6, 9, 3]);
  assert.ok([...flagged].every(({ hasFailed }) => hasFailed));
  const logit = (dice: number) => Math.log(dice / (1 - dice));
  assert.ok(
    limits.every((limit) => Math.abs(limit - (logit(0.8) - logit(0.78))) < 1e-9),
    `${limits}`,
  );
  // a person unlike the others, who did not contribute to the limit
  const other = flagByLeavingOut([...people, region("d", 0.6)], "atlas");
  assert.deepEqual([...other.flagged].filter(({ person }) => person === "d").length, 1);
});
