import { LOBES, normOfMeasure, THICKNESS_KEYS, VOLUME_KEYS } from "@/model/regions/measures.ts";
import { ICV_MEAN_ML } from "@/model/norms/norms.ts";
import { areBandsUseful } from "@/model/norms/percentile_rank.ts";
import { isCortex, regionOf } from "@/model/regions/regions.ts";
import { mean, median } from "@/bench/engine/score.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import {
  byScanner,
  bySite,
  type Evidence,
  evidenceOf,
  type Group,
  groupsOf,
  logRatio,
  OFFSET_MM,
  siteOf,
  thicknessGroups,
} from "@/bench/truth/evidence.ts";
import { farSite } from "@/bench/truth/far_site.ts";

/** Error of a measure; see `model/norms/method_error.ts`. */
export interface ErrorRow {
  bias: number;
  biasSd: number;
  randomSd: number;
  heads: number;
  scanners: number;
}

/** Prior SDs between scanners, and between heads of a scanner, for few observations. */
interface Usual {
  between: number;
  random: number;
  /** number of observations that the prior counts as; default: three */
  weight?: number;
}

/** Default number of observations that prior SDs count as. */
const USUAL_WEIGHT = 3;
const MIN_RANDOM_SD = 0.01;

/** Posterior mean of a variance: observed squares combined with the prior. */
const shrunk = (sumOfSquares: number, freedom: number, usual: number, weight: number): number =>
  (sumOfSquares + weight * usual * usual) / (freedom + weight);

/** z of the 90th percentile: the end of an 80 % interval. */
const Z90 = 1.2815516;

/**
 * Factor by which an 80 % interval is wider for an estimated SD: Student's t with n degrees of
 * freedom relative to the normal distribution.
 * @see Abramowitz & Stegun 26.7.5, two terms: error below .5 % from 3 degrees of freedom.
 */
function widening(n: number): number {
  const z = Z90;
  return 1 + (z ** 2 + 1) / (4 * n) + (5 * z ** 4 + 16 * z ** 2 + 3) / (96 * n * n);
}

/** Sum of squared errors about each scanner's mean, and their degrees of freedom. */
function withinOf(groups: readonly Group[]): { squares: number; freedom: number } {
  let squares = 0, freedom = 0;
  for (const { errors } of groups) {
    const m = mean(errors);
    squares += errors.reduce((sum, e) => sum + (e - m) ** 2, 0);
    freedom += errors.length - 1;
  }
  return { squares, freedom };
}

/**
 * Error of a measure, by a random-effects model: SD between scanners, and SD within a scanner.
 *
 * @param isCorrected  false: the bias is set to 0, and a common bias increases the SD between
 *   scanners.
 * @returns `null` without heads. `biasSd` includes the uncertainty of the mean. Both SDs are
 *   widened for few observations, so that a normal 80 % interval equals the t interval.
 * @see DerSimonian & Laird 1986, doi:10.1016/0197-2456(86)90046-2; SDs are shrunk to the prior
 *   here.
 */
