import { hasPercentile, isInverted, regionOf } from "@/model/regions.ts";
import type { NormReason, RegionData } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { sidedPartName } from "@/model/text/regions.ts";
import { viewerText } from "@/model/text/viewer.ts";

/** Which percentile is shown: by age and sex, or by age, sex and intracranial volume (D2: mask type). */
export type PercentileBasis = "region" | "icv";

/** What the viewer says about one label. */
export interface RegionFacts {
  name: string;
  side: "left" | "right" | "midline";
  /** mL; `null` when the analysis has no such volume. */
  volumeMl: number | null;
  /** Normative percentile 0..100; `null` without a norm. */
  percentile: number | null;
}

/** "Left hippocampus", "좌측 해마"; the empty text for what is no label. */
export function regionName(label: number, language: Language): string {
  const region = regionOf(label);
  return region ? sidedPartName(region.part, region.hemisphere, language) : "";
}

/** Facts of a label value; `null` for the background and for values that are no label. */
export function factsOf(
  label: number,
  results: readonly RegionData[],
  basis: PercentileBasis,
): RegionFacts | null {
  const region = regionOf(label);
  if (!region) return null;
  const row = results.find((r) => r.part_index.includes(label));
  const side = region.hemisphere === "L" ? "left" : region.hemisphere === "R" ? "right" : "midline";
  const key = side === "midline" ? "total" : side;
  return {
    name: region.name,
    side,
    volumeMl: row?.[`volume_${key}`] ?? null,
    percentile: row?.[basis === "icv" ? `np_icv_${key}` as const : `np_volume_${key}` as const] ?? null,
  };
}

/**
 * Percentile as thresholds read it: fluid grows where tissue is lost, so its percentile counts from the other end
 * (D2 §9).
 */
export const tissuePercentile = (label: number, percentile: number): number =>
  isInverted(label) ? 100 - percentile : percentile;

/** Band of a percentile for a glance: `low` at or below the 5th, `watch` at or below the 20th (D2's threshold). */
export function bandOf(label: number, percentile: number | null): "low" | "watch" | "usual" | "none" {
  if (percentile === null) return "none";
  const read = tissuePercentile(label, percentile);
  return read <= 5 ? "low" : read <= 20 ? "watch" : "usual";
}

const ordinal = (n: number): string => {
  const tens = n % 100, ones = n % 10;
  const suffix = tens > 10 && tens < 14
    ? "th"
    : ones === 1
    ? "st"
    : ones === 2
    ? "nd"
    : ones === 3
    ? "rd"
    : "th";
  return `${n}${suffix}`;
};

/** "45", "<1", ">99": whole percentiles, never 0 or 100. */
export function percentileDigits(percentile: number): string {
  const rounded = Math.round(percentile);
  return rounded < 1 ? "<1" : rounded > 99 ? ">99" : String(rounded);
}

/** "45th percentile", or why there is none. */
export function percentileWords(
  label: number,
  percentile: number | null,
  reason: NormReason | null,
  language: Language,
): string {
  if (percentile !== null) {
    const digits = percentileDigits(percentile);
    const n = language === "en" ? digits.replace(/\d+/, (d) => ordinal(Number(d))) : digits;
    return textIn(viewerText.percentile, language, { n });
  }
  const text = !hasPercentile(label)
    ? viewerText.noNormRegion
    : reason === "quality"
    ? viewerText.noNormQuality
    : reason === "age_outside_norms"
    ? viewerText.noNormAge
    : reason === "age_unknown"
    ? viewerText.noNormAgeUnknown
    : reason === "sex_unknown"
    ? viewerText.noNormSexUnknown
    : viewerText.noNormRegion;
  return textIn(text, language);
}

/** Region, side, volume and percentile as separate phrases: for the tooltip and for the live region. */
export function regionPhrases(
  label: number,
  results: readonly RegionData[],
  basis: PercentileBasis,
  reason: NormReason | null,
  language: Language,
): string[] {
  const facts = factsOf(label, results, basis);
  if (!facts) return [textIn(viewerText.background, language)];
  const volume = facts.volumeMl === null
    ? "–"
    : textIn(viewerText.volumeMl, language, { volume: facts.volumeMl.toFixed(2) });
  return [
    regionName(label, language),
    textIn(viewerText[facts.side], language),
    volume,
    percentileWords(label, facts.percentile, reason, language),
  ];
}
