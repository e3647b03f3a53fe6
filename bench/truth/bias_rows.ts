import { normalCdf } from "@/model/norms/norms.ts";
import { zOfPercentile } from "@/model/norms/percentile_rank.ts";
import type { MeasureKey } from "@/model/regions/measures.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { mean } from "@/bench/engine/score.ts";
import type { Row, rowMaker } from "@/bench/record.ts";
import { fitVolumes, normSpread } from "@/bench/truth/error_model.ts";
import { bySite, evidenceOf, groupsOf, siteOf } from "@/bench/truth/evidence.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";

/** Number of people that represent a normal population: each at the middle of an equal part. */
const PEOPLE = 40;
const NORMAL = Array.from({ length: PEOPLE }, (_, n) => zOfPercentile(100 * (n + 0.5) / PEOPLE));

/** Labels outside the cortex with a norm; 27 and 28 cannot be measured reliably. */
const STRUCTURES = Array.from({ length: 31 }, (_, n) => n + 1).filter((label) =>
  label !== 27 && label !== 28
);

/** Mean percentile change in a normal population, points. @param z Error in SDs of the norm. */
const pointsOf = (z: number): number =>
  mean(NORMAL.map((healthy) => 100 * Math.abs(normalCdf(healthy + z) - normalCdf(healthy))));

/** Error of a structure at left-out sites, with and without correction by the other sites' bias. */
export interface LeftOutBias {
  label: number;
  /** volume ratio of this engine to FreeSurfer, by site */
  ratios: { site: string; ratio: number }[];
  /** mean error of the percentile over the sites, points */
  rawPoints: number;
  correctedPoints: number;
  /** number of sites with a smaller percentile error after correction by the other sites' bias */
  better: number;
  /** factor by which volumes are divided before the comparison with norms; 1: no correction */
  factor: number;
}

/** Bias of each structure with each site left out, also from the decision whether to correct. */
export function leftOutBiases(
  measured: readonly MeasuredHead[],
  hasOpinion: boolean,
): LeftOutBias[] {
  const evidence = evidenceOf(measured, hasOpinion), all = fitVolumes(evidence).fitted;
  const groups = (label: number) => groupsOf(String(label) as MeasureKey, evidence);
  const sites = [...new Set(STRUCTURES.flatMap((label) => groups(label).map(siteOf)))];
  // two sites cannot show whether their bias holds at a third one
  if (sites.length < 3) return [];
  const others = new Map(sites.map((site) => [site, fitVolumes(evidence, site).fitted]));
  return STRUCTURES.flatMap((label): LeftOutBias[] => {
    const key = String(label), spread = normSpread(key), row = all.get(key);
    if (spread === null || !row) return [];
    const figures = bySite(groups(label)).map((own) => {
      const site = siteOf(own[0]!), errors = own.flatMap((group) => [...group.errors]);
      const bias = others.get(site)?.get(key)?.bias ?? 0;
      return {
        site,
        ratio: Math.exp(mean(own.map((group) => mean(group.errors)))),
        raw: mean(errors.map((error) => pointsOf(error / spread))),
        corrected: mean(errors.map((error) => pointsOf((error - bias) / spread))),
      };
    });
    return [{
      label,
      ratios: figures.map(({ site, ratio }) => ({ site, ratio })),
      rawPoints: mean(figures.map(({ raw }) => raw)),
      correctedPoints: mean(figures.map(({ corrected }) => corrected)),
      better: figures.filter(({ raw, corrected }) => corrected < raw).length,
      factor: Math.exp(row.bias),
    }];
  });
}

/** One row per structure: percentile error at left-out sites, with and without correction. */
export function biasRows(
  heads: readonly MeasuredHead[],
  hasOpinion: boolean,
  row: ReturnType<typeof rowMaker>,
): Row[] {
  const setting = hasOpinion ? "with the second opinion" : "without it";
  return leftOutBiases(heads, hasOpinion).map((one) => {
    const ratios = one.ratios.map(({ site, ratio }) => `${site} ${ratio.toFixed(2)}`).join(", ");
    const factor = one.factor === 1 ? "no correction" : `÷ ${one.factor.toFixed(2)}`;
    return row(
      `left out, ${setting}: ${
        regionOf(one.label)!.name
      }, ${factor} (${ratios}; nearer at ${one.better})`,
      one.correctedPoints,
      "points",
      { baseline: one.rawPoints },
    );
  });
}
