import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, textIn } from "@/model/text.ts";
import { rankText } from "@/model/text/ranks.ts";

/** Width of an 80 % interval, in percentiles, from which it is uninformative: "5–95" and wider. */
const UNDETERMINED_WIDTH = 90;

/**
 * Whether an 80 % interval is narrow enough to be informative; otherwise neither percentile nor
 * interval is shown anywhere. Decided on the whole percentiles that are shown: 5.4 to 94.6 would
 * read "5–95".
 */
export const isDetermined = ({ low, high }: Pick<PercentileRank, "low" | "high">): boolean =>
  Math.round(high) - Math.round(low) < UNDETERMINED_WIDTH;

/**
 * Percentile for display, 0..100 with two decimals;
 * `null` where the error is too large for a single number.
 */
export const printedPercentile = (rank: PercentileRank | null | undefined): number | null =>
  rank?.has_bands ? rank.percentile : null;

/** Ends of the 80 % interval for display; `null` where the interval is uninformative. */
export const printedInterval = (
  rank: PercentileRank,
): Pick<PercentileRank, "low" | "high"> | null =>
  isDetermined(rank) ? { low: rank.low, high: rank.high } : null;

/** Ordinal "1st", "25th" in English; in Korean only the number, because the word follows it. */
export function ordinal(value: number, language: Language): string {
  if (language === "ko") return String(value);
  const tens = value % 100, ones = value % 10;
  const end = tens >= 11 && tens <= 13 ? "th" : ["th", "st", "nd", "rd"][ones] ?? "th";
  return `${value}${end}`;
}

/** Whole percentile, never 0 or 100: "45", "<1", ">99". */
export function percentileDigits(percentile: number): string {
  const rounded = Math.round(percentile);
  return rounded < 1 ? "<1" : rounded > 99 ? ">99" : String(rounded);
}

/** Ordinal of a percentile: "45th", "<1st"; in Korean only the digits. */
export const percentileOrdinal = (percentile: number, language: Language): string =>
  percentileDigits(percentile).replace(/\d+/, (digits) => ordinal(Number(digits), language));

/** Formats a range: "4–29"; in Korean "4~29". */
export const rangeDigits = (from: string, to: string, language: Language): string =>
  `${from}${language === "ko" ? "~" : "–"}${to}`;

/**
 * An interval as "4–29" or "1 to >99", in Korean "4~29" or "1~>99"; a single number where both ends
 * are equal; "not determined" where it is uninformative. A dash next to "<" or ">" would read as an
 * arrow.
 */
export function intervalDigits(
  rank: Pick<PercentileRank, "low" | "high">,
  language: Language,
): string {
  if (!isDetermined(rank)) return textIn(rankText.notDetermined, language);
  const [from, to] = [percentileDigits(rank.low), percentileDigits(rank.high)];
  if (from === to) return from;
  return /[<>]/.test(from + to)
    ? textIn(rankText.ends, language, { from, to })
    : rangeDigits(from, to, language);
}

/**
 * Percentile and interval as printed, "12th, 4–29"; only the interval where there is no band, as an
 * ordinal where it is a single number; "not determined" where it is uninformative.
 */
export function formatRank(
  rank: Pick<PercentileRank, "percentile" | "low" | "high" | "has_bands">,
  language: Language,
): string {
  const interval = intervalDigits(rank, language);
  const single = interval === percentileDigits(rank.low)
    ? percentileOrdinal(rank.low, language)
    : interval;
  if (!rank.has_bands) return single;
  const percentile = percentileOrdinal(rank.percentile, language);
  return single === percentile ? percentile : `${percentile}, ${interval}`;
}

/** Text of an interval, for use after the percentile, or alone where there is no band. */
export function intervalText(rank: PercentileRank, language: Language): string {
  if (!isDetermined(rank)) {
    return textIn(
      rank.doubt === "region" ? rankText.bordersUncertain : rankText.percentileNotDetermined,
      language,
    );
  }
  const low = percentileDigits(rank.low), high = percentileDigits(rank.high);
  const isSingle = low === high;
  const text = rank.has_bands
    ? rankText[isSingle ? "intervalSingle" : "interval"]
    : rankText[isSingle ? "intervalAloneSingle" : "intervalAlone"];
  return textIn(text, language, { low, high });
}

type Side = "left" | "right" | "total";

/** Two ranks of a value: by age, sex and ICV, and by age and sex only. */
export type RankedRow =
  & Record<`rank_icv_${Side}`, PercentileRank | null>
  & Partial<Record<`rank_volume_${Side}`, PercentileRank | null>>;

/** Rank for displays that show only one: by age, sex and ICV if known, else by age and sex. */
export const shownRank = (row: RankedRow, side: Side): PercentileRank | null =>
  row[`rank_icv_${side}`] ?? row[`rank_volume_${side}`] ?? null;

/** The Atrophy Score as printed, 0..100: one decimal, never 0 or 100. */
export const scoreDigits = (score: number): string =>
  score < 0.1 ? "<0.1" : score > 99.9 ? ">99.9" : score.toFixed(1);
