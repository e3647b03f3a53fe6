import { icc } from "@/model/reading_study/agreement.ts";
import type { Random } from "@/model/random.ts";
import type { UncertainEstimate } from "@/model/reading_study/interval.ts";
import { simulateStudy, type Simulation } from "@/model/reading_study/simulated_readers_testing.ts";
import { type CountedAnswer, readingStatistics } from "@/model/reading_study/statistics.ts";
import type { ReadingArm } from "@/model/schema/reading/reading_studies.ts";

/**
 * Counts of confidence intervals: how many contain the true value, and the estimate's mean error.
 */
export interface Coverage {
  intervals: number;
  holding: number;
  /** intervals that are completely above, or below, the true value */
  above: number;
  below: number;
  errorSum: number;
}

const mean = (values: readonly number[]) => values.reduce((s, v) => s + v, 0) / values.length;

/** Counts only the intervals of the ICC in both arms; ten times as many studies take as long. */
export function iccCoverageOf(simulation: Simulation, studies: number, first: number): Coverage {
  const counted: Coverage = { intervals: 0, holding: 0, above: 0, below: 0, errorSum: 0 };
  for (let seed = first; seed < first + studies; seed++) {
    const { study, answers, truth } = simulateStudy(simulation, seed);
    for (const arm of study.arms) {
      const estimate = icc(ratingsOf(answers, arm, simulation))!;
      countInterval(counted, estimate, truth.icc[arm]);
    }
  }
  return counted;
}

/** Simulated ratings of normally distributed cases, by readers with different means. */
export interface RatingVariances {
  cases: number;
  readers: number;
  /** true intraclass correlation */
  icc: number;
  /** fraction of the variance within cases that is between readers */
  readerShare: number;
}

/** Counts how many intervals of the ICC contain the true ICC, in simulated tables of ratings. */
export function iccCoverageOfRatings(
  { cases, readers, icc: truth, readerShare }: RatingVariances,
  tables: number,
  random: Random,
): Coverage {
  const counted: Coverage = { intervals: 0, holding: 0, above: 0, below: 0, errorSum: 0 };
  const within = 1 / truth - 1;
  const readerSd = Math.sqrt(within * readerShare), noise = Math.sqrt(within * (1 - readerShare));
  for (let table = 0; table < tables; table++) {
    const biases = Array.from({ length: readers }, () => readerSd * random.normal());
    const ratings = Array.from({ length: cases }, () => {
      const severity = random.normal();
      return biases.map((bias) => severity + bias + noise * random.normal());
    });
    countInterval(counted, icc(ratings)!, truth);
  }
  return counted;
}

const ratingsOf = (
  answers: readonly CountedAnswer[],
  arm: ReadingArm,
  { cases, readers }: Simulation,
): number[][] => {
  const ratings = Array.from({ length: cases }, () => new Array<number>(readers).fill(NaN));
  for (const answer of answers) {
    if (answer.arm === arm) ratings[answer.caseIndex]![answer.reader - 1] = answer.rating!;
  }
  return ratings;
};

/** Counts an interval, if the simulated answers determine one. */
function countInterval(
  entry: Coverage,
  { value, low, high }: UncertainEstimate,
  truth: number,
): void {
  if (value === null || low === null || high === null) return;
  entry.intervals++;
  entry.holding += Number(low <= truth && truth <= high);
  entry.above += Number(low > truth);
  entry.below += Number(high < truth);
  entry.errorSum += value - truth;
}

/** Counts by kind of interval over simulated studies with the seeds `first`, `first` + 1, … */
export function coverageOf(simulation: Simulation, studies: number, first: number) {
  const counts = new Map<string, Coverage>();
  const count = (kind: string, estimate: UncertainEstimate, truth: number) => {
    let entry = counts.get(kind);
    if (!entry) {
      counts.set(kind, entry = { intervals: 0, holding: 0, above: 0, below: 0, errorSum: 0 });
    }
    countInterval(entry, estimate, truth);
  };
  let significant = 0;
  for (let seed = first; seed < first + studies; seed++) {
    const { study, answers, truth } = simulateStudy(simulation, seed);
    const { arms, contrast } = readingStatistics(study, answers);
    for (const { arm, auc, mean_auc, kappas, icc } of arms) {
      for (const each of auc) count("AUC of a reader", each, truth.auc[arm][each.reader - 1]!);
      if (mean_auc) count("mean AUC", mean_auc, mean(truth.auc[arm]));
      for (const each of kappas) {
        const [a, b] = each.readers as [number, number];
        count(`kappa, ${each.of}`, each, truth.kappa(arm, a, b, each.of));
      }
      if (icc) count("ICC", icc, truth.icc[arm]);
    }
    for (const each of contrast!.auc) {
      const n = each.reader - 1;
      count("difference of AUC", each, truth.auc.with[n]! - truth.auc.without[n]!);
    }
    const { mean_auc, mean_time } = contrast!;
    if (mean_auc) {
      count("difference of mean AUC", mean_auc, mean(truth.auc.with) - mean(truth.auc.without));
      significant += Number(mean_auc.p !== null && mean_auc.p < 0.05);
    }
    for (const each of contrast!.accuracy) {
      const n = each.reader - 1;
      count("difference of accuracy", each, truth.accuracy.with[n]! - truth.accuracy.without[n]!);
    }
    for (const each of contrast!.time) count("ratio of times", each, simulation.timeRatio);
    if (mean_time) count("mean ratio of times", mean_time, simulation.timeRatio);
  }
  return { counts, significant: significant / studies };
}