export function fitError(
  groups: readonly Group[],
  usual: Usual,
  isCorrected = true,
): ErrorRow | null {
  const used = groups.filter(({ errors }) => errors.length > 0);
  if (used.length === 0) return null;
  const { weight = USUAL_WEIGHT } = usual, { squares, freedom } = withinOf(used);
  const random = shrunk(squares, freedom, usual.random, weight);
  const means = used.map(({ errors, person }) => {
    const shared = used.filter((other) => person !== undefined && other.person === person).length;
    return { value: mean(errors), own: random / errors.length * Math.max(1, shared) };
  });
  const far = farSite(used, usual), isNear = used.map((group) => siteOf(group) !== far?.site);
  const centre = isCorrected
    ? mean(means.filter((_, i) => isNear[i]).map(({ value }) => value))
    : 0;
  const seen = means.reduce(
    (sum, { value, own }, i) => {
      const distance = Math.abs(value - centre);
      return sum + Math.max(0, Math.min(distance, isNear[i] ? distance : far!.limit) ** 2 - own);
    },
    0,
  );
  const count = used.length - (isCorrected ? 1 : 0);
  const between = shrunk(seen, count, usual.between, weight);
  const weights = means.map(({ own }, i) => isNear[i] ? 1 / (between + own) : 0),
    total = weights.reduce((a, b) => a + b, 0);
  const bias = means.reduce((sum, { value }, i) => sum + value * weights[i]!, 0) / total;
  return {
    bias: isCorrected ? bias : 0,
    biasSd: widening(count + weight) * Math.sqrt(between + (isCorrected ? 1 / total : 0)),
    randomSd: Math.max(MIN_RANDOM_SD, widening(freedom + weight) * Math.sqrt(random)),
    heads: used.reduce((sum, { errors }) => sum + errors.length, 0),
    scanners: used.length,
  };
}

/**
 * Whether correcting the bias helps at an unmeasured site: each site is predicted from the others.
 * False with fewer than three sites; an outlier among the sites (`farSite`) is ignored.
 */
export function isBiasTransferred(groups: readonly Group[], usual: Usual): boolean {
  const far = farSite(groups, usual), near = groups.filter((group) => siteOf(group) !== far?.site);
  const sites = bySite(near.filter(({ errors }) => errors.length > 0));
  if (sites.length < 3) return false;
  let left = 0, raw = 0;
  for (const site of sites) {
    const error = mean(site.map(({ errors }) => mean(errors)));
    const others = near.filter((group) => siteOf(group) !== siteOf(site[0]!));
    left += (error - fitError(others, usual)!.bias) ** 2;
    raw += error ** 2;
  }
  return left < raw;
}

/** Groups of measures with common prior SDs: sums vary less than single parcels. */
function kindOf(key: string): "parcel" | "structure" | "lobe" | "total" {
  if (/^\d/.test(key)) return isCortex(Number(key.split("+")[0])) ? "parcel" : "structure";
  return LOBES.some((lobe) => key.startsWith(lobe) && lobe !== "insula") ? "lobe" : "total";
}

/** Median of a variance estimated with 4 degrees of freedom, relative to the true variance. */
const MEDIAN_OF_VARIANCE = 0.839;

/** Prior SDs by kind of measure, estimated from all measures of that kind. */
export function usualSpreads(
  groupsByKey: ReadonlyMap<string, readonly Group[]>,
): ReadonlyMap<string, Usual> {
  const kinds = Map.groupBy([...groupsByKey], ([key]) => kindOf(key));
  return new Map([...kinds].map(([kind, measures]) => {
    const spreads = measures.flatMap(([, groups]) => {
      const { squares, freedom } = withinOf(groups);
      if (freedom === 0 || groups.length < 2) return [];
      const random = squares / freedom,
        means = groups.map(({ errors }) => mean(errors)),
        centre = mean(means);
      const whole = means.reduce((sum, m) => sum + (m - centre) ** 2, 0) / (means.length - 1);
      const chance = mean(groups.map(({ errors }) => random / errors.length));
      return [{ random, between: Math.max(0, whole - chance) }];
    });
    const usual = (pick: "random" | "between") =>
      Math.max(
        MIN_RANDOM_SD,
        Math.sqrt(median(spreads.map((spread) => spread[pick])) / MEDIAN_OF_VARIANCE),
      );
    return [
      kind,
      spreads.length === 0 ? ANY_SPREAD : { random: usual("random"), between: usual("between") },
    ];
  }));
}
/** Prior SDs if no scanner has two heads, ln. */
const ANY_SPREAD: Usual = { random: 0.05, between: 0.06 };

/** Prior SDs of thickness, mm: of hemispheres from unseen sites, of parcels over all heads. */
const USUAL_THICKNESS = {
  side: { between: 0.07, random: 0.07, weight: 2 },
  parcel: { between: 0.1, random: 0.14 },
};

