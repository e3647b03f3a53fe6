import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import type { RegionAgreement } from "@/server/core/engine/result.ts";

/** Labels from thalamus to ventral diencephalon, which both atlas and our own network segment. */
const DEEP_LABELS = [
  ...Array.from({ length: 18 }, (_, n) => 7 + n),
  29,
  30,
];

/** Maximum change of the ratio volume / truth relative to the good image, as a fraction. */
const MAX_VOLUME_ERROR = 0.25;
/** Maximum loss of Dice relative to the good image. */
const MAX_DICE_LOSS = 0.15;
/** Minimum volume of a region that counts as present, mm³. */
const MIN_MM3 = 50;
/** Minimum remaining fraction of a region in the truth; below it, the image cuts the region off. */
const MIN_LEFT = 0.8;
/** Fraction of the correct regions that the limit is allowed to flag. */
const MAX_WITHHELD = 0.02;

/** The second segmentation of a comparison: the deformed atlas, or our own network. */
export type Source = keyof Pick<RegionAgreement, "atlas" | "deepStructures">;

/** A deep structure in one image, judged against the truth. */
export interface JudgedRegion {
  image: string;
  person: string;
  grade: string;
  label: number;
  hasFailed: boolean;
  /** whether the image lacks a part of the region, and the rest was measured correctly */
  isCut: boolean;
  /** Dice of the result with each source; `null` if both nearly lack the region */
  agreement: Record<Source, number | null>;
}

/**
 * Whether a region failed: its volume or its overlap with the truth is much worse than in the good
 * image of the same head.
 */
function hasRegionFailed(label: number, image: MeasuredHead, good: MeasuredHead): boolean {
  const ours = image.oursMm3[label]!, theirs = image.theirsMm3[label]!;
  if (theirs < MIN_MM3) return ours >= MIN_MM3;
  if (ours < MIN_MM3) return true;
  const error = ({ oursMm3, theirsMm3 }: MeasuredHead) =>
    Math.log(Math.max(oursMm3[label]!, 1) / Math.max(theirsMm3[label]!, 1));
  return Math.abs(error(image) - error(good)) > Math.log(1 + MAX_VOLUME_ERROR) ||
    (image.dice[label] ?? 0) < (good.dice[label] ?? 0) - MAX_DICE_LOSS;
}

/**
 * Judges the deep structures of every image against its truth.
 * @param goodOf  Returns the good image of the same head; images without one are left out.
 */
export function judgeRegions(
  heads: readonly MeasuredHead[],
  goodOf: (head: MeasuredHead) => MeasuredHead | undefined,
): JudgedRegion[] {
  return heads.flatMap((image) => {
    const good = goodOf(image), agreement = image.agreement;
    if (!good || !agreement) return [];
    return DEEP_LABELS.filter((label) => image.oursMm3[label]! >= MIN_MM3).map((label) => {
      const hasFailed = hasRegionFailed(label, image, good);
      return {
        image: image.name,
        person: image.facts.person ?? good.name,
        grade: image.grade,
        label,
        hasFailed,
        isCut: !hasFailed && image.theirsMm3[label]! < MIN_LEFT * good.theirsMm3[label]!,
        agreement: {
          atlas: agreement.atlas[label] ?? null,
          deepStructures: agreement.deepStructures?.[label] ?? null,
        },
      };
    });
  });
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length === 0 ? NaN : sorted[Math.floor((sorted.length - 1) / 2)]!;
};
/** Left label of the pair that a label belongs to. */
const pairOf = (label: number): number => label - (label + 1) % 2;

/** Whether a region is complete and measured correctly. */
const isGood = ({ hasFailed, isCut }: JudgedRegion): boolean => !hasFailed && !isCut;

/** Median Dice of the correct regions with a source, by left label of each pair. */
function usualAgreement(regions: readonly JudgedRegion[], source: Source): Map<number, number> {
  const goodOnes = regions.filter(isGood);
  return new Map(
    [...new Set(DEEP_LABELS.map(pairOf))].map((pair) => [
      pair,
      median(goodOnes.flatMap((r) => pairOf(r.label) === pair ? r.agreement[source] ?? [] : [])),
    ]),
  );
}

/** Parameters of the rule: median Dice of each pair, and the maximum shortfall below it, logits. */
interface FlagRule {
  usual: Map<number, number>;
  limit: number;
}

/** Log odds of a Dice, on which .99 to .96 is as large a step as .90 to .69. */
const logit = (dice: number): number => {
  const inside = Math.min(Math.max(dice, 0.005), 0.995);
  return Math.log(inside / (1 - inside));
};
const diceOfLogit = (value: number): number => 1 / (1 + Math.exp(-value));

/** Shortfall of a region's Dice below the pair's median, in logits; NaN if either is unknown. */
const shortfallOf = (region: JudgedRegion, source: Source, usual: Map<number, number>): number =>
  logit(usual.get(pairOf(region.label)) ?? NaN) - logit(region.agreement[source] ?? NaN);

/** Rule that flags only the fraction `MAX_WITHHELD` of the correct regions of some people. */
function ruleOf(regions: readonly JudgedRegion[], source: Source): FlagRule {
  const usual = usualAgreement(regions, source);
  const shortfalls = regions.filter(isGood)
    .map((region) => shortfallOf(region, source, usual)).filter((value) => !Number.isNaN(value))
    .toSorted((a, b) => a - b);
  const limit = shortfalls[Math.ceil((1 - MAX_WITHHELD) * shortfalls.length) - 1] ?? Infinity;
  return { usual, limit };
}

/** Minimum Dice with a source by left label of each pair, from the rule of all people. */
export function leastDice(
  regions: readonly JudgedRegion[],
  source: Source,
): Record<string, number> {
  const { usual, limit } = ruleOf(regions, source);
  return Object.fromEntries(
    [...usual].map(([pair, dice]) => [
      String(pair),
      Math.round(1000 * diceOfLogit(logit(dice) - limit)) / 1000,
    ]),
  );
}

/** Results of a rule for people that were left out when its limit was chosen. */
export interface FlagFigures {
  failed: JudgedRegion[];
  cut: JudgedRegion[];
  good: JudgedRegion[];
  flagged: ReadonlySet<JudgedRegion>;
  /** limit for each left-out person: shortfall of Dice in logits */
  limits: number[];
}

/**
 * Flags regions with a larger shortfall of Dice below the pair's median than all but the fraction
 * `MAX_WITHHELD` of the correct regions. Each person is judged with the median and limit of the
 * others.
 */
export function flagByLeavingOut(
  regions: readonly JudgedRegion[],
  source: Source,
): FlagFigures {
  const limits: number[] = [], flagged = new Set<JudgedRegion>();
  for (const person of new Set(regions.map((region) => region.person))) {
    const { usual, limit } = ruleOf(regions.filter((each) => each.person !== person), source);
    limits.push(limit);
    for (const region of regions.filter((each) => each.person === person)) {
      if (shortfallOf(region, source, usual) > limit) flagged.add(region);
    }
  }
  return {
    failed: regions.filter(({ hasFailed }) => hasFailed),
    cut: regions.filter(({ isCut }) => isCut),
    good: regions.filter(isGood),
    flagged,
    limits,
  };
}
