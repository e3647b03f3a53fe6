import { labelsOf, type MeasureKey } from "@/model/regions/measures.ts";
import limits from "@/model/norms/agreement_limits.json" with { type: "json" };

/** Parts of a stored result that show where the segmentation sources disagree. */
export interface AgreementFacts {
  /** whether this product's network contributed to the labels */
  deepStructures?: { isUsed?: unknown } | null | undefined;
  /**
   * Dice overlap of the labels with this product's network, by label; absent in results of old
   * engines
   */
  regionAgreement?:
    | { deepStructures?: readonly (number | null)[] | null | undefined }
    | null
    | undefined;
  /** labels that users corrected, for which agreement with the network no longer matters */
  corrected?: { labels?: readonly number[] | undefined } | null | undefined;
}

/** Left label of a pair of regions. */
const leftOf = (label: number): number => label - (label + 1) % 2;

const LEAST: Readonly<Record<string, number>> = limits.least_dice;

/**
 * Deep structures with probably wrong borders: the result and the product's network agree much
 * less than in good results. Such structures have a volume, but no percentile.
 *
 * Cortical parcels are not assessed, because the network does not segment them.
 * Empty if the network was not used.
 *
 * @see docs/accuracy/regions.md for the heads used to set the limits.
 */
export function doubtedLabelsOf(
  { deepStructures, regionAgreement, corrected }: AgreementFacts,
): ReadonlySet<number> {
  const doubted = new Set<number>();
  if (deepStructures?.isUsed !== true) return doubted;
  (regionAgreement?.deepStructures ?? []).forEach((dice, label) => {
    const least = LEAST[leftOf(label)];
    if (dice !== null && least !== undefined && dice < least) doubted.add(label);
  });
  corrected?.labels?.forEach((label) => doubted.delete(label));
  return doubted;
}

/**
 * Whether a structure, or either side of a pair, is doubted. Sums over many regions are never
 * doubted: the error of one doubted part is small compared with the error of the sum.
 */
export const isDoubted = (key: MeasureKey, doubted: ReadonlySet<number> | undefined): boolean =>
  doubted !== undefined && doubted.size > 0 && /^\d/.test(key) &&
  labelsOf(key).some((label) => doubted.has(label));