const round = (value: number) => Number(value.toFixed(4));

/** Gives left and right of a structure common SDs, as both are measured alike; biases differ. */
function withSharedSpreads(rows: ReadonlyMap<string, ErrorRow>): Map<string, ErrorRow> {
  return new Map([...rows].map(([key, row]) => {
    const label = Number(key), other = rows.get(String(label % 2 === 1 ? label + 1 : label - 1));
    const isSide = /^\d+$/.test(key) && regionOf(label)?.hemisphere !== "";
    if (!isSide || !other) return [key, row];
    const shared = (a: number, b: number) => Math.hypot(a, b) / Math.SQRT2;
    return [key, {
      ...row,
      biasSd: shared(row.biasSd, other.biasSd),
      randomSd: shared(row.randomSd, other.randomSd),
    }];
  }));
}

/** Minimum number of heads for percentile bands of a single parcel. */
const MIN_HEADS_OF_PARCEL = 10;
/** Whether a key is a single cortical region, or left and right of one. */
export const isParcel = (key: string): boolean =>
  /^\d+(\+\d+)?$/.test(key) && isCortex(Number(key.split("+")[0]));

/** Keys of measures with two names. */
const SAME_AS: Readonly<Record<string, string>> = {
  white_matter: "1+2",
  insula_left: "103",
  insula_right: "104",
  insula: "103+104",
};

/** Keys of the left and right part of a total. */
const sidesOf = (key: string): string[] =>
  key.includes("+") ? key.split("+") : [`${key}_left`, `${key}_right`];

/** Makes totals consistent with their sides: the bias is the mean of both sides; SDs stay. */
function withAgreeingTotals(rows: ReadonlyMap<string, ErrorRow>): Map<string, ErrorRow> {
  const agreeing = new Map([...rows].map(([key, row]) => {
    const [left, right] = sidesOf(key).map((side) => rows.get(side)?.bias);
    return [
      key,
      left === undefined || right === undefined ? row : { ...row, bias: (left + right) / 2 },
    ];
  }));
  for (const [key, other] of Object.entries(SAME_AS)) agreeing.set(key, agreeing.get(other)!);
  return agreeing;
}

/**
 * Fits the error model of every volume.
 * @param without Site to leave out, so that it can be predicted from the others.
 */
export function fitVolumes(evidence: Evidence, without?: string): FittedVolumes {
  const groups = new Map(
    VOLUME_KEYS.filter((key) => key !== "icv").map((key) =>
      [key, groupsOf(key, evidence).filter((group) => siteOf(group) !== without)] as const
    ),
  );
  const usual = usualSpreads(groups);
  const fitted = new Map([...groups].flatMap(([key, all]): [string, ErrorRow][] => {
    const spreads = usual.get(kindOf(key))!,
      row = fitError(all, spreads, isBiasTransferred(all, spreads));
    return row ? [[key, row]] : [];
  }));
  const unsteady = [...groups].filter(([key, all]) => {
    const spread = normSpread(key);
    return spread !== null && all.length > 0 &&
      errorBySite(all, usual.get(kindOf(key))!) > MAX_BY_SITE * spread;
  }).map(([key]) => key);
  return { fitted: withAgreeingTotals(withSharedSpreads(fitted)), unsteady: new Set(unsteady) };
}

/** Errors by measure; measures with too large an error between sites (`unsteady`) have no bands. */
interface FittedVolumes {
  fitted: Map<string, ErrorRow>;
  unsteady: ReadonlySet<string>;
}

/** Error model of a hemisphere's mean thickness, mm; `null` without heads. */
export function fitThickness(evidence: Evidence, without?: string): ErrorRow | null {
  const groups = thicknessGroups("thickness", evidence).filter((group) =>
    siteOf(group) !== without
  );
  return fitError(groups, USUAL_THICKNESS.side);
}

