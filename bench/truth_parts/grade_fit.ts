import type { MeasuredHead } from "@/bench/truth_parts/measured_head.ts";
import { regionDice } from "@/bench/truth_parts/head_rows.ts";

/** One image with the figures that the grade is made of, and whether its result cannot be used. */
export interface GradedImage {
  name: string;
  /** images of one head stay together when heads are left out */
  head: string;
  figures: readonly number[];
  isBad: boolean;
}

/** Logistic regression: probability = 1 / (1 + exp(−(intercept + Σ weight · (figure − mean) / sd))). */
export interface GradeModel {
  intercept: number;
  weights: number[];
  means: number[];
  sds: number[];
}

/** Weight of the penalty on the squared weights: a separable set would give endless ones. */
const RIDGE = 0.5;
const STEPS = 50;

const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** Solves a symmetric positive system by elimination. */
function solve(matrix: number[][], right: number[]): number[] {
  const a = matrix.map((row, i) => [...row, right[i]!]), n = right.length;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const factor = a[j]![i]! / a[i]![i]!;
      for (let k = i; k <= n; k++) a[j]![k]! -= factor * a[i]![k]!;
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = a[i]![n]!;
    for (let k = i + 1; k < n; k++) sum -= a[i]![k]! * x[k]!;
    x[i] = sum / a[i]![i]!;
  }
  return x;
}

/** Fits by Newton's method with a ridge penalty on the weights. */
export function fitGrade(images: readonly GradedImage[]): GradeModel {
  const count = images[0]!.figures.length;
  const column = (c: number) => images.map(({ figures }) => figures[c]!);
  const means = Array.from({ length: count }, (_, c) => column(c).reduce((a, b) => a + b, 0) / images.length);
  const sds = means.map((m, c) =>
    Math.sqrt(column(c).reduce((s, v) => s + (v - m) ** 2, 0) / images.length) || 1
  );
  const rows = images.map(({ figures }) => [1, ...figures.map((v, c) => (v - means[c]!) / sds[c]!)]);
  let beta = new Array<number>(count + 1).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = beta.map((b, i) => i === 0 ? 0 : -RIDGE * b);
    const hessian = beta.map((_, i) => beta.map((_, j) => i === j && i > 0 ? RIDGE : i === j ? 1e-9 : 0));
    rows.forEach((x, n) => {
      const p = logistic(x.reduce((s, v, i) => s + v * beta[i]!, 0));
      for (let i = 0; i <= count; i++) {
        gradient[i]! += ((images[n]!.isBad ? 1 : 0) - p) * x[i]!;
        for (let j = 0; j <= count; j++) hessian[i]![j]! += p * (1 - p) * x[i]! * x[j]!;
      }
    });
    const move = solve(hessian, gradient);
    beta = beta.map((b, i) => b + move[i]!);
    if (Math.max(...move.map(Math.abs)) < 1e-8) break;
  }
  return { intercept: beta[0]!, weights: beta.slice(1), means, sds };
}

/** Probability that a result cannot be used. */
export const badnessOf = (
  { intercept, weights, means, sds }: GradeModel,
  figures: readonly number[],
): number =>
  logistic(intercept + weights.reduce((sum, w, c) => sum + w * (figures[c]! - means[c]!) / sds[c]!, 0));

/** Each image judged by a fit to the other heads. */
export const judgedByOthers = (images: readonly GradedImage[]): number[] => {
  const models = new Map(
    [...new Set(images.map(({ head }) => head))].map((head) =>
      [head, fitGrade(images.filter((image) => image.head !== head))] as const
    ),
  );
  return images.map((image) => badnessOf(models.get(image.head)!, image.figures));
};

/** Least Dice of the regions, for parcelled truth, and how far it may fall below the head's own good image. */
const LEAST_DICE = 0.7, MOST_LOSS = 0.05;
/** Most error of a major volume, part of it. */
const MOST_ERROR = 0.1;
const MAJOR: readonly (readonly [number, number])[] = [[1, 2], [37, 104]];

export function isUnusable(head: MeasuredHead, good: MeasuredHead | undefined): boolean {
  const dice = regionDice(head);
  const isPoor = head.hasParcels
    ? dice < LEAST_DICE
    : good !== undefined && dice < regionDice(good) - MOST_LOSS;
  const sum = (mm3: readonly number[], [from, to]: readonly [number, number]) =>
    mm3.slice(from, to + 1).reduce((a, b) => a + b, 0);
  return isPoor ||
    MAJOR.some((labels) =>
      Math.abs(sum(head.oursMm3, labels) / sum(head.theirsMm3, labels) - 1) > MOST_ERROR
    );
}
