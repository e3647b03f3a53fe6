import assert from "node:assert/strict";
import { simulatedStudy, USUAL_AGE } from "@/bench/drift/simulated_patients.ts";
import {
  CHARTED,
  type ChartedStudy,
  chartsOf,
  OVERALL,
  sparedRegions,
  UNRELIABLE,
} from "@/model/drift/charts.ts";
import { LOCAL_MEASURES, type MeasureName } from "@/model/norms/local_norms.ts";
import { isInvertedKey } from "@/model/regions/measures.ts";
import { Random } from "@/model/random.ts";

const USUAL = { illShare: 0.3, correlation: 0.15, unreliable: 0.03 };
const studies = (seed: number, count: number, shift = 0, settings = USUAL): ChartedStudy[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => simulatedStudy(random, settings, { shift }));
};
const moved = (all: readonly ChartedStudy[]) =>
  chartsOf(all).filter(({ movedAt }) => movedAt !== null).map(({ name }) => name);

Deno.test("CHARTED are measures of the norms", () => {
  const names = LOCAL_MEASURES.map(({ name }) => name);
  assert.deepEqual(CHARTED.filter((name) => !names.includes(name)), []);
});

Deno.test("sparedRegions() is hardly touched by an illness, and wholly by the scanner", () => {
  const z = new Map<MeasureName, number>(
    LOCAL_MEASURES.filter(({ measure, key }) => measure === "volume" && /^\d+$/.test(key))
      .map(({ key, name }, n) => [name, (n % 3 === 0 ? -3 : 0) * (isInvertedKey(key) ? -1 : 1)]),
  );
  assert.equal(sparedRegions(z), 0);
  const by = (add: number) =>
    new Map([...z].map(([name, value]) => [name, value + add] as [MeasureName, number]));
  // every measure larger: regions by a half, and ventricles as well, which counts the other way
  assert.ok(Math.abs(sparedRegions(by(0.5))! - 0.5) < 1e-9);
  assert.equal(sparedRegions(new Map([...z].slice(0, 19))), null);
});

Deno.test("chartsOf() finds a scanner that has changed, and no change of its patients", () => {
  assert.deepEqual(moved(studies(1, 320)), []);
  // half of the patients ill instead of three in ten
  assert.deepEqual(
    moved([...studies(2, 250), ...studies(3, 60, 0, { ...USUAL, illShare: 0.5 })]),
    [],
  );
  assert.ok(moved([...studies(4, 250), ...studies(5, 40, 0.5)]).includes(OVERALL));
  assert.ok(
    moved([...studies(6, 250), ...studies(7, 60, 0, { ...USUAL, unreliable: 0.4 })])
      .includes(UNRELIABLE),
  );
});

Deno.test("chartsOf() finds no change in patients that grow older, and a change among them", () => {
  const ageing = (seed: number, change: number) => {
    const random = new Random(seed);
    return Array.from({ length: 400 }, (_, n) =>
      simulatedStudy(random, USUAL, {
        meanAge: USUAL_AGE + n / 40,
        normError: (age) => -0.02 * (age - USUAL_AGE),
        shift: n < 300 ? 0 : change,
      }));
  };
  assert.deepEqual(moved(ageing(1, 0)), []);
  const [chart] = chartsOf(ageing(1, -0.5));
  assert.equal(chart!.direction, "lower");
  assert.ok(chart!.studies[chart!.movedAt!]! < 340);
});

Deno.test("simulatedStudy() makes the same patients of a seed at any age", () => {
  const steadyRandom = new Random(1), ageingRandom = new Random(1);
  let same = 0;
  for (let n = 0; n < 400; n++) {
    const steady = simulatedStudy(steadyRandom, USUAL);
    const older = simulatedStudy(ageingRandom, USUAL, { meanAge: USUAL_AGE + n / 40 });
    assert.equal(steadyRandom.bits(), ageingRandom.bits(), `random numbers of study ${n}`);
    assert.equal(older.isUnreliable, steady.isUnreliable);
    // other values only of the few that are ill because they are older
    same += Number([...steady.z].every(([name, z]) => older.z.get(name) === z));
  }
  assert.ok(same > 360 && same < 400, `${same} of 400 are the same`);
});

Deno.test("chartsOf() has no more alarms of ageing patients than of the same patients at one age", () => {
  // .5 z in ten years: charts that do not follow the age have an alarm at nearly every site
  const normError = (age: number) => -0.05 * (age - USUAL_AGE), COUNT = 12;
  const hasMoved = (seed: number, years: number) => {
    const random = new Random(seed);
    return moved(
      Array.from(
        { length: 400 },
        (_, n) =>
          simulatedStudy(random, USUAL, { meanAge: USUAL_AGE + years * n / 400, normError }),
      ),
    ).length >
      0;
  };
  const pairs = Array.from({ length: COUNT }, (_, n) => [hasMoved(n, 10), hasMoved(n, 0)]);
  const only = (ageing: boolean) =>
    pairs.filter(([older, steady]) => older === ageing && steady !== ageing).length;
  assert.ok(only(true) - only(false) <= 3, JSON.stringify(pairs));
});

Deno.test("chartsOf() leaves unreliable and unmeasured studies out of the measures' charts", () => {
  const all = studies(8, 150);
  all[3] = { ...all[3]!, isUnreliable: true };
  all[4] = { isUnreliable: false, age: 60, z: new Map() };
  for (const { name, studies: indices, values, higher, lower } of chartsOf(all)) {
    assert.deepEqual([values.length, higher.length, lower.length], Array(3).fill(indices.length));
    assert.equal(indices.includes(3), name === UNRELIABLE);
    assert.equal(indices.includes(4), name === UNRELIABLE);
  }
});
