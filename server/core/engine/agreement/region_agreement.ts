import type { RegionAgreement } from "@/server/core/engine/result.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";

/** Voxels of a label below which a Dice says nothing. */
const MIN_VOXELS = 50;
/** Labels of the structures that our own network knows: thalamus to ventral diencephalon. */
const isDeep = (label: number): boolean =>
  label >= 7 && label <= 24 || label === 29 || label === 30;
/** Labels that the second opinion knows with their sides: deep structures and parcels. */
const isOfOpinion = (label: number): boolean =>
  isDeep(label) && !(label >= 15 && label <= 18) || label >= 37;

/**
 * The agreement of a result's sources by label.
 *
 * @param overlaps As `EngineT1.region_overlaps`: voxels of a label in the result, in a source and in
 *   both, for labels 0..104 of the atlas, then of our own network, then of the second opinion.
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
