import { ordinal } from "@/model/norms/rank_format.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, textIn } from "@/model/text.ts";
import { rankBandText, rankText } from "@/model/text/ranks.ts";

/**
 * Percentiles below which tissue is marked, above 100 minus which fluid is: of a reader who has
 * chosen none, and of everything that is made for all readers (tables, DICOM objects).
 */
export const DEFAULT_THRESHOLDS: readonly number[] = [5, 25];

/**
 * Percentile at which a value counts as low in words, and 100 minus it as high; a higher lowest
 * threshold goes first.
 */
const lowLimitOf = (thresholds: readonly number[]): number => Math.max(5, thresholds[0]!);

/**
 * Whether a level, firm or possible, is described as low: beyond a threshold of at most that limit.
 */
export const isLowLevel = (level: number, thresholds: readonly number[]): boolean =>
  level > 0 && thresholds[thresholds.length - level]! <= lowLimitOf(thresholds);

/** Whether the 80 % interval is above the low range, for a value without a doubt. */
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
 * A mark, its words, and how strong it is drawn: `level` counts the thresholds the value is beyond.
 */
export interface Band {
  symbol: string;
  text: string;
  level: number;
}

const SYMBOLS = { low: ["▽", "▼", "▼▼"], high: ["△", "▲", "▲▲"] } as const;
/** Neither beyond a threshold nor known to be usual. */
const UNSURE = "≈", USUAL = "○", DOUBT = "!";

/**
 * Strength of the colours, 0..3, of the `level`-th of `count` thresholds: the lowest one is always
 * strong.
 */
export const strengthOf = (level: number, count: number): number =>
  level > 0 && count === 1 ? 2 : level;

/** Mark of a level: with one threshold it is the strong one. */
export const symbolOf = (
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
): string => SYMBOLS[isInverted ? "high" : "low"][thresholds.length === 1 ? 1 : level - 1]!;

/**
 * The percentile that begins a level, as it is said: level k is beyond the k highest thresholds.
 */
const edgeOf = (
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
) => {
  const threshold = thresholds[thresholds.length - level]!;
  return ordinal(isInverted ? 100 - threshold : threshold, language);
};

/** Text of a firm band: a direction and a percentile, never a disease. */
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

/** Mark and text of a possible band: "(▼) Possibly below the 5th percentile". */
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
 * The band of a rank: firm, possible, usual, or not distinguishable from usual. A doubted value is
 * never called usual.
 * @returns `null` without a rank or where there are no bands.
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
