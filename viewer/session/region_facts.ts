import { bandOfRank, strengthOf } from "@/model/norms/bands.ts";
import { intervalText, percentileOrdinal } from "@/model/norms/rank_format.ts";
import { hasPercentile, isInverted, isMeasured, regionOf } from "@/model/regions/regions.ts";
import type { NormReason, RegionData } from "@/model/schema/studies/patients.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, textIn } from "@/model/text.ts";
import { rankText } from "@/model/text/ranks.ts";
import { sidedPartName } from "@/model/text/regions.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerRegionsText as texts } from "@/model/text/viewer/viewer_regions.ts";

/**
 * Basis of the displayed percentile: age and sex,
 * or age, sex and intracranial volume (D2: mask type).
 */
export type PercentileBasis = "region" | "icv";
/**
 * The default basis of percentiles, used in report, tables and DICOM objects.
 * Any other basis is named beside the number.
 */
export const DEFAULT_BASIS: PercentileBasis = "icv";

/** {@link DEFAULT_BASIS}, or by age and sex where the ICV was not measured or is implausible. */
export const basisOf = (results: readonly RegionData[]): PercentileBasis =>
  results.some((row) => row.rank_icv_total !== null) ||
    results.every((row) => row.rank_volume_total === null)
    ? DEFAULT_BASIS
    : "region";

/** Values of one label in the viewer. */
interface RegionFacts {
  name: string;
  side: "left" | "right" | "midline";
  /** volume in mL; `null` if the analysis did not measure the region's volume */
  volumeMl: number | null;
  /** Percentile with error; `null` without a norm. */
  rank: PercentileRank | null;
}

/** Region name with side: "Left hippocampus", "좌측 해마"; empty for an unknown label. */
export function regionName(label: number, language: Language): string {
  const region = regionOf(label);
  return region ? sidedPartName(region.part, region.hemisphere, language) : "";
}

/** Values of a label; `null` for background and invalid labels. */
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
    rank: row?.[basis === "icv" ? `rank_icv_${key}` as const : `rank_volume_${key}` as const] ??
      null,
  };
}

/**
 * Percentile that thresholds are compared with: 100 minus the percentile for fluid,
 * because fluid increases when tissue is lost (D2 §9).
 */
export const tissuePercentile = (label: number, percentile: number): number =>
  isInverted(label) ? 100 - percentile : percentile;

/**
 * Firm band of a percentile for highlighting:
 * `low` below the lowest threshold, `watch` below another threshold.
 */
export function bandKindOf(
  rank: PercentileRank | null,
  thresholds: readonly number[],
): "low" | "watch" | "possible" | "doubt" | "unsure" | "usual" | "none" {
  if (!rank?.has_bands) return "none";
  if (rank.level > 0) return strengthOf(rank.level, thresholds.length) > 1 ? "low" : "watch";
  if (rank.doubt !== null) return "doubt";
  return rank.possible_level > 0 ? "possible" : rank.is_usual ? "usual" : "unsure";
}

/**
 * Percentile as text: "45th percentile, 80 % interval 31 to 60". Only the interval without a band;
 * without an interval, the reason why neither is shown.
 * @param basis Basis of the percentile, named after the number if it is not the default.
 */
export function percentileText(
  label: number,
  rank: PercentileRank | null,
  reason: NormReason | null,
  language: Language,
  basis: PercentileBasis = DEFAULT_BASIS,
): string {
  if (rank) {
    const by = basis === DEFAULT_BASIS ? "" : ` (${textIn(texts.basisRegion, language)})`;
    const interval = intervalText(rank, language);
    if (!rank.has_bands) return interval + by;
    const n = percentileOrdinal(rank.percentile, language);
    return `${textIn(viewerText.percentile, language, { n })}, ${interval}${by}`;
  }
  const text = !isMeasured(label)
    ? viewerText.notMeasured
    : !hasPercentile(label)
    ? viewerText.noNormRegion
    : reason === "quality"
    ? viewerText.noNormQuality
    : reason === "age_outside_norms"
    ? viewerText.noNormAge
    : reason === "age_unknown"
    ? viewerText.noNormAgeUnknown
    : reason === "sex_unknown"
    ? viewerText.noNormSexUnknown
    : reason === "scanner_stopped"
    ? viewerText.noNormStopped
    : reason === "scanner_unread"
    ? viewerText.noNormUnread
    : reason === "scanner_refused"
    ? viewerText.noNormRefused
    : viewerText.noNormRegion;
  return textIn(text, language);
}

/** Text of a band within a sentence, as in the report; empty when normal or without a band. */
export function bandText(
  label: number,
  rank: PercentileRank | null,
  thresholds: readonly number[],
  language: Language,
): string {
  const kind = bandKindOf(rank, thresholds);
  if (kind === "none" || kind === "usual") return "";
  const words = [bandOfRank(rank, thresholds, isInverted(label), language)!.text];
  // the tooltip adds the warning of a doubtful value; the report lists such warnings separately
  if (rank!.doubt !== null && rank!.level > 0) {
    words.push(
      textIn(rank!.doubt === "value" ? rankText.doubtValue : rankText.doubtSides, language),
    );
  }
  return words.map((text) => text.charAt(0).toLowerCase() + text.slice(1)).join(", ");
}

/** Region, side, volume, percentile and band as separate phrases, for tooltip and live region. */
export function regionPhrases(
  label: number,
  results: readonly RegionData[],
  basis: PercentileBasis,
  thresholds: readonly number[],
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
    percentileText(label, facts.rank, reason, language, basis),
    bandText(label, facts.rank, thresholds, language),
  ].filter(Boolean);
}
