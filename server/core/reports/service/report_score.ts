import { curveOf, normOfTotal } from "@/model/norms/curves.ts";
import { isPartOfScore, missingParts } from "@/model/findings/missing.ts";
import { SCORE_PARTS } from "@/model/findings/score_parts.ts";
import { asymmetryPercent } from "@/model/regions/asymmetry.ts";
import { keyOf, LOBES } from "@/model/regions/measures.ts";
import { type Norm, normOf, type NormSubject, valueAt } from "@/model/norms/norms.ts";
import {
  curvePlaceOf,
  limitsOf,
  measuredZ,
  type Method,
  rankOfZ,
  volumeInterval,
} from "@/model/norms/percentile_rank.ts";
import { isCortex } from "@/model/regions/regions.ts";
import type { Aggregate } from "@/model/schema/studies/patients.ts";
import type { CurvePoint, ReportResponse } from "@/model/schema/report/report.ts";
import { printedPercentile } from "@/model/norms/rank_format.ts";
import { type Ranker } from "@/model/norms/ranks.ts";

const round2 = (value: number) => Math.round(value * 100) / 100;
const round1 = (value: number) => Math.round(value * 10) / 10;

/**
 * Assumed correlation of the score's measures at given age, sex and ICV; printed in the report.
 * The norms contain the SD of each measure, but not the correlation of the measures.
 */
const SCORE_CORRELATION = 0.4;

/**
 * Atrophy Score: distance of four measures from the norms, as a percentage; 50 is the median.
 * The mean z score, with inverted sign for tissue, is rescaled to an SD of 1.
 * Measurement errors of the four measures are treated as independent.
 * `null` if a percentile or a segmented part is missing, which is no sign of atrophy.
 *
 * @param volumesMm3 Volumes of all labels; the index is the label, length 105.
 */
export function atrophyScoreOf(
  volumesMm3: readonly number[],
  subject: NormSubject | null,
  thresholds: readonly number[],
  method?: Method,
): ReportResponse["atrophy_score"] {
  if (!subject || missingParts(volumesMm3).some(isPartOfScore)) return null;
  const items: NonNullable<ReportResponse["atrophy_score"]>["items"] = [],
    limits = limitsOf(thresholds);
  let sum = 0, variance = 0;
  for (const { name, labels, isFluid } of SCORE_PARTS) {
    const mm3 = volumesMm3.reduce(
      (total, volume, label) =>
        (labels ? (labels as readonly number[]).includes(label) : isCortex(label))
          ? total + volume
          : total,
      0,
    );
    const measured = measuredZ("volume", labels ? keyOf(labels) : "cortex", mm3, subject, method);
    if (!measured) return null;
    const { z, sd, hasBands } = measured;
    sum += isFluid ? z : -z;
    variance += sd ** 2;
    const rank = rankOfZ(z, sd, { limits, isInverted: isFluid }, hasBands);
    items.push({ brain_regions: name, z: round2(z), np: printedPercentile(rank), rank });
  }
  const k = SCORE_PARTS.length, spread = k * Math.sqrt((1 + (k - 1) * SCORE_CORRELATION) / k);
  const rank = rankOfZ(-sum / spread, Math.sqrt(variance) / spread, { limits, isInverted: false });
  // no score if the measurement error is too large for a percentile
  if (!rank.has_bands) return null;
  return { score: round1(100 - rank.percentile), level: rank.level, rank, items };
}

/** Volumes of the cortical lobes, with z scores and left-right differences. */
export function lobesOf(
  aggregates: readonly Aggregate[],
  subject: NormSubject | null,
  method?: Method,
): ReportResponse["lobes"] {
  return LOBES.map((lobe) => {
    const { volume_left, volume_right, asymmetry_percent } = aggregates.find(({ key }) =>
      key === lobe
    )!;
    const zOf = (key: string, ml: number) => {
      const measured = subject && measuredZ("volume", key, 1000 * ml, subject, method);
      return measured && round2(measured.z);
    };
    return {
      name: lobe,
      volume_left,
      volume_right,
      z_left: zOf(`${lobe}_left`, volume_left),
      z_right: zOf(`${lobe}_right`, volume_right),
      asymmetry: asymmetry_percent ?? null,
    };
  });
}

const rounded = (point: CurvePoint, scale = 1): CurvePoint => ({
  age: point.age,
  p5: round2(scale * point.p5),
  p25: round2(scale * point.p25),
  p50: round2(scale * point.p50),
  p75: round2(scale * point.p75),
  p95: round2(scale * point.p95),
});

