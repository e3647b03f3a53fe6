import { type Language, textIn } from "@/model/text.ts";
import { strengthOf } from "@/model/report_chart.ts";
import { reportText } from "@/model/text/report.ts";

/** Stands where there is no value. */
export const DASH = "–";

/** One labelled value; `span`: columns of the grid it takes. */
export interface Entry {
  label: string;
  value: string;
  span?: number;
}

/** "1st", "25th" in English; the number alone in Korean, where the word follows it. */
export function ordinal(value: number, language: Language): string {
  if (language === "ko") return String(value);
  const tens = value % 100, ones = value % 10;
  const end = tens >= 11 && tens <= 13 ? "th" : ["th", "st", "nd", "rd"][ones] ?? "th";
  return `${value}${end}`;
}

/** A percentile as printed: one decimal towards the ends, where it matters. */
export function printPercentile(percentile: number | null): string {
  if (percentile === null) return DASH;
  if (percentile < 0.1) return "<0.1";
  if (percentile > 99.9) return ">99.9";
  return percentile < 10 || percentile > 90 ? percentile.toFixed(1) : percentile.toFixed(0);
}

/** A figure with its decimals; a dash without one. */
export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined ? DASH : value.toFixed(digits);

/** A figure with its sign: "+3.2", "−0.8", "0.0". */
export function signed(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return DASH;
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

/** "2026-11-21 02:55 UTC" */
export const printInstant = (instant: string): string =>
  `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;

/** A mark, its words, and how strong it is drawn: `level` counts the thresholds the value is beyond. */
export interface Band {
  symbol: string;
  text: string;
  level: number;
}

/** What a band says: a direction and a percentile, never a disease. */
export function bandOf(
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
): Band {
  // level k: beyond the k highest thresholds, so the k-th from the end is the deepest one crossed
  const crossed = thresholds[thresholds.length - level], widest = thresholds[thresholds.length - 1]!;
  const at = (threshold: number) => ordinal(isInverted ? 100 - threshold : threshold, language);
  const symbol = level === 0 ? "○" : isInverted ? ["△", "▲", "▲▲"][level - 1]! : ["▽", "▼", "▼▼"][level - 1]!;
  if (crossed === undefined) {
    const text = isInverted ? reportText.notAbove : reportText.notBelow;
    return { symbol, text: textIn(text, language, { percentile: at(widest) }), level };
  }
  // with one threshold its mark is the strong one
  const mark = thresholds.length === 1 ? (isInverted ? "▲" : "▼") : symbol;
  const text = isInverted ? reportText.above : reportText.below;
  return {
    symbol: mark,
    text: textIn(text, language, { percentile: at(crossed) }),
    level: strengthOf(level, thresholds.length),
  };
}

/** How many thresholds a percentile is beyond; fluid is read from the other end (D2 §9). */
export function bandLevel(percentile: number, thresholds: readonly number[], isInverted: boolean): number {
  const distance = isInverted ? 100 - percentile : percentile;
  return thresholds.filter((threshold) => distance < threshold).length;
}

/** The band of a percentile; `null` without one. */
export const bandAt = (
  percentile: number | null,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
): Band | null =>
  percentile === null
    ? null
    : bandOf(bandLevel(percentile, thresholds, isInverted), thresholds, isInverted, language);
