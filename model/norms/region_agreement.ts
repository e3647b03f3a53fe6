import { labelsOf, type MeasureKey } from "@/model/regions/measures.ts";
import limits from "@/model/norms/agreement_limits.json" with { type: "json" };

/** Facts of a result that show where its sources disagree. */
export interface AgreementFacts {
  /** our own network's answer: whether it had a part in the labels */
  deepStructures?: { isUsed?: unknown } | null | undefined;
  /** Dice of the labels with our own network's, index = label; absent in results of old engines */
  regionAgreement?:
    | { deepStructures?: readonly (number | null)[] | null | undefined }
    | null
    | undefined;
  /** labels that readers have corrected: those are theirs */
  corrected?: { labels?: readonly number[] | undefined } | null | undefined;
}

/** Left label of a pair. */
const leftOf = (label: number): number => label - (label + 1) % 2;

const LEAST: Readonly<Record<string, number>> = limits.least_dice;

/**
 * Labels of deep structures with borders that are likely wrong: there the result and our own network
 * agree much less than in good results. No percentile is given for them; their volume stays.
 *
 * Parcels of the cortex are not judged: the network does not know them. Empty where the network was
 * not used.
 *
 * @see docs/accuracy/regions.md for the heads that the limits are from.
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
 * Whether a measure is a structure, or a pair, of which a side is doubted. Sums over many regions
 * are not: the part that is doubted is small beside their error.
 */
export const isDoubted = (key: MeasureKey, doubted: ReadonlySet<number> | undefined): boolean =>
  doubted !== undefined && doubted.size > 0 && /^\d/.test(key) &&
  labelsOf(key).some((label) => doubted.has(label));
