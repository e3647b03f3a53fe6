import { curveOf, normOfTotal } from "@/model/curves.ts";
import {
  ICV_MEAN_ML,
  ICV_SD_ML,
  type Norm,
  normalCdf,
  normOf,
  type NormSubject,
  percentileOf,
  valueAt,
  zOf,
} from "@/model/norms.ts";
import { isCortex, REGIONS } from "@/model/regions.ts";
import { bandLevel } from "@/model/report_print.ts";
import type { CurvePoint, ReportResponse } from "@/model/schema/report.ts";

const round2 = (value: number) => Math.round(value * 100) / 100;
const round1 = (value: number) => Math.round(value * 10) / 10;

/**
 * Correlation that the parts of the score are taken to have with each other once age, sex and ICV are accounted for.
 * An assumption, printed with the score: the norms give the spread of each part, not how they go together.
 */
export const SCORE_CORRELATION = 0.4;

/** Parts of the score. Fluid grows where tissue shrinks: its sign is turned. */
const SCORE_PARTS = [
  { name: "Hippocampus", labels: [19, 20], isFluid: false },
  { name: "Entorhinal", labels: [81, 82], isFluid: false },
  { name: "cortex", labels: null, isFluid: false },
  { name: "Inferior lateral ventricle", labels: [17, 18], isFluid: true },
] as const;

/**
 * How far four parts are from the norms together: the mean of their z scores (fluid turned, so that a deficit counts
 * up), rescaled to a standard deviation of 1, as a percentage of the normal distribution. 50 is the middle.
 *
 * @param volumesMm3 index = label, length 105.
 */
export function atrophyScoreOf(
  volumesMm3: readonly number[],
  subject: NormSubject | null,
  thresholds: readonly number[],
): ReportResponse["atrophy_score"] {
  if (!subject) return null;
  const items: { brain_regions: string; z: number; np: number }[] = [];
  let sum = 0;
  for (const { name, labels, isFluid } of SCORE_PARTS) {
    const norm = labels ? normOfTotal(labels, subject) : normOf("cortex", "volume", subject);
    const mm3 = volumesMm3.reduce(
      (total, volume, label) =>
        (labels ? (labels as readonly number[]).includes(label) : isCortex(label)) ? total + volume : total,
      0,
    );
    if (!norm) return null;
    const z = zOf(mm3, norm);
    sum += isFluid ? z : -z;
    items.push({ brain_regions: name, z: round2(z), np: round2(percentileOf(mm3, norm)) });
  }
  const k = SCORE_PARTS.length;
  const score = round1(100 * normalCdf(sum / k / Math.sqrt((1 + (k - 1) * SCORE_CORRELATION) / k)));
  return { score, level: bandLevel(100 - score, thresholds, false), items };
}

/** 100 × (left − right) / mean of both; `null` when there is nothing. */
const asymmetryOf = (left: number, right: number): number | null =>
  left + right <= 0 ? null : round1(200 * (left - right) / (left + right));

const LOBES = ["frontal", "parietal", "temporal", "occipital", "cingulate", "insula"] as const;

/** Lobes of the cortex, their regions' z scores averaged. */
export function lobesOf(volumesMm3: readonly number[], subject: NormSubject | null): ReportResponse["lobes"] {
  return LOBES.map((lobe) => {
    const side = (hemisphere: "L" | "R") => {
      const labels = REGIONS.filter((region) => region.group === lobe && region.hemisphere === hemisphere)
        .map(({ label }) => label);
      const scores = labels.flatMap((label) => {
        const norm = subject && normOf(label, "volume", subject);
        return norm ? [zOf(volumesMm3[label]!, norm)] : [];
      });
      return {
        volume: round2(labels.reduce((sum, label) => sum + volumesMm3[label]!, 0) / 1000),
        z: scores.length === 0 ? null : round2(scores.reduce((sum, z) => sum + z, 0) / scores.length),
      };
    };
    const left = side("L"), right = side("R");
    return {
      name: lobe,
      volume_left: left.volume,
      volume_right: right.volume,
      mean_z_left: left.z,
      mean_z_right: right.z,
      asymmetry: asymmetryOf(left.volume, right.volume),
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

/** Both hippocampi and the horns beside them. */
export function hippocampusOf(
  volumesMm3: readonly number[],
  subject: NormSubject | null,
  ages: { from: number; to: number },
): NonNullable<ReportResponse["hippocampus"]> {
  const ml = (label: number) => round2(volumesMm3[label]! / 1000);
  const occupancy = (label: number, horn: number) => {
    const whole = volumesMm3[label]! + volumesMm3[horn]!;
    return whole > 0 ? round2(volumesMm3[label]! / whole) : null;
  };
  const against = (label: number) => {
    const norm = subject && normOf(label, "volume", subject);
    return norm ? round2(percentileOf(volumesMm3[label]!, norm)) : null;
  };
  const curve = (label: number) =>
    subject ? curveOf([label], subject, ages).map((point) => rounded(point)) : [];
  return {
    left: ml(19),
    right: ml(20),
    inf_lat_vent_left: ml(17),
    inf_lat_vent_right: ml(18),
    hoc_left: occupancy(19, 17),
    hoc_right: occupancy(20, 18),
    asymmetry: asymmetryOf(volumesMm3[19]!, volumesMm3[20]!),
    np_left: against(19),
    np_right: against(20),
    curve_left: curve(19),
    curve_right: curve(20),
  };
}

const Z95 = 1.6448536, Z75 = 0.6744898;

/** The intracranial volume among people of the same sex, and brain / ICV over age at this ICV, percent. */
export function icvOf(
  icvMl: number,
  subject: NormSubject | null,
  ages: { from: number; to: number },
): ReportResponse["icv"] {
  if (!subject) return { volume: round2(icvMl), np: null, curve: [] };
  const curve: CurvePoint[] = [];
  for (let age = ages.from; age <= ages.to; age++) {
    const norm = normOf("brain", "volume", { ...subject, age, icvMl });
    if (!norm) continue;
    const percent = (z: number) => round2(valueAt(z, norm) / (10 * icvMl));
    curve.push({
      age,
      p5: percent(-Z95),
      p25: percent(-Z75),
      p50: percent(0),
      p75: percent(Z75),
      p95: percent(Z95),
    });
  }
  const np = round2(100 * normalCdf((icvMl - ICV_MEAN_ML[subject.sex]) / ICV_SD_ML));
  return { volume: round2(icvMl), np, curve };
}

/** Change of the middle of the norms from half a year before to half a year after the patient's age, percent. */
export function normChangeOf(subject: NormSubject | null): Record<string, number> {
  if (!subject) return {};
  const change = (normAt: (subject: NormSubject) => Norm | null): number | null => {
    const before = normAt({ ...subject, age: subject.age - 0.5 });
    const after = normAt({ ...subject, age: subject.age + 0.5 });
    const now = normAt(subject);
    if (!before || !after || !now) return null;
    return round2(100 * (valueAt(0, after) - valueAt(0, before)) / valueAt(0, now));
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

/** Lowest grade of the visual scale that is above the usual: 2 below 75 years, 3 from then on. */
export const mtaCutoffOf = (age: number | null): number | null =>
  age === null || age < 18 ? null : age < 75 ? 2 : 3;
