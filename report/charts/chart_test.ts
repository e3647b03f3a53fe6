import assert from "node:assert/strict";
import { curveOf } from "@/model/norms/curves.ts";
import {
  niceTicks,
  percentileRailSvg,
  RAIL_SIZE,
  referenceChartSvg,
} from "@/report/charts/chart.ts";

const texts = { title: "T & <b>", subtitle: "s", age: "a", patient: "P", noCurve: "none" };
const curve = curveOf([19, 20], { sex: "female", icvMl: 1409 }, { from: 20, to: 90 });

Deno.test("niceTicks() covers the range with few round steps", () => {
  assert.deepEqual(niceTicks(0, 95), [0, 25, 50, 75, 100]);
  for (const [low, high] of [[3.2, 10.4], [0, 200], [6.71, 6.92]] as const) {
    const ticks = niceTicks(low, high);
    assert.ok(ticks[0]! <= low && ticks.at(-1)! >= high && ticks.length <= 7, String(ticks));
  }
});

Deno.test("referenceChartSvg() puts the patient at the age and the volume", () => {
  const dotOf = (age: number, volume: number) => {
    const found = /<circle cx="([\d.]+)" cy="([\d.]+)"/.exec(
      referenceChartSvg(curve, { age, volume, level: 0 }, texts),
    )!;
    return [Number(found[1]), Number(found[2])] as const;
  };
  const middle = curve.find((point) => point.age === 55)!;
  const [x55, y50] = dotOf(55, middle.p50),
    [x20] = dotOf(20, middle.p50),
    [x90] = dotOf(90, middle.p50);
  assert.ok(Math.abs(x55 - (x20 + x90) / 2) < 0.02);
  assert.ok(dotOf(55, middle.p5)[1] > y50 && dotOf(55, middle.p95)[1] < y50);
});

Deno.test("referenceChartSvg() writes the patient's figure on the side of the dot that other visits leave free", () => {
  const middle = curve.find((point) => point.age === 70)!.p50;
  const placesOf = (before: number) => {
    const visits = [65, 66, 67, 68, 69].map((age) => ({
      age,
      volume: middle + before * (70 - age),
    }));
    const svg = referenceChartSvg(
      curve,
      { age: 70, volume: middle, level: 0, ages: [62, 72], visits },
      texts,
    );
    const dot = [...svg.matchAll(/<circle cx="[\d.]+" cy="([\d.]+)" r="3.4"/g)][0]!;
    const words = /<text x="[\d.]+" y="([\d.]+)"[^>]*font-weight="bold"[^>]*>P</.exec(svg)!;
    return [Number(dot[1]), Number(words[1])] as const;
  };
  const [falling, under] = placesOf(0.1), [rising, over] = placesOf(-0.1);
  assert.ok(
    under > falling + 6 && over < rising,
    `${under} under ${falling}, ${over} over ${rising}`,
  );
});

Deno.test("referenceChartSvg() escapes texts and keeps to the page's policy", () => {
  const svg = referenceChartSvg(curve, { age: 40, volume: 7, level: 2 }, texts);
  assert.ok(svg.includes("T &amp; &lt;b&gt;") && !svg.includes("<b>"));
  assert.ok(!/style=|<style|<script|NaN|undefined/.test(svg));
  const empty = referenceChartSvg([], { age: 3, volume: 7, level: 0 }, texts);
  assert.ok(empty.includes("none") && !empty.includes("<circle"));
});

Deno.test("percentileRailSvg() shades the low end, and the high end of fluid", () => {
  const value = { left: 10, right: 90, total: 50, low: 30, high: 70, hasDot: true, level: 0 };
  const shaded = (isInverted: boolean) =>
    [
      ...percentileRailSvg(value, [5, 25], isInverted).matchAll(
        /<rect x="([\d.]+)"[^>]*width="([\d.]+)"/g,
      ),
    ]
      .slice(1).map((found) => [Number(found[1]), Number(found[2])] as const);
  const span = RAIL_SIZE.width - 8;
  const low = shaded(false), near = (a: number, b: number) => Math.abs(a - b) < 0.01;
  assert.ok(near(low[0]![1], span * 0.25) && near(low[1]![1], span * 0.05));
  assert.deepEqual(low.map(([from]) => from), [4, 4]);
  const high = shaded(true);
  assert.ok(Math.abs(high[1]![0] + high[1]![1] - (4 + span)) < 0.02 && high[1]![0] > high[0]![0]);
  const svg = percentileRailSvg(value, [5], false);
  assert.ok(svg.includes(`cx="${RAIL_SIZE.width / 2}"`));
  // the whisker goes from 30 to 70; without a band no dot is drawn
  const x = (p: number) => String(Math.round(100 * (4 + p / 100 * span)) / 100);
  assert.ok(svg.includes(`x1="${x(30)}" y1="5.5" x2="${x(70)}" y2="5.5"`), svg);
  assert.ok(!percentileRailSvg({ ...value, hasDot: false }, [5], false).includes("<circle"));
});
