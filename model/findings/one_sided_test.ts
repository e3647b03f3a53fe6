// covers: S-192
import assert from "node:assert/strict";
import { candidatesOf } from "@/model/findings/candidates.ts";
import { concludeStudy } from "@/model/findings/findings.ts";
import { isOutside } from "@/model/findings/sentences.ts";
import { type Pattern, simulatedHead } from "@/model/findings/simulated_heads_fixture.ts";
import { isLowLevel } from "@/model/norms/bands.ts";
import { LOBES } from "@/model/regions/measures.ts";
import { regionOf, REGIONS } from "@/model/regions/regions.ts";

const AGES = [18, 35, 50, 63, 70, 78, 88, 99];
const isOf = (name: string, label: number) =>
  regionOf(label)?.group === name || regionOf(label)?.part === name;
/** Lobes, and parts with two sides. */
const PLACES = [
  ...LOBES,
  ...new Set(
    REGIONS.filter(({ label, hemisphere }) => label < 37 && hemisphere === "L")
      .map(({ part }) => part),
  ),
];

/** Losses (of fluid, gains) of one side, with a smaller one of the other side. */
function* heads() {
  let seed = 0;
  for (const place of PLACES) {
    for (const [left, right] of [[-6, 0], [0, -6], [-5, -4], [-4, -5], [-3, -1.5]] as const) {
      const sign = regionOf(REGIONS.find(({ label }) => isOf(place, label))!.label)?.group ===
          "ventricle"
        ? -1
        : 1;
      const pattern: Pattern = (label) => {
        if (!isOf(place, label)) return 0;
        return sign * (regionOf(label)?.hemisphere === "L" ? left : right);
      };
      seed++;
      const sex = seed % 2 === 0 ? "male" as const : "female" as const;
      const head = { seed, sex, age: AGES[seed % AGES.length]!, pattern };
      yield { place, left, right, study: simulatedHead(head) };
    }
  }
}

Deno.test("a side is named alone only where the table does not mark the other side too", () => {
  const lateralised = new Set<string>(), wrong: string[] = [];
  for (const { place, study } of heads()) {
    const { findings } = concludeStudy(study), candidates = candidatesOf(study);
    for (const finding of findings.filter(isOutside)) {
      const { part, measure, side, certainty } = finding;
      if (side !== "L" && side !== "R") continue;
      const other = candidates.find((one) =>
        one.part === part && one.measure === measure && one.side !== "" && one.side !== side
      )!;
      lateralised.add(side);
      if (certainty !== "possible" && isLowLevel(other.rank.level, study.thresholds)) {
        wrong.push(`${place}: ${part} ${side}, ${JSON.stringify(other.rank)}`);
      }
      // the other side is said where it is possibly outside
      const isSaid = findings.some((one) =>
        isOutside(one) && one.part === part && one.measure === measure && one !== finding
      );
      if (
        certainty !== "possible" && isLowLevel(other.rank.possible_level, study.thresholds) &&
        other.surprise >= 2.2 && !isSaid
      ) wrong.push(`${place}: ${part} ${side}, the other side is possibly outside`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...lateralised].sort(), ["L", "R"]);
});

Deno.test("no head with a certain loss anywhere is called usual, also where the error is too large for a mark", () => {
  const parts = [...LOBES, ...new Set(REGIONS.map(({ part }) => part))];
  const missed: string[] = [], wrongSide: string[] = [];
  let compared = 0;
  for (const place of parts) {
    for (const side of ["L", "R", "both"] as const) {
      // every other part is healthy beyond doubt
      const pattern: Pattern = (label) => {
        const { group, hemisphere } = regionOf(label)!, sign = group === "ventricle" ? -1 : 1;
        const isLost = isOf(place, label) && (side === "both" || (hemisphere || side) === side);
        return sign * (isLost ? -6 : 1);
      };
      const options = { seed: 5, age: 50, sex: "male" as const, variation: 0, error: 0 };
      const study = simulatedHead({ ...options, pattern }),
        { findings, state } = concludeStudy(study);
      const candidates = candidatesOf(study).filter(({ part }) => part === place);
      // no norm compares the corpus callosum and the fluid around the brain
      if (candidates.length === 0) continue;
      compared++;
      if (state === "usual") missed.push(`${place} ${side}`);
      const other = side === "L" ? "R" : "L";
      if (
        side !== "both" &&
        findings.some((one) => isOutside(one) && one.part === place && one.side === other)
      ) wrongSide.push(`${place} ${side}`);
    }
  }
  assert.ok(compared > 120, `${compared}`);
  assert.deepEqual([missed, wrongSide], [[], []]);
});
