// covers: S-249, S-250
import assert from "node:assert/strict";
import {
  agreementTable,
  casesForKappa,
  icc,
  kappa,
  type KappaWeights,
  meanSquares,
  smallestOf,
  uncertainKappa,
} from "@/model/reading_study/agreement.ts";
import { areaDifference, areaEstimate, delong } from "@/model/reading_study/auc.ts";
import {
  binomialHalfCdf,
  chiSquareQuantiles,
  fQuantile,
  tQuantile,
  twoSidedP,
} from "@/model/reading_study/distributions.ts";
import { type Estimate, type UncertainEstimate, wilson } from "@/model/reading_study/interval.ts";
import { meanOf, pairedRatio, pairedShares } from "@/model/reading_study/paired.ts";
import { type CountedStudy, readingStatistics } from "@/model/reading_study/statistics.ts";
import { simulateStudy } from "@/model/reading_study/simulated_readers_testing.ts";
import { readingStatistics as readingStatisticsSchema } from "@/model/schema/reading/reading_studies.ts";
import { coverageOf } from "@/model/reading_study/coverage_testing.ts";
import { Random } from "@/model/random.ts";

const near = (value: number, expected: number, tolerance: number) =>
  assert.ok(Math.abs(value - expected) <= tolerance, `${value}, not ${expected}`);
const repeated = (counts: readonly number[]) =>
  counts.flatMap((count, n) => new Array<number>(count).fill(n + 1));

Deno.test("quantiles are those of printed tables", () => {
  for (const [df, t] of [[1, 12.7062], [5, 2.5706], [10, 2.2281], [60, 2.0003]] as const) {
    near(tQuantile(0.975, df), t, 5e-5);
  }
  for (const [df1, df2, f] of [[5, 10, 4.2361], [10, 5, 6.6192], [3, 60, 3.3425]] as const) {
    near(fQuantile(0.975, df1, df2), f, 5e-4);
  }
  // the third of five parts has its middle at the median, the 20th of 20 at 97.5 %
  for (
    const [df, median, p975] of [[1, 0.4549, 5.0239], [3, 2.366, 9.3484], [60, 59.335, 83.298]]
  ) {
    near(chiSquareQuantiles(df!, 5)[2]!, median!, 5e-4);
    near(chiSquareQuantiles(df!, 20)[19]!, p975!, 5e-4);
  }
  near(twoSidedP(1.959964), 0.05, 1e-6);
  for (const n of [1, 7, 20]) {
    let sum = 0, ways = 1;
    for (let k = 0; k <= n; k++) {
      sum += ways / 2 ** n;
      near(binomialHalfCdf(k, n), sum, 1e-12);
      ways = ways * (n - k) / (k + 1);
    }
  }
});

/** Area by comparing every positive with every negative case. */
function areaByPairs(ratings: readonly number[], isPositive: readonly boolean[]): number {
  let sum = 0, pairs = 0;
  ratings.forEach((a, i) =>
    ratings.forEach((b, j) => {
      if (!isPositive[i] || isPositive[j]) return;
      pairs++;
      sum += a > b ? 1 : a === b ? 0.5 : 0;
    })
  );
  return sum / pairs;
}

/** Covariance of two areas by leaving out each case in turn, group by group. */
function jackknifeCovariance(
  curves: readonly (readonly number[])[],
  isPositive: readonly boolean[],
): number {
  let covariance = 0;
  for (const group of [true, false]) {
    const members = isPositive.flatMap((each, n) => each === group ? [n] : []);
    const left = members.map((out) =>
      curves.map((ratings) =>
        areaByPairs(
          ratings.filter((_, n) => n !== out),
          isPositive.filter((_, n) => n !== out),
        )
      )
    );
    const means = [0, 1].map((c) => left.reduce((s, row) => s + row[c]!, 0) / left.length);
    covariance += left.reduce(
      (s, row) => s + (row[0]! - means[0]!) * (row[1]! - means[1]!),
      0,
    ) * (members.length - 1) / members.length;
  }
  return covariance;
}

