import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import type { RegionAgreement } from "@/server/core/engine/result.ts";

/** Thalamus to ventral diencephalon: the structures that both the atlas and our own network know. */
const DEEP_LABELS = [
  ...Array.from({ length: 18 }, (_, n) => 7 + n),
  29,
  30,
];

/** Largest accepted change of the ratio volume / truth from the unspoilt image, as a fraction. */
const MAX_VOLUME_ERROR = 0.25;
/** Most loss of Dice, likewise. */
const MAX_DICE_LOSS = 0.15;
/** Voxels of a region that is there. */
const MIN_MM3 = 50;
/** Part of a region that is left of it in the truth, below which it is no ordinary region. */
const MIN_LEFT = 0.8;
/** Part of the good regions of the other people that a limit may withhold. */
const MAX_WITHHELD = 0.02;

/** The second segmentation of a comparison: the deformed atlas, or our own network. */
export type Source = keyof Pick<RegionAgreement, "atlas" | "deepStructures">;

/** One deep structure of one image. */
export interface JudgedRegion {
  image: string;
  person: string;
  grade: string;
  label: number;
  hasFailed: boolean;
  /** the image lacks a part of it, and the remaining part was measured correctly */
  isCut: boolean;
  /** Dice of the result with each source; `null` where both hardly have the region */
  agreement: Record<Source, number | null>;
}

/**
 * Whether a region failed: its volume or its overlap with the truth is much worse than that which
 * the good image of the same head has.
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
 * The deep structures of every image, judged against its truth.
 * @param goodOf  The good image of the same head; images without one are left out.
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
/** Left label of a pair. */
const pairOf = (label: number): number => label - (label + 1) % 2;

/** Whole and measured right. */
const isGood = ({ hasFailed, isCut }: JudgedRegion): boolean => !hasFailed && !isCut;

/** Median agreement of the good regions of each pair, by its left label. */
function usualAgreement(regions: readonly JudgedRegion[], source: Source): Map<number, number> {
  const goodOnes = regions.filter(isGood);
  return new Map(
    [...new Set(DEEP_LABELS.map(pairOf))].map((pair) => [
      pair,
      median(goodOnes.flatMap((r) => pairOf(r.label) === pair ? r.agreement[source] ?? [] : [])),
    ]),
  );
}

/** Parameters of the rule: median agreement of each pair, and the largest distance below it. */
interface FlagRule {
  usual: Map<number, number>;
  limit: number;
}

/** A Dice on a scale without ends, so that .99 to .96 counts as much as .90 to .69. */
const logit = (dice: number): number => {
  const inside = Math.min(Math.max(dice, 0.005), 0.995);
  return Math.log(inside / (1 - inside));
};
const diceOfLogit = (value: number): number => 1 / (1 + Math.exp(-value));

/** How far the agreement of a region is below the usual, in logits; NaN where either is unknown. */
const shortfallOf = (region: JudgedRegion, source: Source, usual: Map<number, number>): number =>
  logit(usual.get(pairOf(region.label)) ?? NaN) - logit(region.agreement[source] ?? NaN);

/** The rule of a set of people: all but `MAX_WITHHELD` of their good regions lie within the limit. */
function ruleOf(regions: readonly JudgedRegion[], source: Source): FlagRule {
  const usual = usualAgreement(regions, source);
  const shortfalls = regions.filter(isGood)
    .map((region) => shortfallOf(region, source, usual)).filter((value) => !Number.isNaN(value))
    .toSorted((a, b) => a - b);
  const limit = shortfalls[Math.ceil((1 - MAX_WITHHELD) * shortfalls.length) - 1] ?? Infinity;
  return { usual, limit };
}

/** Least Dice with a source of each pair, by its left label: the rule of all people. */
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

/** How a rule does on people that its limit was not chosen with. */
export interface FlagFigures {
  failed: JudgedRegion[];
  cut: JudgedRegion[];
  good: JudgedRegion[];
  flagged: ReadonlySet<JudgedRegion>;
  /** the limits of each left-out person: shortfall of Dice in logits */
  limits: number[];
}

/**
 * Flags a region where its agreement with a source is further below the structure's median than
 * that of all but `MAX_WITHHELD` of the good regions; each person is judged with the median and the
 * limit of the others.
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
