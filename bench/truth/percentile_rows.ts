import { normalCdf, type NormSubject, zOf } from "@/model/norms/norms.ts";
import { labelsOf, normOfMeasure, VOLUME_KEYS } from "@/model/regions/measures.ts";
import { limitsOf, PLAIN_METHOD, rankOf } from "@/model/norms/percentile_rank.ts";
import { isCortex, isInverted } from "@/model/regions/regions.ts";
import { mean } from "@/bench/engine/score.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import type { Row } from "@/bench/record.ts";

type Make = (
  name: string,
  value: number,
  unit: string,
  given?: Partial<Pick<Row, "bar" | "ok">>,
) => Row;

/** Default thresholds of the percentile bands, from the outermost. */
const THRESHOLDS = [5, 25], LIMITS = limitsOf(THRESHOLDS);
/** Age and sex for a head of which they are unknown. */
const USUAL_AGE = 45;

interface Compared {
  key: string;
  /** percentile of our volume, 0..100 */
  ours: number;
  truth: number;
  isCovered: boolean;
  hasBands: boolean;
  isCalledVeryLow: boolean;
  isPossiblyVeryLow: boolean;
}

/** Percentiles of our volume and of FreeSurfer's for each measure, with the same norms. */
function compare(head: MeasuredHead): Compared[] {
  const subject: NormSubject = {
    age: head.facts.age ?? USUAL_AGE,
    sex: head.facts.sex ?? "female",
    // a table of volumes does not contain the ICV
    icvMl: head.icvMm3 > 0 ? head.icvMm3 / 1000 : null,
  };
  return VOLUME_KEYS.filter((key) => key !== "icv").flatMap((key) => {
    const labels = labelsOf(key), norm = normOfMeasure(key, "volume", subject);
    const sum = (mm3: readonly number[]) =>
      labels.reduce((total, label) => total + (mm3[label] ?? 0), 0);
    const ours = sum(head.oursMm3), theirs = sum(head.theirsMm3);
    const needsParcels = labels.some(isCortex) && !key.startsWith("cortex") && key !== "brain";
    if (!norm || ours <= 0 || theirs <= 0 || (needsParcels && !head.hasParcels)) return [];
    const isFluid = /^\d/.test(key) && isInverted(labels[0]!);
    const rank = rankOf("volume", key, ours, subject, { limits: LIMITS, isInverted: isFluid }, {
      ...PLAIN_METHOD,
      hasOpinion: head.opinion === "agreed",
    });
    if (!rank) return [];
    const truth = 100 * normalCdf(zOf(theirs, norm)), level = THRESHOLDS.length;
    return [{
      key,
      ours: rank.percentile,
      truth: isFluid ? 100 - truth : truth,
      isCovered: truth >= rank.low && truth <= rank.high,
      hasBands: rank.has_bands,
      isCalledVeryLow: rank.level === level,
      isPossiblyVeryLow: rank.possible_level === level,
    }].map((row) => ({ ...row, ours: isFluid ? 100 - row.ours : row.ours }));
  });
}

/** Errors of percentiles, coverage of intervals, and errors of bands for these heads. */
export function percentileRows(heads: readonly MeasuredHead[], row: Make): Row[] {
  const all = heads.filter((head) => head.grade !== "C").flatMap(compare);
  const banded = all.filter((c) => c.hasBands);
  const share = (part: readonly unknown[], whole: readonly unknown[]) =>
    100 * part.length / Math.max(1, whole.length);
  const called = banded.filter((c) => c.isCalledVeryLow), low = banded.filter((c) => c.truth <= 5);
  return [
    row(
      "percentiles with bands: mean difference",
      mean(banded.map((c) => Math.abs(c.ours - c.truth))),
      "points",
      {
        bar: "≤ 16",
        ok: mean(banded.map((c) => Math.abs(c.ours - c.truth))) <= 16,
      },
    ),
    row(
      "all percentiles: mean difference",
      mean(all.map((c) => Math.abs(c.ours - c.truth))),
      "points",
    ),
    row("80 % intervals that hold the truth", share(all.filter((c) => c.isCovered), all), "%"),
    row(
      `called very low (${called.length}), wrongly`,
      share(called.filter((c) => c.truth > 5), called),
      "%",
    ),
    row(
      `truly very low (${low.length}), called or possibly`,
      share(low.filter((c) => c.isCalledVeryLow || c.isPossiblyVeryLow), low),
      "%",
    ),
  ];
}
