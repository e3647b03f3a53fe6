import { asymmetryPercent } from "@/model/regions/asymmetry.ts";
import { keyOf, LOBES } from "@/model/regions/measures.ts";
import { isCortex, PARTS, regionOf } from "@/model/regions/regions.ts";
import type { Aggregate, ThicknessData } from "@/model/schema/studies/patients.ts";
import { printedPercentile } from "@/model/norms/rank_format.ts";
import { rankerOf } from "@/model/norms/ranks.ts";
import {
  icvOfPercentages,
  icvOfPercentiles,
  normSubjectOf,
  type Subject,
} from "@/model/measured/region_data.ts";

const round2 = (value: number) => Math.round(value * 100) / 100;

/**
 * Mean thickness of the 34 pairs of cortical regions, mm; 0 for regions too small to be measured.
 *
 * @param meanMm  Thickness by label, length 105.
 * @param thresholds percentiles at which bands begin.
 * @returns percentiles by age and sex; percentiles of single regions are approximate.
 */
export function thicknessDataOf(
  meanMm: readonly number[],
  subject: Subject,
  thresholds?: readonly number[],
): ThicknessData[] {
  const ranks = rankerOf(normSubjectOf(subject, null), thresholds, subject.method);
  return PARTS.flatMap(({ part, labels: [left, right] }): ThicknessData[] => {
    if (right === undefined || !isCortex(left)) return [];
    const leftMm = meanMm[left] ?? 0, rightMm = meanMm[right] ?? 0;
    const leftRank = ranks.thickness(keyOf([left]), leftMm);
    const rightRank = ranks.thickness(keyOf([right]), rightMm);
    return [{
      part_index: [left, right],
      brain_regions: part,
      thick_left: round2(leftMm),
      thick_right: round2(rightMm),
      np_thick_left: printedPercentile(leftRank),
      np_thick_right: printedPercentile(rightRank),
      rank_thick_left: leftRank,
      rank_thick_right: rightRank,
    }];
  });
}

const WHITE_MATTER = new Set([1, 2]);

/**
 * Volumes and thickness from which aggregates are computed; thickness only if the engine measured
 * it.
 */
interface AggregateSource {
  /** volumes by label, mm³; length 105 */
  volumesMm3: readonly number[];
  /** intracranial volume, mm³; `null` if not measured */
  icvMm3: number | null;
  /** thickness, mm; the index is the label */
  thicknessMm?: readonly number[] | undefined;
  /** mean thickness [left, right] of the hemispheres, mm */
  thicknessSidesMm?: readonly [number, number] | undefined;
}

/**
 * Cortex, white matter and lobes with percentiles.
 * Thickness has norms for the whole cortex only.
 */
export function aggregatesOf(
  source: AggregateSource,
  subject: Subject,
  thresholds?: readonly number[],
): Aggregate[] {
  const { volumesMm3, thicknessMm, thicknessSidesMm } = source;
  const ranker = (icvMl: number | null) =>
    rankerOf(normSubjectOf(subject, icvMl), thresholds, subject.method);
  const icvMl = icvOfPercentiles(source.icvMm3, subject);
  const wholeMm3 = icvOfPercentages(source.icvMm3, subject, volumesMm3);
  const bySex = ranker(null), byIcv = icvMl === null ? null : ranker(icvMl);
  const labelsOf = (isMember: (label: number) => boolean, hemisphere: "L" | "R") =>
    volumesMm3.map((_, label) => label).filter((label) =>
      isMember(label) && regionOf(label)?.hemisphere === hemisphere
    );
  const volume = (labels: number[]) =>
    labels.reduce((sum, label) => sum + (volumesMm3[label] ?? 0), 0);
  // mean thickness of the lobe, weighted by the volume of each region
  const thickness = (labels: number[]): number | null => {
    const measured = labels.filter((label) => (thicknessMm?.[label] ?? 0) > 0);
    const weight = volume(measured);
    if (!thicknessMm || weight === 0) return null;
    return round2(measured.reduce((sum, l) => sum + thicknessMm[l]! * volumesMm3[l]!, 0) / weight);
  };
  const of = (key: Aggregate["key"], isMember: (label: number) => boolean): Aggregate => {
    const leftLabels = labelsOf(isMember, "L"), rightLabels = labelsOf(isMember, "R");
    const leftMm3 = volume(leftLabels), right = volume(rightLabels);
    const isWhole = key === "cortex", sides = isWhole ? thicknessSidesMm : undefined;
    const side = (index: 0 | 1) => sides && sides[index] > 0 ? sides[index] : null;
    const [leftKey, rightKey] = key === "white_matter"
      ? ["1", "2"] as const
      : [`${key}_left`, `${key}_right`] as const;
    const ranks = {
      left: byIcv && byIcv.volume(leftKey, leftMm3),
      right: byIcv && byIcv.volume(rightKey, right),
      total: byIcv && byIcv.volume(key, leftMm3 + right),
      sexLeft: bySex.volume(leftKey, leftMm3),
      sexRight: bySex.volume(rightKey, right),
      sexTotal: bySex.volume(key, leftMm3 + right),
      thickLeft: bySex.thickness("thickness_left", side(0) ?? 0),
      thickRight: bySex.thickness("thickness_right", side(1) ?? 0),
    };
    return {
      key,
      volume_left: round2(leftMm3 / 1000),
      volume_right: round2(right / 1000),
      volume_total: round2((leftMm3 + right) / 1000),
      ...(wholeMm3 === null ? {} : { icv_percent: round2(100 * (leftMm3 + right) / wholeMm3) }),
      asymmetry_percent: asymmetryPercent(leftMm3, right),
      np_icv_left: printedPercentile(ranks.left),
      np_icv_right: printedPercentile(ranks.right),
      np_icv_total: printedPercentile(ranks.total),
      thick_left: isWhole ? side(0) && round2(side(0)!) : thickness(leftLabels),
      thick_right: isWhole ? side(1) && round2(side(1)!) : thickness(rightLabels),
      np_thick_left: printedPercentile(ranks.thickLeft),
      np_thick_right: printedPercentile(ranks.thickRight),
      rank_icv_left: ranks.left,
      rank_icv_right: ranks.right,
      rank_icv_total: ranks.total,
      rank_volume_left: ranks.sexLeft,
      rank_volume_right: ranks.sexRight,
      rank_volume_total: ranks.sexTotal,
      rank_thick_left: ranks.thickLeft,
      rank_thick_right: ranks.thickRight,
    };
  };
  return [
    of("cortex", isCortex),
    of("white_matter", (label) => WHITE_MATTER.has(label)),
    ...LOBES.map((lobe) => of(lobe, (label) => isCortex(label) && regionOf(label)?.group === lobe)),
  ];
}