Deno.test("delong() has the area of every pair and the covariance of leaving cases out", () => {
  const random = new Random(46);
  for (let round = 0; round < 60; round++) {
    const n = 6 + Math.floor(random.uniform() * 20), levels = round % 2 ? 5 : 1000;
    const isPositive = Array.from(
      { length: n },
      (_, i) => i < 2 || i > 3 && random.uniform() < 0.5,
    );
    const base = isPositive.map((positive) => Number(positive) + random.normal());
    const curves = [0, 1].map(() =>
      base.map((each) => Math.round(levels * (each + random.normal())) / levels)
    );
    const { areas, covariance } = delong(curves, isPositive)!;
    curves.forEach((ratings, c) => near(areas[c]!, areaByPairs(ratings, isPositive), 1e-12));
    near(covariance[0]![1]!, jackknifeCovariance(curves, isPositive), 1e-12);
    near(covariance[1]![1]!, jackknifeCovariance([curves[1]!, curves[1]!], isPositive), 1e-12);
  }
});

Deno.test("delong() gives the published area of 109 CT images rated 1 to 5", () => {
  // Hanley and McNeil 1982, Radiology 143:29, table 1: .893; DeLong's standard error .031
  const healthy = repeated([33, 6, 6, 11, 2]), ill = repeated([3, 2, 2, 11, 33]);
  const isPositive = [...healthy.map(() => false), ...ill.map(() => true)];
  const result = delong([[...healthy, ...ill]], isPositive)!;
  near(result.areas[0]!, 0.893, 0.0005);
  near(Math.sqrt(result.covariance[0]![0]!), 0.031, 0.0005);
  const { low, high } = areaEstimate(result, [1]);
  assert.ok(low > 0.8 && low < 0.83 && high > 0.93 && high < 0.95, `${low} ${high}`);
});

Deno.test("areas without a variance have an interval, and too few cases have none", () => {
  const isPositive = [true, true, true, false, false, false];
  const perfect = delong([[3, 4, 5, 0, 1, 2], [0, 1, 2, 3, 4, 5]], isPositive)!;
  const best = areaEstimate(perfect, [1, 0]), worst = areaEstimate(perfect, [0, 1]);
  assert.deepEqual([best.value, best.high, worst.value, worst.low], [1, 1, 0, 0]);
  assert.ok(best.low > 0.4 && best.low < 0.95 && worst.high > 0.05);
  const { value, low, high, p } = areaDifference(perfect, [1, 0], [0, 1]);
  assert.deepEqual([value, high, p], [1, 1, null]);
  const one = delong([[3, 4, 2, 0, 1, 5], [0, 1, 2, 3, 4, 5]], isPositive)!;
  assert.equal(areaDifference(one, [1, 0], [0, 1]).p, null);
  assert.ok(low > 0 && low < 1);
  assert.equal(delong([[1, 2, 3]], [true, false, false]), null);
  assert.equal(delong([[]], []), null);
});

Deno.test("kappa() is that of published tables", () => {
  // Fleiss 1981, Statistical Methods for Rates and Proportions, table 13.1
  const diagnoses = kappa([[75, 1, 4], [5, 4, 1], [0, 0, 10]])!;
  near(diagnoses.value, 0.676, 0.0005);
  near(diagnoses.standardError, 0.088, 0.0005);
  // Fleiss, Cohen and Everitt 1969, table 1, without weights
  near(kappa([[106, 10, 4], [22, 28, 10], [2, 12, 6]])!.value, 0.429, 0.0005);
});

