// Every value of a study that is printed with a percentile, as a candidate for a finding.
import type { MeasuredStudy } from "@/model/measured/measured_study.ts";
import type { Measure } from "@/model/norms/norms.ts";
import { shownRank } from "@/model/norms/rank_format.ts";
import { zOfPercentile } from "@/model/norms/percentile_rank.ts";
import { isInvertedKey, keyOf, type MeasureKey } from "@/model/regions/measures.ts";
import { isCortex, regionOf } from "@/model/regions/regions.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

export type Side = "L" | "R" | "";

/** A printed value with its percentile. */
export interface Candidate {
  measure: Measure;
  /** a part of the atlas, a lobe, or a sum */
  part: string;
  side: Side;
  key: MeasureKey;
  /** mL or mm, as printed */
  value: number;
  rank: PercentileRank;
  isInverted: boolean;
  /**
   * one of the 34 parts of the cortex: there are so many that a healthy person often has one
   * outside
   */
  isSmall: boolean;
  /**
   * spreads of healthy people and of the error together from the middle; positive: towards the
   * conspicuous end
   */
  surprise: number;
}

/**
 * Parts that are compared with others of the same area: a value without support there is a single
 * one.
 */
const AREAS: Readonly<Record<string, string>> = {
  "Hippocampus": "temporal",
  "Amygdala": "temporal",
  "Inferior lateral ventricle": "temporal",
  "temporal": "temporal",
  "Lateral ventricle": "ventricles",
  "Third ventricle": "ventricles",
  "Cerebellar cortex": "cerebellum",
  "Cerebellar white matter": "cerebellum",
  "Fourth ventricle": "cerebellum",
  "Brain stem": "cerebellum",
};

/** The area that a part belongs to; of a part of the cortex its lobe. */
export function areaOf(part: string, label: number | undefined): string {
  const group = label === undefined ? undefined : regionOf(label)?.group;
  return AREAS[part] ?? group ?? part;
}

/**
 * z of the 10th and the 90th percentile: an interval of 80 %. Percentiles have two decimals: no z
 * beyond this.
 */
const Z90 = 1.2815516, MOST_Z = 3.9;
const zAt = (percentile: number) => Math.max(-MOST_Z, Math.min(MOST_Z, zOfPercentile(percentile)));

/** A rank in spreads of healthy people and of its own error together; negative below the middle. */
function surpriseOf({ percentile, low, high }: PercentileRank): number {
  const z = zAt(percentile), sd = z < 0 ? (zAt(high) - z) / Z90 : (z - zAt(low)) / Z90;
  return z / Math.hypot(1, sd);
}

/** Every candidate of a study; empty without percentiles. */
export function candidatesOf(study: MeasuredStudy): Candidate[] {
  const { t1, normSubject } = study;
  if (!t1 || !normSubject) return [];
  const candidates: Candidate[] = [];
  const add = (
    measure: Measure,
    part: string,
    side: Side,
    key: MeasureKey,
    value: number | null,
    rank: PercentileRank | null,
  ) => {
    if (!rank || value === null) return;
    const isInverted = measure === "volume" && isInvertedKey(key), surprise = surpriseOf(rank);
    candidates.push({
      measure,
      part,
      side,
      key,
      value,
      rank,
      isInverted,
      isSmall: /^\d/.test(key) && isCortex(Number(key.split("+")[0])),
      surprise: isInverted ? surprise : -surprise,
    });
  };
  const volume = (
    part: string,
    side: Side,
    key: MeasureKey,
    ml: number | null,
    rank: PercentileRank | null,
  ) => add("volume", part, side, key, ml, rank);
  for (const row of study.regions) {
    const [first, second] = row.part_index as [number, number?], part = row.brain_regions;
    volume(part, "", keyOf(row.part_index), row.volume_total, shownRank(row, "total"));
    if (second === undefined) continue;
    volume(part, "L", keyOf([first]), row.volume_left, shownRank(row, "left"));
    volume(part, "R", keyOf([second]), row.volume_right, shownRank(row, "right"));
  }
  for (const row of study.aggregates) {
    if (row.key === "white_matter") {
      // its sides are those of the part
      volume(
        "Cerebral white matter",
        "",
        "white_matter",
        row.volume_total,
        shownRank(row, "total"),
      );
      continue;
    }
    volume(row.key, "", row.key, row.volume_total, shownRank(row, "total"));
    volume(row.key, "L", `${row.key}_left`, row.volume_left, shownRank(row, "left"));
    volume(row.key, "R", `${row.key}_right`, row.volume_right, shownRank(row, "right"));
  }
  if (study.brain) {
    volume("brain", "", "brain", Math.round(study.brain.total / 10) / 100, study.brain.rank.total);
  }
  const { leftMm, rightMm, rank } = study.meanThickness,
    round2 = (mm: number) => Math.round(mm * 100) / 100;
  add("thickness", "cortex", "L", "thickness_left", round2(leftMm), rank.left);
  add("thickness", "cortex", "R", "thickness_right", round2(rightMm), rank.right);
  const mean = (leftMm + rightMm) / 2;
  add("thickness", "cortex", "", "thickness", round2(mean), rank.total);
  for (const row of study.thickness ?? []) {
    const [left, right] = row.part_index as [number, number], part = row.brain_regions;
    add("thickness", part, "L", keyOf([left]), row.thick_left, row.rank_thick_left);
    add("thickness", part, "R", keyOf([right]), row.thick_right, row.rank_thick_right);
  }
  return candidates;
}
