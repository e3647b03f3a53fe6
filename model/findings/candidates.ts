// Collects every value of a study that is printed with a percentile, as a candidate for a finding.
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
  /** part of the brain: an atlas part, a lobe, or an aggregate such as the whole cortex */
  part: string;
  side: Side;
  key: MeasureKey;
  /** value in mL or mm, as printed */
  value: number;
  rank: PercentileRank;
  isInverted: boolean;
  /** whether it is one of the 34 cortical parts, of which a healthy person often has one outside */
  isSmall: boolean;
  /**
   * deviation from the median, in combined SD of healthy people and measurement error
   * positive towards the abnormal end
   */
  surprise: number;
}

/**
 * Area of each part. Outlying parts of the same area support one another;
 * without support, an outlying part counts as a single value.
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

/** Area that a part belongs to; for a part of the cortex, its lobe. */
export function areaOf(part: string, label: number | undefined): string {
  const group = label === undefined ? undefined : regionOf(label)?.group;
  return AREAS[part] ?? group ?? part;
}

/**
 * z of the 10th and 90th percentile (80 % interval).
 * Percentiles have two decimals, so z is limited to this maximum.
 */
const Z90 = 1.2815516, MOST_Z = 3.9;
const zAt = (percentile: number) => Math.max(-MOST_Z, Math.min(MOST_Z, zOfPercentile(percentile)));

/**
 * Deviation of a rank in combined SD of healthy people and measurement error;
 * negative below the median.
 */
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
      // only the total of this structure: left and right are candidates as parts of the atlas
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
