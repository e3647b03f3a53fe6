// Simulated reading studies with known areas, agreement, accuracy and times.
import { planReadings } from "@/model/reading_study/design.ts";
import type { CountedAnswer, CountedStudy } from "@/model/reading_study/statistics.ts";
import { normalCdf } from "@/model/norms/norms.ts";
import { Random } from "@/model/random.ts";
import type { ReadingArm } from "@/model/schema/reading/reading_studies.ts";

/**
 * Simulated readers see the severity of a case, N(0, 1), with a reader's bias and with noise.
 * A case is positive if severity plus an error of the reference standard exceeds zero.
 */
export interface Simulation {
  cases: number;
  readers: number;
  scale: "five" | "hundred";
  /** SD of the biases between readers */
  bias: number;
  /** SD of a reader's random noise in each arm */
  noise: Record<ReadingArm, number>;
  /** ratio of the reading times, with results / without */
  timeRatio: number;
}

const REFERENCE_ERROR = 0.6, HUNDRED_SD = 12, FIVE = [-1.2, -0.4, 0.4, 1.2];
const STEP = 0.05, WIDEST = 6;
/**
 * Step between the biases of readers: few different biases keep the number of true values small.
 */
const BIAS_STEP = 0.05;

/** True values of one simulated study. */
export interface Truth {
  /** true area under the curve by arm, of each reader */
  auc: Record<ReadingArm, number[]>;
  accuracy: Record<ReadingArm, number[]>;
  kappa(arm: ReadingArm, a: number, b: number, of: "decision" | "rating"): number;
  icc: Record<ReadingArm, number>;
}

/** Upper limit of each category of a rating except the last, on the scale of severity. */
const limitsOf = (scale: Simulation["scale"]): number[] =>
  scale === "five"
    ? FIVE
    : Array.from({ length: 100 }, (_, rating) => (rating + 0.5 - 50) / HUNDRED_SD);

const ratingOf = (latent: number, scale: Simulation["scale"]): number =>
  scale === "five"
    ? 1 + FIVE.filter((limit) => latent > limit).length
    : Math.max(0, Math.min(100, Math.round(50 + HUNDRED_SD * latent)));

/** Probability of each rating category for a normally distributed value. */
function categoryShares(mean: number, sd: number, limits: readonly number[]): number[] {
  const below = [0, ...limits.map((limit) => normalCdf((limit - mean) / sd)), 1];
  return below.slice(1).map((share, n) => share - below[n]!);
}

/** Severities with weights, for numerical integrals over the cases. */
const SEVERITIES = Array.from({ length: 2 * WIDEST / STEP + 1 }, (_, n) => n * STEP - WIDEST).map(
  (severity) => ({
    severity,
    weight: Math.exp(-severity * severity / 2) * STEP / Math.sqrt(2 * Math.PI),
    positive: normalCdf(severity / REFERENCE_ERROR),
  }),
);

/** Joint probabilities of the rating categories of positive and of negative cases. */
function ratingShares(bias: number, noise: number, limits: readonly number[]) {
  const positive = new Array<number>(limits.length + 1).fill(0), negative = [...positive];
  for (const { severity, weight, positive: part } of SEVERITIES) {
    categoryShares(severity + bias, noise, limits).forEach((share, n) => {
      positive[n]! += weight * part * share;
      negative[n]! += weight * (1 - part) * share;
    });
  }
  return { positive, negative };
}

function trueArea(bias: number, noise: number, scale: Simulation["scale"]): number {
  const { positive, negative } = ratingShares(bias, noise, limitsOf(scale));
  const whole = (shares: readonly number[]) => shares.reduce((sum, share) => sum + share, 0);
  let below = 0, area = 0;
  positive.forEach((share, n) => {
    area += share * (below + negative[n]! / 2);
    below += negative[n]!;
  });
  return area / whole(positive) / whole(negative);
}

function trueAccuracy(bias: number, noise: number): number {
  const { positive, negative } = ratingShares(bias, noise, [0]);
  return positive[1]! + negative[0]!;
}

