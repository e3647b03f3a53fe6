import { normOf, type NormSubject, percentileOf } from "@/model/norms.ts";
import { isCortex, PARTS, regionOf } from "@/model/regions.ts";
import type { Aggregate, ThicknessData } from "@/model/schema/patients.ts";
import { normSubjectOf, type Subject } from "@/core/services/region_data.ts";

const round2 = (value: number) => Math.round(value * 100) / 100;

/** Percentile of a thickness; `null` without a norm or a value. */
function thicknessPercentile(key: string | number, mm: number, subject: NormSubject | null): number | null {
  const norm = subject && mm > 0 ? normOf(key, "thickness", subject) : null;
  return norm && round2(percentileOf(mm, norm));
}

/**
 * Mean thickness of the 34 pairs of cortical regions, mm. 0 where a region is too small to be measured.
 *
 * @param meanMm  index = label, length 105.
 * @returns Percentiles by age and sex; those of single regions are approximate.
 */
export function thicknessDataOf(meanMm: readonly number[], subject: Subject): ThicknessData[] {
  const norms = normSubjectOf(subject, null);
  return PARTS.flatMap(({ part, labels: [left, right] }): ThicknessData[] => {
    if (right === undefined || !isCortex(left)) return [];
    const leftMm = meanMm[left] ?? 0, rightMm = meanMm[right] ?? 0;
    return [{
      part_index: [left, right],
      brain_regions: part,
      thick_left: round2(leftMm),
      thick_right: round2(rightMm),
      np_thick_left: thicknessPercentile(left, leftMm, norms),
      np_thick_right: thicknessPercentile(right, rightMm, norms),
    }];
  });
}

const LOBES = ["frontal", "parietal", "temporal", "occipital", "cingulate", "insula"] as const;
const WHITE_MATTER = new Set([1, 2]);

/** What the sums are made of; the thickness is there when the engine measured it. */
export interface AggregateSource {
  /** index = label, length 105 */
  volumesMm3: readonly number[];
  icvMm3: number;
  /** index = label, mm */
  thicknessMm?: readonly number[] | undefined;
  /** mean of the left and the right hemisphere, mm */
  thicknessSidesMm?: readonly [number, number] | undefined;
}

/** Cortex, white matter and lobes with the percentiles that the norms have. */
export function aggregatesOf(source: AggregateSource, subject: Subject): Aggregate[] {
  const { volumesMm3, thicknessMm, thicknessSidesMm } = source;
  const byIcv = normSubjectOf(subject, source.icvMm3 / 1000), bySex = normSubjectOf(subject, null);
  const labelsOf = (isMember: (label: number) => boolean, hemisphere: "L" | "R") =>
    volumesMm3.map((_, label) => label).filter((label) =>
      isMember(label) && regionOf(label)?.hemisphere === hemisphere
    );
  const volume = (labels: number[]) => labels.reduce((sum, label) => sum + (volumesMm3[label] ?? 0), 0);
  const percentile = (key: string | number, mm3: number) => {
    const norm = byIcv && normOf(key, "volume", byIcv);
    return norm && round2(percentileOf(mm3, norm));
  };
  // the mean over the lobe: each region with the weight of its volume
  const thickness = (labels: number[]): number | null => {
    const measured = labels.filter((label) => (thicknessMm?.[label] ?? 0) > 0);
    const weight = volume(measured);
    if (!thicknessMm || weight === 0) return null;
    return round2(measured.reduce((sum, l) => sum + thicknessMm[l]! * volumesMm3[l]!, 0) / weight);
  };
  const of = (key: Aggregate["key"], isMember: (label: number) => boolean): Aggregate => {
    const leftLabels = labelsOf(isMember, "L"), rightLabels = labelsOf(isMember, "R");
    const left = volume(leftLabels), right = volume(rightLabels);
    const isWhole = key === "cortex", sides = isWhole ? thicknessSidesMm : undefined;
    const side = (index: 0 | 1) => sides && sides[index] > 0 ? sides[index] : null;
    const normKeys = key === "white_matter" ? ["1", "2"] as const : [`${key}_left`, `${key}_right`] as const;
    return {
      key,
      volume_left: round2(left / 1000),
      volume_right: round2(right / 1000),
      volume_total: round2((left + right) / 1000),
      np_icv_left: percentile(normKeys[0], left),
      np_icv_right: percentile(normKeys[1], right),
      np_icv_total: percentile(key, left + right),
      thick_left: isWhole ? side(0) && round2(side(0)!) : thickness(leftLabels),
      thick_right: isWhole ? side(1) && round2(side(1)!) : thickness(rightLabels),
      np_thick_left: thicknessPercentile("thickness_left", side(0) ?? 0, bySex),
      np_thick_right: thicknessPercentile("thickness_right", side(1) ?? 0, bySex),
    };
  };
  return [
    of("cortex", isCortex),
    of("white_matter", (label) => WHITE_MATTER.has(label)),
    ...LOBES.map((lobe) => of(lobe, (label) => isCortex(label) && regionOf(label)?.group === lobe)),
  ];
}
