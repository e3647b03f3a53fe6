import type { RegionAgreement } from "@/server/core/engine/result.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";

/** Minimum number of voxels of a label for a meaningful Dice. */
const MIN_VOXELS = 50;
/** Labels of structures that our own network segments: thalamus to ventral diencephalon. */
const isDeep = (label: number): boolean =>
  label >= 7 && label <= 24 || label === 29 || label === 30;
/** Labels that the second opinion segments with sides: deep structures and cortical parcels. */
const isOfOpinion = (label: number): boolean =>
  isDeep(label) && !(label >= 15 && label <= 18) || label >= 37;

/**
 * Agreement between the sources of a label map, by label.
 *
 * @param overlaps As `EngineT1.region_overlaps`: for labels 0..104, voxel counts of a label
 * in the result, in a source and in both.
 * Order of the sources: atlas, the product's network, second opinion.
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
