import assert from "node:assert/strict";
import {
  appendValue,
  chartOf as chartAtAges,
  chartOfEvents,
  type ChartState,
  LEARNING,
  median,
  newChart,
  usual,
} from "@/model/drift/cusum.ts";
import { Random } from "@/model/random.ts";

const RULE = { slack: 0.5, limit: 8 };
/** A chart of patients of one age. */
const chartOf = (values: readonly number[], rule: typeof RULE) =>
  chartAtAges(values, values.map(() => 60), rule);
const normals = (random: Random, count: number, mean = 0, sd = 1) =>
  Array.from({ length: count }, () => mean + sd * random.normal());

Deno.test("median() is the middle of the sorted values", () => {
  assert.deepEqual([median([3, 1, 2]), median([4, 1, 3, 2]), median([])], [2, 2.5, NaN]);
});

Deno.test("chartOf() finds a lasting change in either direction, and nothing in usual values", () => {
  const random = new Random(7), usual = normals(random, 300, 2, 0.3);
  assert.equal(chartOf(usual, RULE).movedAt, null);
  for (const [shift, direction] of [[0.45, "higher"], [-0.45, "lower"]] as const) {
    const chart = chartOf([...usual, ...normals(random, 60, 2 + shift, 0.3)], RULE);
    assert.equal(chart.direction, direction);
    assert.ok(Math.abs(chart.beganAt! - 300) < 10, String(chart.beganAt));
    assert.ok(chart.movedAt! > 300 && chart.movedAt! < 330, String(chart.movedAt));
  }
});

Deno.test("usual() is a line over age, whatever a few ill patients have", () => {
  const random = new Random(9), ages = Array.from({ length: 300 }, () => random.between(30, 90));
  const values = ages.map((age) => 1 - 0.02 * (age - 60) + 0.5 * random.normal());
  for (let n = 0; n < 300; n += 20) values[n] = -30;
  const { centre, age, slope, spread } = usual(values, ages);
  const near = (value: number, wanted: number, by: number) =>
    assert.ok(Math.abs(value - wanted) < by, `${value}`);
  near(slope, -0.02, 0.005);
  near(centre - slope * (age - 60), 1, 0.1);
  near(spread, 0.5, 0.1);
  // patients of one age say nothing of a slope
  assert.equal(usual(values, ages.map(() => 60)).slope, 0);
});

Deno.test("chartOf() follows patients that grow older, where the norms err with age", () => {
  const random = new Random(13);
  const ages = Array.from({ length: 400 }, (_, n) => 55 + n / 20 + 12 * random.normal());
  const values = ages.map((age) => -0.04 * (age - 55) + 0.5 * random.normal());
  assert.equal(chartAtAges(values, ages, RULE).movedAt, null);
  // without ages it is a change
  assert.equal(chartOf(values, RULE).direction, "lower");
  const changed = values.map((value, n) => n < 300 ? value : value - 0.5);
  assert.equal(chartAtAges(changed, ages, RULE).direction, "lower");
});

Deno.test("chartOf() says nothing before it has learnt, and one wild value moves nothing", () => {
  assert.equal(chartOf(Array(LEARNING).fill(0).map((_, n) => n), RULE).movedAt, null);
  const values = normals(new Random(3), 200);
  for (const at of [0, 50, 120, 199]) values[at] = at % 100 === 0 ? 1e9 : -1e9;
  assert.equal(chartOf(values, RULE).movedAt, null);
});

Deno.test("chartOf() keeps what it has found, although the values come back", () => {
  const random = new Random(5);
  const values = [...normals(random, 150), ...normals(random, 30, 2), ...normals(random, 300)];
  const at = chartOf(values.slice(0, 180), RULE).movedAt;
  assert.ok(at !== null);
  assert.equal(chartOf(values, RULE).movedAt, at);
});

Deno.test("chartOf() of equal values is finite", () => {
  const { higher, lower, movedAt } = chartOf(Array(200).fill(1.25), RULE);
  assert.ok([...higher, ...lower].every((sum) => sum === 0) && movedAt === null);
});

Deno.test("chartOfEvents() finds events that become more frequent, not those that become rarer", () => {
  const random = new Random(11),
    share = (count: number, part: number) =>
      Array.from({ length: count }, () => random.uniform() < part);
  const before = share(300, 0.05);
  assert.equal(chartOfEvents([...before, ...share(200, 0)], 7.5).movedAt, null);
  const { movedAt, direction } = chartOfEvents([...before, ...share(80, 0.4)], 7.5);
  assert.ok(movedAt! >= 300 && movedAt! < 340, String(movedAt));
  assert.equal(direction, "higher");
});

Deno.test("appendValue() judges a value by those before it, and never again", () => {
  const random = new Random(17), values = normals(random, 900), ages = values.map(() => 60);
  const whole = chartAtAges(values, ages, RULE);
  let stored = JSON.stringify(newChart());
  for (const [at, value] of values.entries()) {
    const chart = JSON.parse(stored) as ChartState;
    appendValue(chart, value, 60, RULE);
    assert.deepEqual([chart.higher.value, chart.lower.value], [whole.higher[at], whole.lower[at]]);
    assert.ok(chart.values.length <= 440, "the kept values are bounded");
    stored = JSON.stringify(chart);
  }
  assert.deepEqual((JSON.parse(stored) as ChartState).values, []);
});

Deno.test("a baseline is fixed once it is learnt: a scanner that changes slowly is found", () => {
  const random = new Random(19);
  const values = Array.from({ length: 3000 }, (_, n) => random.normal() + n / 1500);
  assert.equal(chartOf(values, { slack: 0.5, limit: 16 }).direction, "higher");
});
