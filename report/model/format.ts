import type { Language } from "@/model/text.ts";
import { formatRank } from "@/model/norms/rank_format.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/** Text printed in place of a missing value. */
export const DASH = "–";

/** A value with its label; `span` is the number of grid columns that the value takes. */
export interface Entry {
  label: string;
  value: string;
  span?: number;
}

/** Formats a percentile with the digits that its error justifies; a dash without a percentile. */
export const formatPercentile = (rank: PercentileRank | null, language: Language): string =>
  rank === null ? DASH : formatRank(rank, language);

/** Formats a number with fixed decimals; a dash for `null`. */
export const fixed = (value: number | null | undefined, digits = 2): string =>
  value === null || value === undefined ? DASH : value.toFixed(digits);

/** Formats a number with its sign: "+3.2", "−0.8", "0.0". */
export function signed(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return DASH;
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "shortOffset",
  });
  formats.set(timeZone, format);
  return format;
}

/** Formats an instant in a time zone: "2026-11-21 11:55 GMT+9"; "UTC" for an offset of 0. */
export function formatInstant(instant: string, timeZone = "UTC"): string {
  const parts = Object.fromEntries(
    formatIn(timeZone).formatToParts(new Date(instant)).map(({ type, value }) => [type, value]),
  );
  return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute} ${
    zoneOf(parts.timeZoneName)
  }`;
}

/** Name of a time zone; the zone with offset 0, called "GMT" or "GMT+0", is printed as "UTC". */
export const zoneOf = (name = ""): string => /^GMT([+−-]0)?$/.test(name) ? "UTC" : name;

/**
 * Largest number of lines of an opinion (prepared comment) that is printed with its line breaks.
 */
const MOST_OPINION_LINES = 6;

/** An opinion as printed. Many short lines become a paragraph, which fits on the first page. */
export const printedOpinion = (message: string): string =>
  message.split("\n").length > MOST_OPINION_LINES
    ? message.split("\n").map((line) => line.trim()).filter(Boolean).join(" ")
    : message;
