import table from "@/core/engine/grade_model.json" with { type: "json" };

/** What tells good images from bad ones, see {@link gradeFigures}. */
const GRADE_FIGURES = [
  "posterior",
  "sharpness",
  "contrast",
  "contrast over spread",
  "similarity",
] as const;

/** Chance of an unusable result from which a grade is B, and C. */
export const POSSIBLY_WRONG = 0.25, LIKELY_WRONG = 0.5;

/** Contrast over the spread of white matter beyond which more of it says nothing. */
const MOST_CNR = 8;

/** Figures of quality control as the model takes them. */
interface GradeFigures {
  winningPosterior: number;
  sharpness: number;
  greyOverWhite: number;
  cnr: number;
  lncc: number;
}

/** The figures in the order of {@link GRADE_FIGURES}. */
const gradeFigures = (
  figures: Record<keyof GradeFigures, number> | Record<string, number>,
): number[] => {
  const { winningPosterior, sharpness, greyOverWhite, cnr, lncc } = figures as Record<
    keyof GradeFigures,
    number
  >;
  return [
    winningPosterior,
    Math.min(sharpness, 0.36),
    Math.min(1 - greyOverWhite, 0.28),
    Math.log(Math.min(Math.max(cnr, 0.5), MOST_CNR)),
    lncc,
  ];
};

/**
 * Chance that a result cannot be used: mean Dice of the regions below .70, or cortex or white matter off by a tenth.
 * A logistic regression on images of known quality; see docs/accuracy.md. 1 for figures that are no numbers.
 */
export function chanceOfWrong(figures: GradeFigures): number {
  const { intercept, weights, means, sds } = table;
  const x = gradeFigures(figures).reduce(
    (sum, v, c) => sum + weights[c]! * (v - means[c]!) / sds[c]!,
    intercept,
  );
  return Number.isFinite(x) ? 1 / (1 + Math.exp(-x)) : 1;
}
