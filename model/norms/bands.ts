import { ordinal } from "@/model/norms/rank_format.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, textIn } from "@/model/text.ts";
import { rankBandText, rankText } from "@/model/text/ranks.ts";

/**
 * Default thresholds: tissue is marked below these percentiles, fluid above 100 minus these.
 * Used for users without personal thresholds, and in outputs for all users (tables, DICOM objects).
 */
export const DEFAULT_THRESHOLDS: readonly number[] = [5, 25];

/**
 * Percentile below which a value is described as low: 5, or the lowest threshold if larger.
 * Values above 100 minus this percentile are described as high.
 */
const lowLimitOf = (thresholds: readonly number[]): number => Math.max(5, thresholds[0]!);

/** Whether a level is described as low, i.e. its threshold is at most the limit for "low". */
export const isLowLevel = (level: number, thresholds: readonly number[]): boolean =>
  level > 0 && thresholds[thresholds.length - level]! <= lowLimitOf(thresholds);

/** Whether the whole 80 % interval of a percentile is above the low range; false if doubted. */
export function isClearOfLow(
  rank: PercentileRank | null,
  thresholds: readonly number[],
  isInverted: boolean,
): boolean {
  const limit = lowLimitOf(thresholds);
  return rank?.has_bands === true && rank.doubt === null &&
    (isInverted ? rank.high < 100 - limit : rank.low > limit);
}

/**
 * Whether the whole 80 % interval of a percentile is in the low range (for fluid, the high range).
 */
export const isWithinLow = (
  { low, high }: PercentileRank,
  thresholds: readonly number[],
  isInverted: boolean,
): boolean => isInverted ? low >= 100 - lowLimitOf(thresholds) : high <= lowLimitOf(thresholds);

/** Whether a percentile is in the low range (for fluid, the high range). */
export const isAtLow = (
  { percentile }: PercentileRank,
  thresholds: readonly number[],
  isInverted: boolean,
): boolean =>
  isInverted ? percentile >= 100 - lowLimitOf(thresholds) : percentile <= lowLimitOf(thresholds);

/** Band of a value: symbol, text and strength; `level` counts the thresholds that are exceeded. */
export interface Band {
  symbol: string;
  text: string;
  level: number;
}

const SYMBOLS = { low: ["▽", "▼", "▼▼"], high: ["△", "▲", "▲▲"] } as const;
/** Symbols of a value without a firm band: undecided (possibly normal), normal, doubtful. */
const UNSURE = "≈", USUAL = "○", DOUBT = "!";

/** Colour strength 0..3 of a level; a single threshold has strength 2. */
export const strengthOf = (level: number, count: number): number =>
  level > 0 && count === 1 ? 2 : level;

/** Symbol of a level; with a single threshold, the strong one. */
export const symbolOf = (
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
): string => SYMBOLS[isInverted ? "high" : "low"][thresholds.length === 1 ? 1 : level - 1]!;

/** Percentile at which a level begins: level k is beyond the k highest thresholds. */
const edgeOf = (
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
) => {
  const threshold = thresholds[thresholds.length - level]!;
  return ordinal(isInverted ? 100 - threshold : threshold, language);
};

/** Text of a firm band: direction and percentile, without naming a disease. */
export function bandOf(
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
): Band {
  if (level === 0) {
    const text = isInverted ? rankBandText.notAbove : rankBandText.notBelow;
    return {
      symbol: USUAL,
      text: textIn(text, language, { percentile: edgeOf(1, thresholds, isInverted, language) }),
      level,
    };
  }
  const text = isInverted ? rankBandText.above : rankBandText.below;
  return {
    symbol: symbolOf(level, thresholds, isInverted),
    text: textIn(text, language, { percentile: edgeOf(level, thresholds, isInverted, language) }),
    level: strengthOf(level, thresholds.length),
  };
}

/** Symbol and text of a possible band: "(▼) Possibly below the 5th percentile". */
export function possibleBandOf(
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
): Band {
  const text = isInverted ? rankBandText.possiblyAbove : rankBandText.possiblyBelow;
  return {
    symbol: `(${symbolOf(level, thresholds, isInverted)})`,
    text: textIn(text, language, { percentile: edgeOf(level, thresholds, isInverted, language) }),
    level: 0,
  };
}

/**
 * Band of a rank: firm, possible, normal, or undecided. A doubted value is never called normal.
 * @returns `null` without a rank, or if the error is too large for bands.
 */
export function bandOfRank(
  rank: PercentileRank | null,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
): Band | null {
  if (!rank?.has_bands) return null;
  const { level, possible_level: possible } = rank;
  if (level > 0 && possible > level) {
    const firm = bandOf(level, thresholds, isInverted, language);
    const edge = (at: number) => edgeOf(at, thresholds, isInverted, language);
    return {
      ...firm,
      symbol: `${firm.symbol}(${symbolOf(possible, thresholds, isInverted)})`,
      text: textIn(isInverted ? rankBandText.abovePossibly : rankBandText.belowPossibly, language, {
        percentile: edge(level),
        possible: edge(possible),
      }),
    };
  }
  if (level > 0) return bandOf(level, thresholds, isInverted, language);
  if (rank.doubt !== null) {
    const text = rank.doubt === "value" ? rankText.doubtValue : rankText.doubtSides;
    return { symbol: DOUBT, text: textIn(text, language), level: 0 };
  }
  if (possible > 0) return possibleBandOf(possible, thresholds, isInverted, language);
  return rank.is_usual
    ? bandOf(0, thresholds, isInverted, language)
    : { symbol: UNSURE, text: textIn(rankText.notDistinguishable, language), level: 0 };
}
