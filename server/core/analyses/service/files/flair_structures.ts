import { ANY_CONTRAST_SPREAD, T80 } from "@/model/norms/any_contrast_error.ts";
import { PARTS } from "@/model/regions/regions.ts";
import type { FlairStructure } from "@/model/schema/studies/flair_structure.ts";
import type { FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import { millilitres } from "@/model/measured/region_data.ts";

/**
 * Removes the label voxels from a network's result, which are stored in a file, not in the row.
 * `null` when the network did not run.
 */
export function withoutLabels<Read extends { labels: Uint8Array }>(
  read: Read | null,
): Omit<Read, "labels"> | null {
  if (!read) return null;
  const { labels: _, ...figures } = read;
  return figures;
}

/**
 * Volumes of deep structures that the contrast-agnostic network measured in a FLAIR series.
 * Structures without a published measurement error are left out; empty if the result is not used.
 * @param t1 Results of the study's T1w series: if there are any, the list is empty.
 */
export function flairStructuresOf(
  flair: Pick<FlairResults, "deepStructures"> | null,
  t1: object | null = null,
): FlairStructure[] {
  if (t1 !== null || !flair?.deepStructures?.isUsed) return [];
  const { volumesMm3 } = flair.deepStructures;
  return PARTS.flatMap(({ part, labels: [first, second] }): FlairStructure[] => {
    const spread = ANY_CONTRAST_SPREAD[part], firstMm3 = volumesMm3[first] ?? 0;
    if (spread === undefined) return [];
    const secondMm3 = second === undefined ? 0 : volumesMm3[second] ?? 0,
      totalMm3 = firstMm3 + secondMm3;
    const factor = Math.exp(T80 * spread), isPair = second !== undefined;
    return [{
      part_index: isPair ? [first, second] : [first],
      brain_regions: part,
      volume_left: isPair ? millilitres(firstMm3) : null,
      volume_right: isPair ? millilitres(secondMm3) : null,
      volume_total: millilitres(totalMm3),
      low: millilitres(totalMm3 / factor),
      high: millilitres(totalMm3 * factor),
    }];
  });
}
