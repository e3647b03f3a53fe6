import type { RegionAgreement } from "@/server/core/engine/result.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";

/** Minimum number of voxels of a label for which a Dice overlap is computed. */
const MIN_VOXELS = 50;
/** Whether the product's network segments the label: thalamus to ventral diencephalon. */
const isDeep = (label: number): boolean =>
  label >= 7 && label <= 24 || label === 29 || label === 30;
/** Whether the published network segments the label by side: deep structures, cortical parcels. */
const isOfOpinion = (label: number): boolean =>
  isDeep(label) && !(label >= 15 && label <= 18) || label >= 37;

/**
 * Dice overlap of a result's labels with each source (atlas and networks), by label.
 *
 * @param overlaps As `EngineT1.region_overlaps`: for each source and label 0..104, the label's
 * voxel counts in the result, in the source and in both.
 * The sources are in this order: atlas, the product's network, the published network.
 */
export function regionAgreementOf(overlaps: Uint32Array): RegionAgreement {
  const diceOf = (source: number, isKnown: (label: number) => boolean) =>
    Array.from({ length: LABEL_COUNT }, (_, label) => {
      const at = 3 * (source * LABEL_COUNT + label);
      const [ours = 0, theirs = 0, both = 0] = overlaps.subarray(at, at + 3);
      if (label === 0 || !isKnown(label) || Math.max(ours, theirs) < MIN_VOXELS) return null;
      return Math.round(2000 * both / (ours + theirs)) / 1000;
    });
  const wasAsked = (source: number) =>
    overlaps.subarray(3 * source * LABEL_COUNT, 3 * (source + 1) * LABEL_COUNT).some((n) => n > 0);
  return {
    atlas: diceOf(0, () => true),
    deepStructures: wasAsked(1) ? diceOf(1, isDeep) : null,
    secondOpinion: wasAsked(2) ? diceOf(2, isOfOpinion) : null,
  };
}
