import { type Language, textIn } from "@/model/text.ts";
import { strengthOf } from "@/report/charts/chart.ts";
import { formatRank, ordinal } from "@/model/norms/rank_format.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { rankBandText, rankText } from "@/model/text/ranks.ts";
import { reportText } from "@/model/text/report/report.ts";

/** Stands where there is no value. */
export const DASH = "–";

/** One labelled value; `span`: columns of the grid it takes. */
export interface Entry {
  label: string;
  value: string;
  span?: number;
}

/** A percentile as printed, with its error; a dash without one. */
export const formatPercentile = (rank: PercentileRank | null, language: Language): string =>
  rank === null ? DASH : formatRank(rank, language);

/** A figure with its decimals; a dash without one. */
export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined ? DASH : value.toFixed(digits);

/** A figure with its sign: "+3.2", "−0.8", "0.0". */
export function signed(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return DASH;
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "shortOffset",
  });
  formats.set(timeZone, made);
  return made;
}

/** "2026-11-21 11:55 GMT+9": an instant at the clocks of a zone, "UTC" where they have no offset. */
export function formatInstant(instant: string, timeZone = "UTC"): string {
  const parts = Object.fromEntries(
    formatIn(timeZone).formatToParts(new Date(instant)).map(({ type, value }) => [type, value]),
  );
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute} ${
    zoneOf(parts.timeZoneName)
  }`;
}

/** A zone as reports name it: server and browsers call the one without an offset "GMT" or "GMT+0". */
export const zoneOf = (name = ""): string => /^GMT([+−-]0)?$/.test(name) ? "UTC" : name;

/** A mark, its words, and how strong it is drawn: `level` counts the thresholds the value is beyond. */
export interface Band {
  symbol: string;
  text: string;
  level: number;
}

const SYMBOLS = { low: ["▽", "▼", "▼▼"], high: ["△", "▲", "▲▲"] } as const;
/** Neither beyond a threshold nor known to be usual. */
const UNSURE = "≈", USUAL = "○", DOUBT = "!";

/** Mark of a level: with one threshold it is the strong one. */
const symbolOf = (level: number, thresholds: readonly number[], isInverted: boolean): string =>
  SYMBOLS[isInverted ? "high" : "low"][thresholds.length === 1 ? 1 : level - 1]!;

/** The percentile that begins a level, as it is said: level k is beyond the k highest thresholds. */
const edgeOf = (level: number, thresholds: readonly number[], isInverted: boolean, language: Language) => {
  const threshold = thresholds[thresholds.length - level]!;
  return ordinal(isInverted ? 100 - threshold : threshold, language);
};

/** What a firm band says: a direction and a percentile, never a disease. */
export function bandOf(
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
): Band {
  if (level === 0) {
    const text = isInverted ? reportText.notAbove : reportText.notBelow;
    return {
      symbol: USUAL,
      text: textIn(text, language, { percentile: edgeOf(1, thresholds, isInverted, language) }),
      level,
    };
  }
  const text = isInverted ? reportText.above : reportText.below;
  return {
    symbol: symbolOf(level, thresholds, isInverted),
    text: textIn(text, language, { percentile: edgeOf(level, thresholds, isInverted, language) }),
    level: strengthOf(level, thresholds.length),
  };
}

/** Mark and words of what may hold: "(▼) Possibly below 5th percentile". */
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
 * The band of a rank: firm, possible, usual, or not to be told from usual. A value that is doubted is never called usual.
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