Deno.test("kappa() has the estimate of every pair of cases and the variance of leaving cases out", () => {
  const random = new Random(461);
  for (const weights of ["none", "linear", "quadratic"] satisfies KappaWeights[]) {
    const size = 4, n = 150, a: number[] = [], b: number[] = [];
    for (let i = 0; i < n; i++) {
      const first = Math.floor(random.uniform() * size);
      a.push(first);
      b.push(random.uniform() < 0.6 ? first : Math.floor(random.uniform() * size));
    }
    const penalty = (i: number, j: number) =>
      weights === "none"
        ? Number(i !== j)
        : (Math.abs(i - j) / (size - 1)) ** (weights === "linear" ? 1 : 2);
    const slow = (skipped: number) => {
      const kept = a.map((_, i) => i).filter((i) => i !== skipped);
      let own = 0, all = 0;
      for (const i of kept) {
        own += penalty(a[i]!, b[i]!);
        for (const j of kept) all += penalty(a[i]!, b[j]!);
      }
      return 1 - own * kept.length / all;
    };
    const fast = kappa(agreementTable(a, b, size), weights)!;
    near(fast.value, slow(-1), 1e-12);
    const left = a.map((_, i) => slow(i)), middle = left.reduce((s, v) => s + v, 0) / n;
    const jackknife = Math.sqrt((n - 1) / n * left.reduce((s, v) => s + (v - middle) ** 2, 0));
    near(fast.standardError / jackknife, 1, 0.03);
  }
});

Deno.test("kappa() of full agreement has an interval, and of one category none", () => {
  const full = kappa([[12, 0], [0, 8]])!;
  assert.deepEqual([full.value, full.high], [1, 1]);
  assert.ok(full.low > 0.5 && full.low < 0.9, String(full.low));
  assert.equal(kappa([[12, 0], [0, 0]]), null);
  assert.equal(kappa([[0, 0], [0, 0]]), null);
});

// Each of these printed an interval that claimed certainty: width 0, or kappa 0 by construction.
Deno.test("estimates that the answers do not determine are given as null, not as certain", () => {
  const none = { value: null, low: null, high: null };
  // equal times, and times that all count as the minimum time
  assert.deepEqual(pairedRatio([[8, 8], [4, 4], [9, 9]]), { value: 1, low: null, high: null });
  const half = pairedRatio([[4, 8], [2, 4], [5, 10]])!;
  assert.deepEqual([half.value!.toFixed(6), half.low, half.high], ["0.500000", null, null]);
  assert.deepEqual(icc([[1, 1], [2, 2], [5, 5]]), { value: 1, low: null, high: null });
  const shifted = icc([[1, 2], [2, 3], [5, 6]])!;
  assert.ok(shifted.value! < 1 && shifted.low! < shifted.value! && shifted.high! <= 1);

  const one = new Array<number>(20).fill(1), zero = new Array<number>(20).fill(0);
  const mixed = one.map((_, n) => n % 2);
  for (const [a, b] of [[one, zero], [one, mixed], [mixed, zero], [one, one]] as const) {
    assert.deepEqual(uncertainKappa(a, b, 2), none);
    assert.deepEqual(uncertainKappa(a, b, 5, "linear"), none);
  }
  // one shared case, and too few shared cases for an interval
  assert.deepEqual(uncertainKappa([1], [0], 2), none);
  const few = uncertainKappa(mixed.slice(0, 7), mixed.slice(0, 7), 2);
  assert.deepEqual(few, { value: 1, low: null, high: null });
  assert.ok(uncertainKappa(mixed.slice(0, 8), mixed.slice(0, 8), 2).low !== null);
  assert.deepEqual([casesForKappa(2), casesForKappa(5)], [8, 50]);
});

