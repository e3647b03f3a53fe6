import { isInvertedKey, keyOf, type MeasureKey } from "@/model/regions/measures.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { shownRank } from "@/model/norms/rank_format.ts";
import type { NormSubject } from "@/model/norms/norms.ts";
import { limitsOf, type Method, rankOf } from "@/model/norms/percentile_rank.ts";
import { areSidesImplausible } from "@/model/norms/sides.ts";
import type { Aggregate, AnalysisQuality, RegionData } from "@/model/schema/studies/patients.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/** Functions that rank a subject's volumes (mm³) and thickness (mm). */
export interface Ranker {
  volume(key: MeasureKey, mm3: number): PercentileRank | null;
  thickness(key: MeasureKey, mm: number): PercentileRank | null;
  /**
   * Ranks of left, right and total of a pair.
   * All three are doubted if the sides differ implausibly.
   */
  pair(
    labels: readonly [number, number],
    mm3: readonly [number, number],
  ): Record<"left" | "right" | "total", PercentileRank | null>;
}

const withDoubt = (rank: PercentileRank | null): PercentileRank | null =>
  rank && { ...rank, is_usual: false, doubt: rank.doubt ?? "sides" };

/**
 * @param subject Age, sex and ICV; `null` outside the range of the norms: nothing is ranked then.
 */
export function rankerOf(
  subject: NormSubject | null,
  thresholds: readonly number[] = DEFAULT_THRESHOLDS,
  method?: Method,
): Ranker {
  const limits = limitsOf(thresholds);
  const volume = (key: MeasureKey, mm3: number) =>
    rankOf("volume", key, mm3, subject, { limits, isInverted: isInvertedKey(key) }, method);
  return {
    volume,
    // thickness 0 means that the region is too small to be measured
    thickness: (key, mm) =>
      mm > 0 ? rankOf("thickness", key, mm, subject, { limits, isInverted: false }, method) : null,
    pair: (labels, mm3) => {
      const of = areSidesImplausible("volume", labels, mm3, subject, method)
        ? withDoubt
        : (rank: PercentileRank | null) => rank;
      return {
        left: of(volume(keyOf([labels[0]]), mm3[0])),
        right: of(volume(keyOf([labels[1]]), mm3[1])),
        total: of(volume(keyOf(labels), mm3[0] + mm3[1])),
      };
    },
  };
}

const SIDES = ["left", "right", "total"] as const;

/** Ranks of all values of one study. */
interface RankedStudy {
  regions: readonly RegionData[];
  aggregates: readonly Aggregate[];
  /** rank of the ICV, and ranks of further printed values */
  icv: PercentileRank | null;
  others?: readonly (PercentileRank | null)[];
}

/** Codes of `model/text/quality.ts` for values outside the range of the norms. */
export function rankWarnings({ regions, aggregates, icv, others = [] }: RankedStudy): string[] {
  const doubts = new Set([
    ...regions.flatMap((row) => SIDES.map((side) => shownRank(row, side))),
    ...aggregates.flatMap((
      row,
    ) => [shownRank(row, "total"), row.rank_thick_left, row.rank_thick_right]),
    ...others,
  ].map((rank) => rank?.doubt ?? null));
  return [
    ...icv?.doubt ? ["icv_beyond_norms"] : [],
    ...doubts.has("value") ? ["value_beyond_norms"] : [],
    ...doubts.has("sides") ? ["sides_beyond_norms"] : [],
    ...doubts.has("region") ? ["region_disagreement"] : [],
  ];
}

/** Quality control of the engine with the norms' warnings added. */
export const withNorms = (quality: AnalysisQuality, study: RankedStudy): AnalysisQuality => ({
  ...quality,
  warnings: [...quality.warnings, ...rankWarnings(study)],
});