function trueKappa(biases: readonly [number, number], noise: number, limits: readonly number[]) {
  const size = limits.length + 1;
  const joint = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (const { severity, weight } of SEVERITIES) {
    const [a, b] = biases.map((bias) => categoryShares(severity + bias, noise, limits));
    a!.forEach((first, i) => b!.forEach((second, j) => joint[i]![j]! += weight * first * second));
  }
  const rows = joint.map((row) => row.reduce((s, v) => s + v, 0));
  const columns = rows.map((_, j) => joint.reduce((s, row) => s + row[j]!, 0));
  const credit = (i: number, j: number) => 1 - Math.abs(i - j) / (size - 1);
  let observed = 0, expected = 0;
  joint.forEach((row, i) =>
    row.forEach((share, j) => {
      observed += share * credit(i, j);
      expected += rows[i]! * columns[j]! * credit(i, j);
    })
  );
  return (observed - expected) / (1 - expected);
}

/** Returns a function that computes each value only once. */
function once<A extends readonly unknown[]>(f: (...values: A) => number): (...values: A) => number {
  const values = new Map<string, number>();
  return (...key) => {
    const text = key.join(" ");
    let value = values.get(text);
    if (value === undefined) values.set(text, value = f(...key));
    return value;
  };
}
const areaOnce = once(trueArea), accuracyOnce = once(trueAccuracy);
const kappaOnce = once((a: number, b: number, noise: number, of: "decision" | "rating") =>
  trueKappa([a, b], noise, of === "rating" ? FIVE : [0])
);

function truthOf(simulation: Simulation, biases: readonly number[]): Truth {
  const { noise, scale, bias } = simulation;
  const byArm = <T>(f: (arm: ReadingArm) => T): Record<ReadingArm, T> => ({
    with: f("with"),
    without: f("without"),
  });
  return {
    auc: byArm((arm) => biases.map((each) => areaOnce(each, noise[arm], scale))),
    accuracy: byArm((arm) => biases.map((each) => accuracyOnce(each, noise[arm]))),
    kappa: (arm, a, b, of) => kappaOnce(biases[a - 1]!, biases[b - 1]!, noise[arm], of),
    // rounding ratings and biases adds a twelfth of the squared step to the variance
    icc: byArm((arm) =>
      1 / (1 + bias ** 2 + noise[arm] ** 2 + (BIAS_STEP ** 2 + HUNDRED_SD ** -2) / 12)
    ),
  };
}

/** One simulated study: plan, answers, and the true values that the statistics estimate. */
export function simulateStudy(
  simulation: Simulation,
  seed: number,
): { study: CountedStudy; answers: CountedAnswer[]; truth: Truth } {
  const random = new Random(seed), { scale, noise, timeRatio } = simulation;
  const severities = Array.from({ length: simulation.cases }, () => random.normal());
  const references = severities.map((each) => each + REFERENCE_ERROR * random.normal() > 0);
  const biases = Array.from(
    { length: simulation.readers },
    () => BIAS_STEP * Math.round(simulation.bias * random.normal() / BIAS_STEP),
  );
  const study = { scale, arms: ["without", "with"] as const, references, readers: biases.length };
  const plans = planReadings(references, biases.length, study.arms, random);
  const lengths = severities.map(() => 0.3 * random.normal());
  const answers = plans.flatMap((plan, n) =>
    plan.map(({ caseIndex, arm }) => {
      const latent = severities[caseIndex]! + biases[n]! + noise[arm] * random.normal();
      return {
        reader: n + 1,
        caseIndex,
        arm,
        rating: ratingOf(latent, scale),
        decision: latent > 0,
        seconds: 60 * (arm === "with" ? timeRatio : 1) *
          Math.exp(lengths[caseIndex]! + 0.4 * random.normal()),
      };
    })
  );
  return { study, answers, truth: truthOf(simulation, biases) };
}
