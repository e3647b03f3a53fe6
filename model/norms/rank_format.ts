import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, textIn } from "@/model/text.ts";
import { rankText } from "@/model/text/ranks.ts";

/** "1st", "25th" in English; the number alone in Korean, where the word follows it. */
export function ordinal(value: number, language: Language): string {
  if (language === "ko") return String(value);
  const tens = value % 100, ones = value % 10;
  const end = tens >= 11 && tens <= 13 ? "th" : ["th", "st", "nd", "rd"][ones] ?? "th";
  return `${value}${end}`;
}

/** "45", "<1", ">99": whole percentiles, never 0 or 100. */
export function percentileDigits(percentile: number): string {
  const rounded = Math.round(percentile);
  return rounded < 1 ? "<1" : rounded > 99 ? ">99" : String(rounded);
}

/** "45th", "<1st"; in Korean the digits alone. */
export const percentileOrdinal = (percentile: number, language: Language): string =>
  percentileDigits(percentile).replace(/\d+/, (digits) => ordinal(Number(digits), language));

/** "4–29"; one number where both ends are the same. */
export function intervalDigits({ low, high }: Pick<PercentileRank, "low" | "high">): string {
  const [from, to] = [percentileDigits(low), percentileDigits(high)];
  return from === to ? from : `${from}–${to}`;
}

/** "12th, 4–29" as printed; the interval alone where there is no band. */
export function formatRank(rank: PercentileRank, language: Language): string {
  if (!rank.has_bands) return intervalDigits(rank);
  const percentile = percentileOrdinal(rank.percentile, language), interval = intervalDigits(rank);
  return interval === percentileDigits(rank.percentile) ? percentile : `${percentile}, ${interval}`;
}

/** The interval in words, to be said after the percentile, or alone where there is no band. */
export const intervalText = (rank: PercentileRank, language: Language): string =>
  textIn(rank.has_bands ? rankText.interval : rankText.intervalAlone, language, {
    low: percentileDigits(rank.low),
    high: percentileDigits(rank.high),
  });