Deno.test("a reading study of equal times and fixed answers determines no interval of them", () => {
  const study: CountedStudy = {
    scale: "none",
    arms: ["without", "with"],
    references: Array.from({ length: 12 }, (_, n) => n % 2 === 0),
    readers: 2,
  };
  const answers = study.arms.flatMap((arm) =>
    [1, 2].flatMap((reader) =>
      study.references.map((_, caseIndex) => ({
        reader,
        caseIndex,
        arm,
        rating: null,
        decision: reader === 1,
        seconds: 0,
      }))
    )
  );
  const { arms, contrast } = readingStatistics(study, answers);
  const none = { value: null, low: null, high: null };
  assert.deepEqual(arms[0]!.kappas, [{ readers: [1, 2], of: "decision", ...none }]);
  const time = { value: 1, low: null, high: null };
  assert.deepEqual(contrast!.time, [{ reader: 1, ...time }, { reader: 2, ...time }]);
  assert.deepEqual(contrast!.mean_time, time);
});

Deno.test("kappa() of full agreement has an interval for every margin of 2 to 200 cases", () => {
  for (let n = 2; n <= 200; n++) {
    const full = kappa([[1, 0], [0, n - 1]])!;
    assert.deepEqual([full.value, full.high, full.standardError], [1, 1, 0]);
    for (let first = 1; first < n; first++) {
      const two = kappa([[first, 0], [0, n - first]])!;
      assert.ok(two.value === 1 && two.high === 1 && two.low >= -1 && two.low < 1, `${first} ${n}`);
      // every margin of few cases, and some of many
      if (n > 30 && first % 17 !== 1) continue;
      const tables: [number[][], KappaWeights][] = [
        [diagonal([first, 0, 0, 0, n - first]), "linear"],
        [diagonal([0, first, n - first, 0, 0]), "linear"],
        [diagonal([first >> 1, first - (first >> 1), 0, n - first, 0]), "quadratic"],
      ];
      for (const [table, weights] of tables) {
        const { value, low, high } = kappa(table, weights)!;
        assert.ok(value === 1 && high === 1 && low >= -1 && low < 1, `${table} ${low} ${high}`);
      }
      // full disagreement with equal margins is the other limit
      const { value, low, high } = kappa([[0, first], [n - first, 0]])!;
      assert.ok(value >= -1 && low >= -1 && low <= value && high <= 1 && high >= value, `${n}`);
    }
  }
});

const diagonal = (counts: readonly number[]): number[][] =>
  counts.map((count, i) => counts.map((_, j) => i === j ? count : 0));

Deno.test("kappa() of random small tables is null, or finite within its own interval", () => {
  const random = new Random(63), pick = (n: number) => Math.floor(random.uniform() * n);
  for (let round = 0; round < 5000; round++) {
    const size = 2 + pick(4), isSparse = pick(2) === 0;
    const table = Array.from(
      { length: size },
      () => Array.from({ length: size }, () => isSparse && pick(3) > 0 ? 0 : pick(6)),
    );
    const found = kappa(table, (["none", "linear", "quadratic"] as const)[pick(3)]);
    if (found === null) continue;
    const { value, low, high, standardError } = found;
    assert.ok(
      -1 <= low && low <= value && value <= high && high <= 1 && Number.isFinite(standardError),
      `${JSON.stringify(table)} ${JSON.stringify(found)}`,
    );
  }
});

/** Every number of a value, however deep. */
const numbersOf = (value: unknown): number[] =>
  typeof value === "number"
    ? [value]
    : value === null || typeof value !== "object"
    ? []
    : Object.values(value).flatMap(numbersOf);

