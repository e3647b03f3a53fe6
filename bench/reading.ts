/**
 * Coverage of intervals in simulated reading studies, and how often a true effect is found.
 *
 * deno task bench reading [--studies N] [--json FILE]
 *
 * Four readers with different biases read 60 cases with and without results. Results reduce the
 * readers' noise, or have no effect. Seeds are 1, 2, …; each interval is compared with the true
 * value of the simulated readers, integrated over the cases. The coverage of the ICC's interval is
 * computed from ten times as many studies, and from equally many rating tables in other settings:
 * 2,000 studies have a standard error of .3 %.
 */
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import { Random } from "@/model/random.ts";
import {
  type Coverage,
  coverageOf,
  iccCoverageOf,
  iccCoverageOfRatings,
} from "@/model/reading_study/coverage_testing.ts";
import type { Simulation } from "@/model/reading_study/simulated_readers_testing.ts";

const at = Deno.args.indexOf("--studies"), studies = at < 0 ? 2000 : Number(Deno.args[at + 1]);
const LOW = 94, HIGH = 96, MORE_ICC = 10;
const SCENE = { cases: 60, readers: 4, bias: 0.3, timeRatio: 0.8 };
const HELPED = { with: 0.5, without: 0.9 }, NOT_HELPED = { with: 0.9, without: 0.9 };
const SIMULATIONS: readonly (readonly [string, Simulation, isHelped: boolean])[] = [
  ["0–100", { ...SCENE, scale: "hundred", noise: HELPED }, true],
  ["1–5", { ...SCENE, scale: "five", noise: HELPED }, true],
  ["no effect", { ...SCENE, scale: "hundred", noise: NOT_HELPED, timeRatio: 1 }, false],
];
/** Readers, cases, ICC, and the fraction of the variance within cases that is between readers. */
const ICC_SETTINGS = [
  [2, 20, 0.3, 0.1],
  [2, 40, 0.6, 0.9],
  [2, 80, 0.3, 0],
  [2, 80, 0.6, 0.6],
  [3, 20, 0.8, 0],
  [3, 40, 0.95, 0.02],
  [4, 40, 0.8, 0.1],
  [4, 80, 0.3, 0.6],
  [5, 60, 0.6, 0.3],
  [6, 20, 0.95, 0.1],
  [6, 80, 0.95, 0],
] as const;
const row = rowMaker("reading", 4);

function rowsOf(name: string, { intervals, holding, errorSum }: Coverage): Row[] {
  const coverage = 100 * holding / intervals;
  return [
    row(`${name}, coverage`, coverage, "%", {
      bar: `${LOW}–${HIGH}`,
      ok: coverage >= LOW && coverage <= HIGH,
    }),
    row(`${name}, mean error`, errorSum / intervals, "1"),
  ];
}

const rows: Row[] = SIMULATIONS.flatMap(([name, simulation, isHelped]) => {
  const { counts, significant } = coverageOf(simulation, studies, 1);
  if (counts.delete("ICC")) {
    counts.set(
      `ICC of ${MORE_ICC * studies} studies`,
      iccCoverageOf(simulation, MORE_ICC * studies, 1),
    );
  }
  return [
    ...[...counts].flatMap(([kind, coverage]) => rowsOf(`${name}: ${kind}`, coverage)),
    row(
      `${name}: studies with P < .05 for the mean AUC`,
      100 * significant,
      "%",
      isHelped ? {} : { bar: "4–6", ok: significant >= 0.04 && significant <= 0.06 },
    ),
  ];
});
for (const [readers, cases, icc, readerShare] of ICC_SETTINGS) {
  const name = `ICC ${icc}, ${readers} readers, ${cases} cases, ${100 * readerShare} % by readers`;
  const setting = { readers, cases, icc, readerShare };
  rows.push(...rowsOf(name, iccCoverageOfRatings(setting, MORE_ICC * studies, new Random(cases))));
}
finish("deno task bench reading", `${studies} studies, seeds from 1`, rows);