/** Volumes and percentiles of both hippocampi, and volumes of the temporal horns beside them. */
export function hippocampusOf(
  volumesMm3: readonly number[],
  subject: NormSubject | null,
  ranks: Ranker,
  ages: { from: number; to: number },
  method?: Method,
): NonNullable<ReportResponse["hippocampus"]> {
  const ml = (label: number) => round2(volumesMm3[label]! / 1000);
  const occupancy = (label: number, horn: number) => {
    const totalMm3 = volumesMm3[label]! + volumesMm3[horn]!;
    return totalMm3 > 0 ? round2(volumesMm3[label]! / totalMm3) : null;
  };
  const rank = ranks.pair([19, 20], [volumesMm3[19]!, volumesMm3[20]!]);
  // neither curve nor interval of a side with uncertain borders, which has no percentile
  const subjectAt = (label: number) =>
    rank[label === 19 ? "left" : "right"]?.doubt === "region" ? null : subject;
  const interval = (label: number): [number, number] | null => {
    const mm3 = subjectAt(label) && volumeInterval(keyOf([label]), volumesMm3[label]!, method);
    return mm3 && [round2(mm3[0] / 1000), round2(mm3[1] / 1000)];
  };
  const curve = (label: number) => {
    const at = subjectAt(label);
    return at
      ? curveOf([label], at, ages, curvePlaceOf(keyOf([label]), method, at)).map((point) =>
        rounded(point)
      )
      : [];
  };
  return {
    left: ml(19),
    right: ml(20),
    inf_lat_vent_left: ml(17),
    inf_lat_vent_right: ml(18),
    hoc_left: occupancy(19, 17),
    hoc_right: occupancy(20, 18),
    asymmetry: asymmetryPercent(volumesMm3[19]!, volumesMm3[20]!),
    np_left: printedPercentile(rank.left),
    np_right: printedPercentile(rank.right),
    rank_left: rank.left,
    rank_right: rank.right,
    interval_left: interval(19),
    interval_right: interval(20),
    curve_left: curve(19),
    curve_right: curve(20),
  };
}

const Z95 = 1.6448536, Z75 = 0.6744898;

/**
 * Percentile of the intracranial volume among people of the same sex.
 * Also norm curves over age of brain volume in percent of this ICV.
 */
export function icvOf(
  icvMm3: number | null,
  subject: NormSubject | null,
  ranks: Ranker,
  ages: { from: number; to: number },
  method?: Method,
): ReportResponse["icv"] {
  const volume = icvMm3 === null ? null : round2(icvMm3 / 1000);
  if (!subject || icvMm3 === null) return { volume, np: null, rank: null, curve: [] };
  const rank = ranks.volume("icv", icvMm3), np = printedPercentile(rank), { icvMl } = subject;
  // no curve for an implausible ICV, because norms of the brain do not cover it
  if (icvMl === null) return { volume, np, rank, curve: [] };
  const { factor } = curvePlaceOf("brain", method && { ...method, localNorms: null }),
    curve: CurvePoint[] = [];
  for (let age = ages.from; age <= ages.to; age++) {
    const norm = normOf("brain", "volume", { ...subject, age, icvMl });
    if (!norm) continue;
    const percent = (z: number) => round2(factor * valueAt(z, norm) / (10 * icvMl));
    curve.push({
      age,
      p5: percent(-Z95),
      p25: percent(-Z75),
      p50: percent(0),
      p75: percent(Z75),
      p95: percent(Z95),
    });
  }
  return { volume, np, rank, curve };
}

/** Annual change of the norms' median at the patient's age (± half a year), percent. */
export function normChangeOf(subject: NormSubject | null): Record<string, number> {
  if (!subject) return {};
  const change = (normAt: (subject: NormSubject) => Norm | null): number | null => {
    const halfYearEarlier = normAt({ ...subject, age: subject.age - 0.5 });
    const halfYearLater = normAt({ ...subject, age: subject.age + 0.5 });
    const atAge = normAt(subject);
    if (!halfYearEarlier || !halfYearLater || !atAge) return null;
    return round2(
      100 * (valueAt(0, halfYearLater) - valueAt(0, halfYearEarlier)) / valueAt(0, atAge),
    );
  };
  const changes = {
    brain: change((at) => normOf("brain", "volume", at)),
    cortex: change((at) => normOf("cortex", "volume", at)),
    white_matter: change((at) => normOf("white_matter", "volume", at)),
    hippocampus: change((at) => normOfTotal([19, 20], at)),
    lateral_ventricles: change((at) => normOfTotal([15, 16], at)),
    thickness: change((at) => normOf("thickness_left", "thickness", at)),
  };
  return Object.fromEntries(
    Object.entries(changes).filter((entry): entry is [string, number] => entry[1] !== null),
  );
}

/** Lowest abnormal MTA grade (medial temporal atrophy): 2 below 75 years, 3 from 75 years on. */
export const mtaCutoffOf = (age: number | null): number | null =>
  age === null || age < 18 ? null : age < 75 ? 2 : 3;