/** Coverage of 80 % intervals at a left-out site, with the error model of the other sites. */
export interface LeftOut {
  site: string;
  held: number;
  count: number;
  /** mean error after correction by the other sites' bias */
  residual: number;
}

/** Whether an error is within the 80 % interval around the bias. */
export const isHeld = (error: number, { bias, biasSd, randomSd }: ErrorRow): boolean =>
  Math.abs(error - bias) <= Z90 * Math.hypot(biasSd, randomSd);

/** Coverage of the intervals of hemispheric mean thickness, with each site left out in turn. */
export function leftOutThickness(evidence: Evidence): LeftOut[] {
  return bySite(thicknessGroups("thickness", evidence)).flatMap((groups) => {
    const site = siteOf(groups[0]!), row = fitThickness(evidence, site);
    const errors = groups.flatMap((group) => group.errors);
    if (!row) return [];
    const held = errors.filter((error) => isHeld(error, row)).length;
    return [{ site, held, count: errors.length, residual: mean(errors) - row.bias }];
  });
}

/** Coverage at left-out sites, percent, within which thickness gets percentile bands. */
const THICKNESS_COVERAGE = { low: 70, high: 90 };

function isThicknessCovered(evidence: Evidence): boolean {
  const all = leftOutThickness(evidence),
    sum = (pick: "held" | "count") => all.reduce((n, one) => n + one[pick], 0);
  const share = 100 * sum("held") / sum("count");
  return share >= THICKNESS_COVERAGE.low && share <= THICKNESS_COVERAGE.high;
}

/**
 * Maximum error between sites for percentiles, in SDs of the norm. Chosen after seeing the measured
 * heads: with 1, the third ventricle (.85) caused half of the wrong reports below the 5th
 * percentile.
 */
const MAX_BY_SITE = 0.8;

/** Person for whom an error is compared with the SD of the norm. */
const USUAL_SUBJECT = { age: 45, sex: "female", icvMl: ICV_MEAN_ML.female } as const;

/** SD of the norm of a volume relative to its mean (ln); `null` without a norm. */
export function normSpread(key: string): number | null {
  const norm = normOfMeasure(key, "volume", USUAL_SUBJECT);
  return norm && (norm.isLog10 ? norm.sd * Math.LN10 : norm.sd / norm.mean);
}

/**
 * Root mean square over the sites of the mean error after correction by the other sites' bias, ln.
 */
function errorBySite(groups: readonly Group[], usual: Usual): number {
  const isCorrected = isBiasTransferred(groups, usual);
  return Math.sqrt(mean(
    bySite(groups).map((site) => {
      const others = groups.filter((group) => siteOf(group) !== siteOf(site[0]!));
      const bias = isCorrected ? fitError(others, usual)?.bias ?? 0 : 0;
      return (mean(site.map(({ errors }) => mean(errors))) - bias) ** 2;
    }),
  ));
}

/** Keys of left, right and total of the structure that a key belongs to. */
function familyOf(key: string): string[] {
  const label = Number(key), other = label % 2 === 1 ? label + 1 : label - 1;
  if (/^\d+$/.test(key)) {
    return regionOf(label)?.hemisphere === "" ? [key] : [key, `${other}`];
  }
  if (key.includes("+")) return key.split("+");
  const name = key.replace(/_(left|right)$/, "");
  return [name, `${name}_left`, `${name}_right`];
}

/** Measures without bands in both settings, as their error between sites is too large in one. */
export const unsteadyIn = (heads: readonly MeasuredHead[]): ReadonlySet<string> =>
  new Set(
    [false, true].flatMap((hasOpinion) => [...fitVolumes(evidenceOf(heads, hasOpinion)).unsteady]),
  );