Deno.test("every statistic of random small studies is finite or null, and passes the schema", () => {
  const random = new Random(64), pick = (n: number) => Math.floor(random.uniform() * n);
  for (let round = 0; round < 150; round++) {
    const cases = 2 + pick(8), readers = 1 + pick(4), isAgreed = pick(3) === 0;
    const scale = (["five", "hundred", "none"] as const)[pick(3)]!;
    const references = Array.from({ length: cases }, () => [true, false, null][pick(3)]!);
    const arms = ([["with"], ["without", "with"]] as const)[pick(2)]!;
    const study: CountedStudy = { scale, arms, references, readers };
    const levels = scale === "five" ? 1 + pick(5) : 1 + pick(100);
    const truth = references.map(() => 1 + pick(levels));
    const answers = arms.flatMap((arm) =>
      Array.from({ length: readers }, (_, n) => n + 1).flatMap((reader) =>
        truth.map((level, caseIndex) => ({
          ...{ reader, caseIndex, arm },
          rating: scale === "none" ? null : isAgreed ? level : 1 + pick(levels),
          decision: pick(4) === 0 ? null : isAgreed ? level > 1 : pick(2) === 0,
          seconds: pick(3),
        }))
      )
    ).filter(() => pick(12) > 0);
    const statistics = readingStatistics(study, answers);
    const odd = numbersOf(statistics).filter((each) => !Number.isFinite(each));
    assert.deepEqual(odd, [], JSON.stringify({ study, answers }));
    readingStatisticsSchema.parse(statistics);
    const areas = statistics.arms.flatMap((
      { auc, mean_auc },
    ) => [...auc, ...mean_auc ? [mean_auc] : []]);
    for (const { value, low, high } of areas) {
      assert.ok(0 <= low && low <= value && value <= high && high <= 1, `${low} ${value} ${high}`);
    }
  }
});

/**
 * Draws from a chi-square distribution with at least two degrees of freedom (Marsaglia and Tsang
 * 2000).
 */
function chiSquare(freedom: number, random: Random): number {
  const d = freedom / 2 - 1 / 3, c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal(), v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.uniform()) < x * x / 2 + d - d * v + d * Math.log(v)) {
      return 2 * d * v;
    }
  }
}

/** Fractions of random generalised values of an ICC that are below and above the ICC's interval. */
function sharesOutside(ratings: readonly (readonly number[])[]) {
  const DRAWS = 400_000;
  const { n, k, between, readers, error } = meanSquares(ratings);
  const { low, high } = icc(ratings) as Estimate;
  let below = 0, above = 0;
  for (const seed of [41, 99]) {
    const random = new Random(seed), over = (df: number) => df / chiSquare(df, random);
    for (let draw = 0; draw < DRAWS / 2; draw++) {
      const ofError = error * over((n - 1) * (k - 1));
      const ofCases = Math.max(0, (between * over(n - 1) - ofError) / k);
      const ofReaders = Math.max(0, (readers * over(k - 1) - ofError) / n);
      const value = ofCases / (ofCases + ofReaders + ofError);
      below += Number(value < low);
      above += Number(value > high);
    }
  }
  return { below: below / DRAWS, above: above / DRAWS };
}

Deno.test("no interval of random small inputs has a NaN or no width", () => {
  const random = new Random(46);
  const whole = (limit: number) => Math.floor(random.uniform() * limit);
  const check = (of: string, input: unknown, estimate: UncertainEstimate | null) => {
    if (estimate === null) return;
    const { value, low, high } = estimate, shown = `${of} ${JSON.stringify([input, estimate])}`;
    assert.ok(value === null || Number.isFinite(value), shown);
    assert.equal(low === null, high === null, shown);
    if (low !== null) assert.ok(Number.isFinite(low) && high! - low > 1e-9, shown);
  };
  for (const ratings of [[[1, 2], [1, 2]], [[0.1, 0.3, 0.7], [0.1, 0.3, 0.7]]]) {
    const { value, low, high } = icc(ratings)!;
    near(value!, 0, 1e-9);
    assert.deepEqual([low, high], [null, null]);
  }
  assert.deepEqual(pairedRatio([[0, 10], [5, 10]]), pairedRatio([[0.1, 10], [5, 10]]));
  for (let run = 0; run < 300; run++) {
    const cases = 2 + whole(3), readers = 2 + whole(2), step = run % 2 === 0 ? 1 : 0.1;
    const ratings = Array.from(
      { length: cases },
      () => Array.from({ length: readers }, () => step * whole(3)),
    );
    check("icc", ratings, icc(ratings));
    const times = ratings.map(([a, b]) => [a!, b!] as const);
    check("ratio", times, pairedRatio(times));
    check("mean", ratings[0], meanOf(ratings[0]!));
    const n = 1 + whole(6), onlyFirst = whole(n + 1), onlySecond = whole(n - onlyFirst + 1);
    check("shares", [onlyFirst, onlySecond, n], pairedShares(onlyFirst, onlySecond, n));
    const binary = (count: number) => Array.from({ length: count }, () => whole(2));
    const size = 4 + whole(12), a = binary(size), b = binary(size);
    check("kappa", [a, b], uncertainKappa(a, b, 2));
    const result = delong([a, b], binary(size).map(Boolean));
    if (!result) continue;
    check("area", [a, b], areaEstimate(result, [0.5, 0.5]));
    check("areas", [a, b], areaDifference(result, [1, 0], [0, 1]));
  }
});

