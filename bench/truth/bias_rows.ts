import { normalCdf } from "@/model/norms/norms.ts";
import { zOfPercentile } from "@/model/norms/percentile_rank.ts";
import type { MeasureKey } from "@/model/regions/measures.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { mean } from "@/bench/engine/score.ts";
import type { Row, rowMaker } from "@/bench/record.ts";
import { fitVolumes, normSpread } from "@/bench/truth/error_model.ts";
import { bySite, evidenceOf, groupsOf, siteOf } from "@/bench/truth/evidence.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";

/** People at the middle of so many equal parts of a normal population. */
const PEOPLE = 40;
const NORMAL = Array.from({ length: PEOPLE }, (_, n) => zOfPercentile(100 * (n + 0.5) / PEOPLE));

/** Structures outside the cortex that have a norm; 27 and 28 are no sound measurement. */
const STRUCTURES = Array.from({ length: 31 }, (_, n) => n + 1).filter((label) =>
  label !== 27 && label !== 28
);

/** Mean change of the percentile in a normal population by an error, points. @param z The error, in spreads of the norm. */
const pointsOf = (z: number): number =>
  mean(NORMAL.map((healthy) => 100 * Math.abs(normalCdf(healthy + z) - normalCdf(healthy))));

/** A structure's error at sites left out, with the bias of the other sites and without. */
export interface LeftOutBias {
  label: number;
  /** ours over FreeSurfer's by site */
  ratios: { site: string; ratio: number }[];
  /** mean error of the percentile over the sites, points */
  rawPoints: number;
  correctedPoints: number;
  /** number of sites with a smaller percentile error after correction by the other sites' bias */
  better: number;
  /** factor that is taken away in the comparison with the norms; 1: none */
  factor: number;
}

/** Each structure with each site left out; whether a bias is taken away is decided without that site, too. */
export function leftOutBiases(
  measured: readonly MeasuredHead[],
  hasOpinion: boolean,
): LeftOutBias[] {
  const evidence = evidenceOf(measured, hasOpinion), all = fitVolumes(evidence).fitted;
  const groups = (label: number) => groupsOf(String(label) as MeasureKey, evidence);
  const sites = [...new Set(STRUCTURES.flatMap((label) => groups(label).map(siteOf)))];
  // two sites do not tell whether a bias holds on a third
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

/** One row a structure: error of the percentile on sites left out, beside that without a correction. */
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