/** Returns whether a measure gets percentile bands. @param unsteady See {@link unsteadyIn}. */
export function bandsOf(
  { fitted }: FittedVolumes,
  unsteady: ReadonlySet<string>,
): (key: string) => boolean {
  const isUseful = (key: string): boolean => {
    const row = fitted.get(key);
    return row !== undefined && familyOf(key).every((member) => !unsteady.has(member)) &&
      areBandsUseful("volume", key, { ...row, hasBands: true });
  };
  return (key) => {
    const name = Object.values(SAME_AS).includes(key) || !(key in SAME_AS) ? key : SAME_AS[key]!;
    const isKnownWell = !isParcel(name) || (fitted.get(key)?.heads ?? 0) >= MIN_HEADS_OF_PARCEL;
    // a total gets bands if both of its sides do
    return isKnownWell && (isUseful(key) || sidesOf(key).every(isUseful));
  };
}

/** Rows of the error table for one setting: with or without the second network. */
function settingTable(evidence: Evidence, unsteady: ReadonlySet<string>) {
  const model = fitVolumes(evidence), hasBands = bandsOf(model, unsteady);
  const volume = [...model.fitted].map(([key, { bias, biasSd, randomSd, ...counts }]) => [key, {
    bias: round(bias),
    bias_sd: round(biasSd),
    random_sd: round(randomSd),
    ...counts,
    bands: hasBands(key),
  }]);
  const side = fitThickness(evidence), isCovered = isThicknessCovered(evidence);
  const thickness = THICKNESS_KEYS.flatMap((key) => {
    const isParcelKey = /^\d/.test(key);
    const own = isParcelKey
      ? fitError(thicknessGroups(key, evidence), USUAL_THICKNESS.parcel)
      : null;
    if (!side || (isParcelKey && !own)) return [];
    const row = own
      ? { ...own, bias: side.bias + own.bias, biasSd: Math.hypot(side.biasSd, own.biasSd) }
      : side;
    const { bias, biasSd, randomSd, ...counts } = row;
    return [[key, {
      bias_mm: round(bias),
      bias_sd_mm: round(biasSd),
      random_sd_mm: round(randomSd),
      ...counts,
      bands: isCovered && areBandsUseful("thickness", key, { ...row, hasBands: true }),
    }]];
  });
  return { volume: Object.fromEntries(volume), thickness: Object.fromEntries(thickness) };
}

/** Content of `model/norms/method_error.json`, computed from measured heads. */
export function errorTable(heads: readonly MeasuredHead[]) {
  const [alone, asked] = [false, true].map((hasOpinion) => evidenceOf(heads, hasOpinion));
  const unsteady = unsteadyIn(heads), { heads: labelled } = alone!, { heads: withOpinion } = asked!;
  const scannersOf = (of: readonly MeasuredHead[]) => `${byScanner(of).length} scanners`;
  const sources = [
    {
      name: "scans with FreeSurfer 6 reference segmentation, current engine",
      kind: "labelled",
      scanner: scannersOf(labelled),
      heads: labelled.length,
    },
    ...(withOpinion.length === 0 ? [] : [{
      // counted separately: these heads may be the same brains as the heads above
      name: "scans segmented with the second network, current engine",
      kind: "second opinion",
      scanner: scannersOf(withOpinion),
      heads: withOpinion.length,
    }]),
  ];
  return {
    engines: [...new Set(heads.map(({ version }) => version))].sort(),
    made_by: "deno task bench truth",
    thickness_offset_mm: OFFSET_MM,
    sources,
    without_second_opinion: settingTable(alone!, unsteady),
    with_second_opinion: settingTable(asked!, unsteady),
  };
}

/** Median absolute volume error over all regions of a head, percent. */
export const medianError = (head: MeasuredHead, labels: readonly number[]): number =>
  median(
    labels.flatMap((l) => logRatio(head.oursMm3[l]!, head.theirsMm3[l]!)).map((e) =>
      100 * Math.abs(Math.expm1(e))
    ),
  );