Deno.test("icc() is that of Shrout and Fleiss, its interval that of many random draws", () => {
  const ratings = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
  ];
  const { value, low, high } = icc(ratings) as Estimate;
  near(value, 0.29, 0.005);
  const { between, readers, error } = meanSquares(ratings);
  near(between, 11.24, 0.005);
  near(readers, 32.49, 0.005);
  near(error, 1.02, 0.005);
  // the interval by the F distribution, as printed, is .02 to .76
  assert.ok(low > 0 && low < 0.1 && high > 0.7 && high < 0.9, `${low} ${high}`);
  assert.deepEqual(icc(ratings), icc(ratings));
  assert.equal(icc([[1, 1], [1, 1]]), null);
  assert.equal(icc([[1], [2]]), null);
  assert.equal(icc([]), null);
  const random = new Random(7);
  for (const [cases, count, sd] of [[60, 4, 0.3], [30, 3, 0.3], [20, 3, 0]] as const) {
    const biases = Array.from({ length: count }, () => sd * random.normal());
    const { below, above } = sharesOutside(Array.from({ length: cases }, () => {
      const severity = random.normal();
      return biases.map((bias) => severity + bias + 0.5 * random.normal());
    }));
    near(below, 0.025, 0.001);
    near(above, 0.025, 0.001);
  }
});

Deno.test("smallestOf() is the value of the sorted order", () => {
  const random = new Random(5);
  const values = Float64Array.from({ length: 3000 }, (_, n) => n % 7 === 0 ? 1 : random.uniform());
  values.set([0, 0, 0.5, 0.5], 10);
  const sorted = values.slice().sort();
  for (const place of [0, 1, 75, 1500, 2570, 2571, 2999]) {
    assert.equal(smallestOf(values, place), sorted[place], String(place));
  }
});

Deno.test("pairedShares() is that of published examples", () => {
  // Fagerland et al. 2013, table 2: airway responsiveness before and after transplantation
  const { value, low, high, exactP, midP } = pairedShares(1, 7, 21);
  near(value, -0.286, 0.0005);
  near(low, -0.517, 0.0005);
  near(high, -0.026, 0.0005);
  near(exactP, 0.0703, 0.00005);
  near(midP, 0.0391, 0.00005);
  // no pair differs
  const none = pairedShares(0, 0, 20);
  assert.deepEqual([none.value, none.exactP, none.midP], [0, 1, 1]);
  assert.ok(none.low < -0.1 && none.high > 0.1 && none.low > -0.3);
  near(pairedShares(12, 0, 12).high, 1, 1e-9);
  assert.ok(pairedShares(12, 0, 12).low > 0.5);
});

Deno.test("pairedRatio() and meanOf() are Student's intervals", () => {
  const { value, low, high } = meanOf([1, 2, 3, 4, 5]) as Estimate;
  near(value, 3, 1e-12);
  near(high - value, 2.7764 * Math.sqrt(2.5 / 5), 1e-3);
  near(value - low, high - value, 1e-12);
  near(pairedRatio([[10, 20], [30, 60], [5, 10.0001]])!.value!, 0.5, 1e-5);
  assert.equal(meanOf([1]), null);
  near(wilson(0, 10).high, 0.2775, 1e-4);
});

Deno.test("readingStatistics() leaves out cases and figures that answers do not allow", () => {
  const study: CountedStudy = {
    scale: "five",
    arms: ["without", "with"],
    references: [true, true, false, false, null],
    readers: 2,
  };
  assert.doesNotThrow(() => readingStatistics(study, []));
  const empty = readingStatistics(study, []);
  assert.deepEqual([empty.arms.map(({ auc }) => auc), empty.contrast!.mean_auc], [[[], []], null]);
  const answers = [1, 2].flatMap((reader) =>
    (["without", "with"] as const).flatMap((arm) =>
      [5, 4, 2, 1, 3].map((rating, caseIndex) => ({
        reader,
        caseIndex,
        arm,
        rating,
        decision: null,
        seconds: 0,
      }))
    )
  );
  const { arms, contrast } = readingStatistics(study, answers);
  assert.deepEqual(arms.map(({ readings }) => readings), [10, 10]);
  assert.deepEqual(arms[0]!.auc.map(({ value }) => value), [1, 1]);
  assert.deepEqual(contrast!.accuracy, []);
  assert.deepEqual(contrast!.time.map(({ value, low, high }) => [value, low, high]), [
    [1, null, null],
    [1, null, null],
  ]);
  assert.equal(arms[0]!.icc, null);
  const numbers = JSON.stringify({ arms, contrast });
  assert.ok(!/NaN|null,"low"/.test(numbers), numbers);
  const one = readingStatistics({ ...study, arms: ["with"] }, answers);
  assert.deepEqual([one.arms.length, one.contrast], [1, null]);
  // one missing answer leaves its case out of that reader's figures and of the means
  const fewer = readingStatistics(study, answers.slice(1));
  assert.equal(fewer.arms[0]!.auc.length, 1);
  assert.equal(fewer.contrast!.mean_auc, null);
  assert.equal(fewer.contrast!.auc.length, 1);
});

Deno.test("simulated intervals hold the true values, and a known effect is recovered", () => {
  const scene = { cases: 60, readers: 4, bias: 0.3, timeRatio: 0.8 };
  const STUDIES = 80;
  for (const scale of ["hundred", "five"] as const) {
    const helped = { ...scene, scale, noise: { with: 0.5, without: 0.9 } };
    const { counts, significant } = coverageOf(helped, STUDIES, 1);
    assert.equal(counts.size, 9);
    for (const [kind, { intervals, holding, errorSum }] of counts) {
      // four standard errors of 80 studies; bench/reading.ts has 2,000 and 94 to 96 %
      const tolerance = 4 * Math.sqrt(0.95 * 0.05 / STUDIES);
      near(holding / intervals, 0.95, tolerance);
      near(errorSum / intervals, 0, 0.03);
      assert.ok(intervals >= STUDIES, kind);
    }
    assert.ok(significant > 0.4, String(significant));
    const unhelped = { ...helped, noise: { with: 0.9, without: 0.9 } };
    assert.ok(coverageOf(unhelped, STUDIES, 1).significant < 0.15);
  }
});

Deno.test("simulateStudy() is the same for the same seed", () => {
  const simulation = {
    ...{ cases: 12, readers: 2, bias: 0.3, timeRatio: 1, scale: "five" as const },
    noise: { with: 0.5, without: 0.5 },
  };
  assert.deepEqual(simulateStudy(simulation, 3).answers, simulateStudy(simulation, 3).answers);
  assert.notDeepEqual(simulateStudy(simulation, 3).answers, simulateStudy(simulation, 4).answers);
});
